// Who may import whom: design part 3, as one table. What a row does not name is an error.
// `types` may be imported with `import type` only.

const TABLE = {
  schemas: { packages: ['zod'], builtins: false },
  core: { folders: ['schemas'], packages: [], builtins: false },
  roles: { folders: ['schemas'], packages: [], builtins: true },
  workflows: {
    folders: ['core', 'schemas'],
    types: ['activities'],
    packages: ['@temporalio/workflow', '@temporalio/common'],
    builtins: false,
  },
  activities: {
    folders: ['core', 'schemas', 'roles'],
    packages: ['@temporalio/activity', '@temporalio/common'],
    builtins: true,
  },
  adapters: { folders: ['core', 'schemas'], packages: 'any', builtins: true },
  workers: {
    folders: ['schemas', 'core', 'roles', 'workflows', 'activities', 'adapters'],
    packages: 'any',
    builtins: true,
  },
  client: {
    folders: ['core', 'schemas', 'roles'],
    types: ['workflows'],
    packages: [
      '@temporalio/client',
      '@temporalio/common',
      '@temporalio/envconfig',
      'zod',
      'commander',
      'picocolors',
      'pino',
      'yaml',
      'smol-toml',
    ],
    builtins: true,
  },
};

const RUNTIME_OF_AGENTS = '^core/runtime/';
/** Implements no port: durable files and processes, as every adapter needs them. Itself it knows no adapter. */
const SYSTEM = 'system';

const anyOf = (names) => `^(${names.join('|')})/`;
const packagePattern = (names) => `node_modules/(${names.join('|')})(/|$)`;

function rulesOf(folder, row) {
  const own = [folder, ...(row.folders ?? [])];
  const named = [...own, ...(row.types ?? [])];
  const from = { path: `^${folder}/` };
  const rules = [
    {
      name: `${folder}-folders`,
      severity: 'error',
      from,
      to: {
        couldNotResolve: false,
        pathNot: `${anyOf(named)}|node_modules/`,
        dependencyTypesNot: ['core', 'npm', 'npm-dev', 'npm-no-pkg'],
      },
    },
  ];
  if (row.types) {
    rules.push({
      name: `${folder}-types-only`,
      severity: 'error',
      from,
      to: { path: anyOf(row.types), dependencyTypesNot: ['type-only'] },
    });
  }
  if (!row.builtins) {
    rules.push({ name: `${folder}-no-builtins`, severity: 'error', from, to: { dependencyTypes: ['core'] } });
  }
  if (row.packages !== 'any') {
    const allowed = row.packages.length === 0 ? {} : { pathNot: packagePattern(row.packages) };
    rules.push({
      name: `${folder}-packages`,
      severity: 'error',
      from,
      to: {
        ...allowed,
        dependencyTypes: ['npm', 'npm-dev', 'npm-no-pkg', 'npm-peer', 'npm-unknown'],
        // A type is gone at run time; inferred ones need the package's name.
        dependencyTypesNot: ['type-only'],
      },
    });
  }
  return rules;
}

module.exports = {
  forbidden: [
    ...Object.entries(TABLE).flatMap(([folder, row]) => rulesOf(folder, row)),
    {
      name: 'adapters-are-strangers',
      comment:
        'An adapter does not know another: what both need goes to core, schemas or, when it asks the system, adapters/system.',
      severity: 'error',
      from: { path: '^adapters/([^/]+)/' },
      to: { path: '^adapters/', pathNot: `^adapters/($1|${SYSTEM})/` },
    },
    {
      name: 'runtime-stands-alone',
      comment: 'core/runtime knows nothing of graph, contract, gate or git (design part 3).',
      severity: 'error',
      from: { path: RUNTIME_OF_AGENTS },
      to: { path: '^core/(graph|contract|gate|git|stage|ledger|views|shadow)' },
    },
    {
      name: 'no-cycles',
      comment: 'Types count, too: one that both sides need stands in a file that knows neither.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'no-dev-packages',
      severity: 'error',
      // The build bundles what this one imports (scripts/build/program.mjs).
      from: { pathNot: '^adapters/workflows/parser-entry\\.ts$' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
