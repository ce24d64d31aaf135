/** Test commands that we know how to count, written the way that people write them. */
import type { TestCount } from '../../schemas/repository-steps.ts';

/** How a test command is started so that its tests can be counted; no words for our own runners. */
export interface KnownTest {
  readonly argv: readonly string[];
  readonly count: TestCount;
}

const NO_OPTION = /^$/;

/** Test commands whose tests can be counted: with plain paths only, since an option may leave tests out. */
export function knownTest(command: string): KnownTest | null {
  const words = command.split(/\s+/);
  const joined = words.join(' ');
  const after = (prefix: string, options: RegExp = NO_OPTION): string[] | null => {
    if (joined !== prefix && !joined.startsWith(`${prefix} `)) return null;
    const rest = joined
      .slice(prefix.length)
      .trim()
      .split(' ')
      .filter((word) => word !== '' && word !== '-v' && word !== '-q');
    return rest.every((word) => /^[\w][\w./-]*$|^\.\/\.\.\.$/.test(word) || options.test(word)) ? rest : null;
  };
  for (const prefix of ['pytest', 'python -m pytest', 'python3 -m pytest']) {
    const paths = after(prefix);
    if (paths !== null) return { argv: [], count: { by: 'reporter', runner: 'pytest', paths } };
  }
  const node = after('node --test');
  if (node !== null) return { argv: [], count: { by: 'reporter', runner: 'node_test', paths: node } };
  const go = after('go test', /^-(race|count=1|cover|json)$/);
  if (go !== null)
    return {
      argv: ['go', 'test', '-json', ...go.filter((word) => word !== '-json')],
      count: { by: 'format', format: 'go_json' },
    };
  const cargo = after('cargo test', /^--(offline|locked|frozen|workspace|all|verbose|release)$/);
  // A word alone would be a filter of names.
  if (cargo?.every((word) => word.startsWith('--')) === true)
    return {
      argv: ['cargo', 'test', ...new Set(['--offline', ...cargo])],
      count: { by: 'format', format: 'libtest' },
    };
  return null;
}
