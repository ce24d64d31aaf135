/** Test commands that we know how to count, written the way that people write them. */
import type { TestCount } from '../../schemas/repository-steps.ts';

/** How a test command is started so that its tests can be counted; no words for our own runners. */
export interface KnownTest {
  readonly argv: readonly string[];
  readonly count: TestCount;
}

/** Programs that start the test command in an environment of their own: the clean room is one. */
const BROUGHT_BY =
  /^(?:(?:uv|poetry|pipenv|pdm|rye) run (?:--\S+ )*|hatch run |xvfb-run (?:-\S+ )*|time |(?:python3? -m )?coverage run (?:--\S+ )*)/u;

/** Options of a runner: without a value, and with one in the next word or after `=`. Any other option is not known. */
interface Options {
  readonly plain: RegExp;
  readonly valued: RegExp;
}

/** What leaves no test out. */
const PYTEST: Options = {
  plain:
    /^(?:-v+|-q+|-s|-x|-r\w+|-l|-nauto|-n\d+|--verbose|--quiet|--no-header|--strict(?:-markers|-config)?|--showlocals|--disable-warnings|--cov-append|--cov-branch|--no-cov(?:-on-fail)?|--full-trace|--capture=\S+)$/u,
  valued:
    /^(?:--cov(?:-report|-config|-context)?|--tb|--durations(?:-min)?|--color|--junit-?xml|--maxfail|--import-mode|-n|--numprocesses|--dist|--log-level|--log-cli-level|--html)$/u,
};
/** Each test that it starts is reported by its name, whatever chose it. What only compiles, lists or measures starts none. */
const GO: Options = {
  plain:
    /^-(?:race|cover|json|short|failfast|msan|asan|trimpath|v|a|benchmem)$|^-(?:tags|mod|timeout|count|cover\w*|cpu|p|parallel|shuffle|run|skip|ldflags|gcflags|vet|outputdir)=\S*$/u,
  valued:
    /^-(?:tags|mod|timeout|count|covermode|coverprofile|coverpkg|cpu|p|parallel|shuffle|run|skip|ldflags|gcflags|vet|outputdir)$/u,
};
const CARGO: Options = {
  plain:
    /^--(?:offline|locked|frozen|workspace|all|verbose|release|all-features|all-targets|no-default-features|no-fail-fast|lib|bins|tests|examples|doc|\w[\w-]*=\S+)$/u,
  valued: /^(?:--(?:features|package|exclude|manifest-path|test|bin|example|profile|jobs)|-F|-p|-j)$/u,
};

/** Test commands whose tests can be counted: with options that are known. */
export function knownTest(command: string): KnownTest | null {
  const joined = command
    .split(/\s+/)
    .join(' ')
    .replace(BROUGHT_BY, '')
    .replace(/^cargo \+(?:stable|[\d.]+) /u, 'cargo ');
  return pytest(joined) ?? node(joined) ?? go(joined) ?? cargo(joined);
}

function pytest(command: string): KnownTest | null {
  for (const prefix of ['pytest', 'py.test', 'python -m pytest', 'python3 -m pytest', '-m pytest']) {
    const found = wordsAfter(prefix, command, PYTEST);
    // Options are our own runner's: only what it shall run is taken over.
    if (found !== null && found.paths.every((word) => PATH.test(word)))
      return { argv: [], count: { by: 'reporter', runner: 'pytest', paths: found.paths } };
  }
  return null;
}

function node(command: string): KnownTest | null {
  const found = wordsAfter('node --test', command, { plain: /^-v$/u, valued: /^$/u });
  if (found?.paths.every((word) => PATH.test(word)) !== true) return null;
  return { argv: [], count: { by: 'reporter', runner: 'node_test', paths: found.paths } };
}

function go(command: string): KnownTest | null {
  const found = wordsAfter('go test', command, GO);
  if (found?.paths.every((word) => PATH.test(word)) !== true) return null;
  const words = found.all.filter((word) => word !== '-json' && word !== '-v');
  return { argv: ['go', 'test', '-json', ...words], count: { by: 'format', format: 'go_json' } };
}

function cargo(command: string): KnownTest | null {
  const [before = '', ...after] = command.split(' -- ');
  const found = wordsAfter('cargo test', before, CARGO);
  const given = after
    .join(' -- ')
    .split(' ')
    .filter((word) => word !== '');
  if (
    found === null ||
    given.some(
      (word) =>
        !/^(?:--(?:nocapture|show-output|include-ignored|ignored|skip|exact|test-threads(?:=\d+)?)|[\w:]+)$/u.test(
          word,
        ),
    )
  )
    return null;
  // A word alone is a filter of names, and the rest of the command has none.
  if (found.paths.length > 0) return null;
  const words = new Set(['--offline', ...found.all]);
  return {
    argv: ['cargo', 'test', ...words, ...(given.length === 0 ? [] : ['--', ...given])],
    count: { by: 'format', format: 'libtest' },
  };
}

const PATH = /^(?:[\w][\w./-]*|\.{1,2}(?:\/[\w./-]*)?)$/u;
/** A value that no shell changes. */
const VALUE = /^(?:"[\w .,:/=+^|()-]*"|'[^']*'|[\w.,:/=+^@%-]+)$/u;

/** The words of a command that starts so; null for another one, and where an option is not known. */
function wordsAfter(
  prefix: string,
  command: string,
  { plain, valued }: Options,
): { readonly all: string[]; readonly paths: string[] } | null {
  if (command !== prefix && !command.startsWith(`${prefix} `)) return null;
  const given = command.slice(prefix.length).match(/(?:[^\s"']|"[^"]*"|'[^']*')+/gu) ?? [];
  const [all, paths]: [string[], string[]] = [[], []];
  for (let index = 0; index < given.length; index += 1) {
    const word = given[index] ?? '';
    if (['-v', '-q', '--quiet', '--verbose'].includes(word)) continue;
    const [name = '', ...values] = word.split('=');
    if (valued.test(name)) {
      const value = values.length > 0 ? values.join('=') : given[(index += 1)];
      if (value === undefined || !VALUE.test(value)) return null;
      all.push(...(values.length > 0 ? [`${name}=${bare(value)}`] : [name, bare(value)]));
    } else if (plain.test(word)) all.push(word);
    else if (word.startsWith('-') || !VALUE.test(word)) return null;
    else {
      all.push(bare(word));
      paths.push(bare(word));
    }
  }
  return { all, paths };
}

function bare(value: string): string {
  return value.replace(/^(["'])(.*)\1$/u, '$2');
}
