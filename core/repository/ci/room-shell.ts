/** How a script of CI is started in the clean room, and what stands around it. */
import type { PlanSource } from '../../../schemas/gate-limits.ts';
import type { KnownTest } from '../known-tests.ts';
import { withoutToolchain } from './cargo-command.ts';

/** Where and with what a script runs. */
export interface Surroundings {
  readonly source: PlanSource;
  /** Below the checkout; null: the checkout itself. */
  readonly folder: string | null;
  readonly variables: Readonly<Record<string, string>>;
  readonly shell: string;
  /** Folder of the workspace that is the repository, where CI lays it below. */
  readonly checkout?: string | null;
  /** What a script of `package.json` stands for; null where there is none of that name. */
  readonly script: (name: string) => KnownTest | null;
}

/** Values for expressions: each use of one names its step, and is refused there. */
const FOR_EXPRESSIONS = /\$\{?GITHUB_(?:OUTPUT|STATE)\b/u;
/** Words that start a command in the folder and with the variables of its step. */
export function inFolder(argv: readonly string[], { folder, variables }: Surroundings): string[] {
  const given = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  if (folder === null) return given.length === 0 ? [...argv] : ['env', ...given, ...argv];
  return ['env', '-C', folder, ...given, ...argv];
}

/** As the CI service starts it: bash unless another shell is named, with `pipefail` where bash is named. */
export function shellOf(script: string, given: Surroundings): string[] {
  const { shell } = given;
  const nowhere = FOR_EXPRESSIONS.test(script)
    ? { GITHUB_OUTPUT: '/dev/null', GITHUB_STATE: '/dev/null' }
    : {};
  const around = { ...given, variables: { ...given.variables, ...nowhere } };
  const isNamed = /^(?:\/\S*\/)?bash/u.test(shell);
  const argv = shell === '' || isNamed ? ['bash', '--noprofile', '--norc', '-e'] : ['sh', '-e'];
  return inFolder(
    [...argv, ...(isNamed ? ['-o', 'pipefail'] : []), '-c', withPython3(withoutToolchain(script))],
    around,
  );
}

/** The CI service links `python` to what it sets up, and starts programs in environments: the clean room has `python3`, and is one. */
function withPython3(command: string): string {
  return command
    .replaceAll(
      /(^|[;&|(]\s*|\n\s*)(?:uv|poetry|pipenv) run (?:--(?:frozen|locked|no-sync|all-extras|dev|isolated)\s+|--(?:extra|group|python|with)[= ]\S+\s+)*(?=[\w./])/g,
      '$1',
    )
    .replaceAll(/(^|[;&|(]\s*|\n\s*)python(?=\s)/g, '$1python3');
}
