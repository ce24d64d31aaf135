/** @type {import('jest').Config} */
const config = {
  testEnvironment: 'node',
  // jest's own cleanup leaves setters on globals that call one another without end, where a worker meets many files.
  testEnvironmentOptions: { globalsCleanup: 'off' },
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
  // dist/ and the sessions of demo and tests hold copies of our own files.
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/demo-(session|order)/', '<rootDir>/.a7-home/'],
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
  testSequencer: '<rootDir>/test/support/sequencer.mjs',
  reporters: ['default', '<rootDir>/test/support/summary-reporter.mjs'],
  testTimeout: 180_000,
  maxWorkers: 3,
  // Modules of former test files stay in a worker's heap, and to start a process costs what the starter's memory costs.
  workerIdleMemoryLimit: '400MB',
};

export default config;
