import tseslint from 'typescript-eslint';

const PURE_FOLDERS = ['schemas/**/*.ts', 'core/**/*.ts', 'workflows/**/*.ts'];
const TESTS = ['test/**/*.ts', 'bench/**/*.ts'];

const NO_DEFAULT_EXPORT = {
  selector: 'ExportDefaultDeclaration',
  message: 'Export by name: a default export has another name in each file that imports it.',
};

/** What a file whose result must not depend on the machine may not touch (design part 3). */
const PURITY_RULES = {
  'no-restricted-imports': [
    'error',
    {
      patterns: [
        {
          regex: '^node:|^(fs|path|os|crypto|child_process|url|util|events|stream|timers)(/|$)',
          message: 'This folder is pure: take what the builtin would give as an argument.',
        },
      ],
    },
  ],
  'no-restricted-properties': [
    'error',
    { object: 'Date', property: 'now', message: 'Take the time as an argument.' },
    { object: 'Math', property: 'random', message: 'Take the seed or the id as an argument.' },
    { object: 'performance', property: 'now', message: 'Take the time as an argument.' },
  ],
  'no-restricted-globals': [
    'error',
    ...[
      'process',
      'fetch',
      'setTimeout',
      'setInterval',
      'setImmediate',
      'clearTimeout',
      'clearInterval',
      'performance',
      'crypto',
      'Buffer',
      'globalThis',
      'require',
    ].map((name) => ({
      name,
      message: 'This folder is pure: pass the value in, or do it in an activity or adapter.',
    })),
  ],
  'no-restricted-syntax': [
    'error',
    NO_DEFAULT_EXPORT,
    {
      selector: 'NewExpression[callee.name="Date"][arguments.length=0]',
      message: 'Take the time as an argument.',
    },
    { selector: 'CallExpression[callee.name="Date"]', message: 'Take the time as an argument.' },
  ],
};

/** Core and schemas decide; they never wait. Workflows do. */
const NO_AWAIT = {
  selector: 'AwaitExpression, FunctionDeclaration[async=true], ArrowFunctionExpression[async=true]',
  message: 'Core and schemas are synchronous: return a command and let the workflow wait.',
};

const HOUSE_RULES = {
  eqeqeq: 'error',
  'prefer-const': 'error',
  'no-var': 'error',
  'no-console': 'error',
  'no-param-reassign': 'error',
  'max-lines': ['error', { max: 250 }],
  'max-lines-per-function': ['error', { max: 70 }],
  'no-restricted-syntax': ['error', NO_DEFAULT_EXPORT],
};

const TYPED_RULES = {
  '@typescript-eslint/consistent-type-imports': 'error',
  '@typescript-eslint/consistent-type-exports': 'error',
  '@typescript-eslint/explicit-module-boundary-types': 'error',
  '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
  '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
  '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
  '@typescript-eslint/no-unnecessary-condition': [
    'error',
    { allowConstantLoopConditions: 'only-allowed-literals' },
  ],
  '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
  '@typescript-eslint/no-misused-spread': ['error', { allow: ['string'] }],
  // A port's method is async by its contract, also where one adapter has nothing to wait for.
  '@typescript-eslint/require-await': 'off',
};

export default tseslint.config(
  {
    ignores: [
      'dist/',
      'coverage/',
      'demo-session/',
      'demo-order/',
      '.a7-home/',
      'examples/',
      'sandbox/',
      '**/testdata/',
      'test/golden/',
    ],
  },
  { linterOptions: { noInlineConfig: true, reportUnusedDisableDirectives: 'error' } },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname } },
    rules: { ...HOUSE_RULES, ...TYPED_RULES },
  },
  { files: ['**/*.{js,mjs,cjs}'], rules: { ...HOUSE_RULES, 'no-console': 'off' } },
  { files: ['*.config.js', 'test/support/*.mjs'], rules: { 'no-restricted-syntax': 'off' } },
  { files: PURE_FOLDERS, rules: PURITY_RULES },
  {
    files: ['schemas/**/*.ts', 'core/**/*.ts'],
    rules: { 'no-restricted-syntax': [...PURITY_RULES['no-restricted-syntax'], NO_AWAIT] },
  },
  {
    files: TESTS,
    rules: {
      'max-lines': ['error', { max: 400 }],
      'max-lines-per-function': 'off',
      'no-console': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/explicit-module-boundary-types': 'off',
    },
  },
);
