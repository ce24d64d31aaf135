/** The built-in profiles: what a language's project must pass where its plan does not say otherwise. Data, no rules. */
import type { ProfileName } from '../../schemas/verify-profile.ts';
import type { RuntimeTool, TestCount } from '../../schemas/repository-steps.ts';

export interface DefaultTest {
  readonly name: string;
  /** Empty for our own runners. */
  readonly argv: readonly string[];
  readonly count: TestCount;
}

export interface LanguageDefaults {
  readonly tool: RuntimeTool;
  readonly test: DefaultTest;
  /** Wall time of that command: compilers take longer. */
  readonly timeoutSeconds: number;
  /** A file that shows that a repository is of this language. */
  readonly signs: readonly string[];
  readonly forbidden: readonly string[];
  /** Packages are installed beside each manifest; what lies so among tests and their data was put there on purpose. */
  readonly installedBeside?: { readonly manifest: string; readonly folder: string };
}

type LanguageProfile = Exclude<ProfileName, 'polyglot'>;

export const LANGUAGE_DEFAULTS: Readonly<Record<LanguageProfile, LanguageDefaults>> = {
  python: {
    tool: 'python',
    timeoutSeconds: 120,
    test: { name: 'pytest', argv: [], count: { by: 'reporter', runner: 'pytest', paths: [] } },
    signs: ['pyproject.toml', 'setup.py', 'setup.cfg', 'pytest.ini', 'requirements.txt', '**/*.py'],
    forbidden: ['**/.venv/**', '**/site-packages/**'],
  },
  node: {
    tool: 'node',
    timeoutSeconds: 120,
    test: { name: 'node --test', argv: [], count: { by: 'reporter', runner: 'node_test', paths: [] } },
    signs: ['package.json', '**/*.test.js', '**/*.test.mjs', '**/*.test.cjs'],
    forbidden: ['node_modules/**'],
    installedBeside: { manifest: 'package.json', folder: 'node_modules' },
  },
  go: {
    tool: 'go',
    timeoutSeconds: 300,
    test: {
      name: 'go test',
      argv: ['go', 'test', '-json', './...'],
      count: { by: 'format', format: 'go_json' },
    },
    signs: ['go.mod'],
    forbidden: [],
  },
  rust: {
    tool: 'rust',
    timeoutSeconds: 300,
    test: {
      name: 'cargo test',
      argv: ['cargo', 'test', '--offline'],
      count: { by: 'format', format: 'libtest' },
    },
    signs: ['Cargo.toml'],
    forbidden: ['target/**'],
  },
};

export const LANGUAGE_PROFILES: readonly LanguageProfile[] = ['python', 'node', 'go', 'rust'];

/** Keys and credentials: no profile lets them in. */
export const SECRET_GLOBS: readonly string[] = [
  '**/.env',
  '**/*.pem',
  '**/*.p12',
  '**/*.pfx',
  '**/id_rsa',
  '**/id_ecdsa',
  '**/id_ed25519',
  '**/.netrc',
  '**/.pypirc',
];

/** Sizes of a profile; a file without NUL bytes at its start is no binary. */
export const FILE_BYTES_MAX = 10 * 1024 * 1024;
export const BINARY_BYTES_MAX = 1024 * 1024;
