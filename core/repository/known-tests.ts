/** Test commands that we know how to count, written the way that people write them. */
import type { TestCount } from '../../schemas/repository-steps.ts';

/** How a test command is started so that its tests can be counted; no words for our own runners. */
export interface KnownTest {
  readonly argv: readonly string[];
  readonly count: TestCount;
}

const NO_OPTION = /^$/;

/** Programs that start the test command in an environment of their own: the clean room is one. */
const BROUGHT_BY =
  /^(?:(?:uv|poetry|pipenv|pdm|rye) run (?:--\S+ )*|hatch run |xvfb-run (?:-\S+ )*|time |(?:python3? -m )?coverage run (?:--\S+ )*)/u;
/** Options of pytest that leave no test out. */
const PYTEST_OPTIONS =
  /^(?:-v+|-q+|-s|-x|-r\w+|-l|--cov(?:[-=]\S+)?|--tb=\S+|--durations=\S+|--color=\S+|--junit-?xml=\S+|--verbose|--no-header|--strict-markers|--strict-config|--showlocals|--maxfail=\d+|--import-mode=\S+|--disable-warnings|-nauto|--dist=\S+)$/u;

/** Test commands whose tests can be counted: with plain paths only, since an option may leave tests out. */
export function knownTest(command: string): KnownTest | null {
  const joined = command.split(/\s+/).join(' ').replace(BROUGHT_BY, '');
  const after = (prefix: string, options: RegExp = NO_OPTION): string[] | null => {
    if (joined !== prefix && !joined.startsWith(`${prefix} `)) return null;
    const rest = joined
      .slice(prefix.length)
      .trim()
      .split(' ')
      .filter((word) => word !== '' && word !== '-v' && word !== '-q');
    return rest.every((word) => /^[\w][\w./-]*$|^\.\/\.\.\.$/.test(word) || options.test(word)) ? rest : null;
  };
  for (const prefix of ['pytest', 'py.test', 'python -m pytest', 'python3 -m pytest', '-m pytest']) {
    const paths = after(prefix, PYTEST_OPTIONS)?.filter((word) => !word.startsWith('-')) ?? null;
    if (paths !== null) return { argv: [], count: { by: 'reporter', runner: 'pytest', paths } };
  }
  const node = after('node --test');
  if (node !== null) return { argv: [], count: { by: 'reporter', runner: 'node_test', paths: node } };
  const go = after(
    'go test',
    /^-(race|count=1|cover|json|coverprofile=\S+|covermode=\S+|coverpkg=\S+|timeout=\S+|shuffle=on|vet=off)$/,
  );
  if (go !== null)
    return {
      argv: ['go', 'test', '-json', ...go.filter((word) => word !== '-json')],
      count: { by: 'format', format: 'go_json' },
    };
  const cargo = after(
    'cargo test',
    /^--(offline|locked|frozen|workspace|all|verbose|release|all-features|all-targets|no-default-features|no-fail-fast)$/,
  );
  // A word alone would be a filter of names.
  if (cargo?.every((word) => word.startsWith('--')) === true)
    return {
      argv: ['cargo', 'test', ...new Set(['--offline', ...cargo])],
      count: { by: 'format', format: 'libtest' },
    };
  return null;
}
