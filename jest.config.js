/** @type {import('jest').Config} */
const config = {
  testEnvironment: 'node',
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
  // Known to fail at times: a process that was stopped and goes on may end with SIGSEGV, and random kills are not yet
  // steady beside each other. Run them with A7_TEST_LONG=1 until the causes are found.
  testPathIgnorePatterns: [
    '/node_modules/',
    ...(process.env.A7_TEST_LONG === '1' ? [] : ['/test/crash/chaos', '/test/crash/stopped']),
  ],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/demo-session/', '<rootDir>/.a7-home/'],
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
  reporters: ['default', '<rootDir>/test/support/summary-reporter.mjs'],
  testTimeout: 60_000,
  maxWorkers: 2,
};

export default config;
