/**
 * What a Node project says of its own tests: the runner behind `npm test`, its files, and the packages that it needs.
 * Example: `"test": "npm run lint && nyc mocha test/*.js"` gives the runner mocha with the path `test/*.js`, and says that
 * lint and coverage were left out.
 */
import { withoutWrappers, wordsOf } from './script-words.ts';
import type { TestRunner } from '../../../schemas/verify-profile.ts';

export interface NodeProject {
  readonly tests: readonly UnderstoodTests[];
  /** Version ranges by name. */
  readonly wanted: Readonly<Record<string, string>>;
  readonly notes: readonly string[];
}

export interface UnderstoodTests {
  readonly runner: TestRunner;
  readonly paths: readonly string[];
  readonly args: readonly string[];
}

/** The fields of a `package.json` that are read. */
export interface Manifest {
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

const SCRIPT_DEPTH_MAX = 6;
/** What no test needs. */
const NOT_FOR_TESTS =
  /^(?:eslint|@eslint\/|@typescript-eslint\/|prettier|stylelint|standard$|neostandard|snazzy|xo$|husky|lint-staged|nyc$|c8$|np$|npmignore|in-publish|safe-publish-latest|auto-changelog|release-it|@release-it|semantic-release|@semantic-release|standard-version|@commitlint|commitizen|cz-|typedoc|jsdoc|documentation|coveralls|codecov|aud$|evalmd|eclint|jsmd|airtap|karma|@browserify\/|bundle-collapser|common-shakeify|module-deps|unassertify|uglify|envify|jiti$|browserify|webpack|rollup|gulp|grunt|tsd$|tstyche$|dtslint|@arethetypeswrong|@ljharb\/(?:eslint|tsconfig)|size-limit|@size-limit|benchmark|benchtable|nsd|snyk|pre-commit|faucet|tap-spec|tap-dot|tap-min|@changesets|markdownlint|remark|renovate|playwright|puppeteer|electron)/u;
const RUNNERS: Readonly<Record<string, TestRunner>> = {
  mocha: 'mocha',
  _mocha: 'mocha',
  jest: 'jest',
  vitest: 'vitest',
  tape: 'tape',
  ava: 'ava',
  tap: 'tap',
  borp: 'node_test',
};
const JUDGES_OTHERWISE =
  /\b(?:eslint|prettier|standard|tsc|tsd|dtslint|xo|lint|attw|publint|typecheck|flow|size-limit)\b/u;

/** @param files paths of the repository, in which `tape` and others look for their tests */
export function nodeProject(manifest: Manifest, files: readonly string[]): NodeProject {
  const notes: string[] = [];
  const commands = expanded(manifest.scripts, 'test', 0);
  const tests: UnderstoodTests[] = [];
  for (const command of commands) {
    const found = testsOf(command, files);
    if (found !== null) tests.push(found);
    else notes.push(noteOf(command));
  }
  const known = tests.length > 0 ? tests : byPackages(manifest, files);
  return {
    tests: withoutOthers(merged(known), files),
    wanted: wantedOf(manifest, known),
    notes: [...new Set(notes)],
  };
}

/** Commands behind a script, in order: `npm run x`, `npm-run-all`, and scripts around it are followed. */
function expanded(scripts: Manifest['scripts'], name: string, depth: number): string[] {
  const script = scripts[name];
  if (script === undefined || depth > SCRIPT_DEPTH_MAX) return [];
  const before =
    depth === 0 && scripts[`pre${name}`] !== undefined ? expanded(scripts, `pre${name}`, depth + 1) : [];
  return [...before, ...commandsIn(script).flatMap((command) => followed(scripts, command, depth))];
}

/** `for t in test/*.js; do node $t; done` starts each of these files. */
const LOOP = /\bfor\s+(\w+)\s+in\s+([^;]+?)\s*;\s*do\s+node\s+"?\$\{?\1\}?"?\s*;\s*done/gu;

function commandsIn(script: string): string[] {
  return script
    .replaceAll(LOOP, (_, _name: string, files: string) => `tap ${files}`)
    .split(/\s*(?:&&|;|\|\|)\s*/u)
    .map((command) =>
      command
        .replace(/\s*\|.*$/u, '')
        .replace(/\s+2?>.*$/u, '')
        .trim(),
    )
    .filter((command) => command !== '' && command !== 'set -e');
}

function followed(scripts: Manifest['scripts'], command: string, depth: number): string[] {
  const bare = withoutWrappers(wordsOf(command)).join(' ');
  const [, name] =
    /^(?:npm|yarn|pnpm|bun)\s+(?:(?:--?[\w-]+\s+)*run(?:-script)?\s+)(?:--?[\w-]+\s+)*([\w:.-]+)/u.exec(
      command,
    ) ??
    /(?:^|\s)(?:npm|yarn|pnpm)\s+(?:--?[\w-]+\s+)*run(?:-script)?\s+(?:--?[\w-]+\s+)*([\w:.-]+)/u.exec(
      command,
    ) ??
    /^(?:npm|yarn|pnpm)\s+(test|t)\b/u.exec(command) ??
    /^(?:yarn|pnpm)\s+([\w:.-]+)$/u.exec(command) ??
    [];
  if (name !== undefined && scripts[name] !== undefined) return expanded(scripts, name, depth + 1);
  const all = /^(?:npm-run-all|run-s|run-p)\s+(.*)$/u.exec(bare)?.[1];
  if (all === undefined) return [command];
  return wordsOf(all)
    .filter((word) => !word.startsWith('-'))
    .flatMap((word) => {
      const prefix = word.endsWith('*') ? word.replace(/\*+$/u, '') : null;
      const names = prefix === null ? [word] : Object.keys(scripts).filter((each) => each.startsWith(prefix));
      return names.flatMap((each) => expanded(scripts, each, depth + 1));
    });
}

function testsOf(command: string, files: readonly string[]): UnderstoodTests | null {
  const words = withoutWrappers(wordsOf(command));
  const [program = '', ...rest] = words;
  const name = program.replace(/^(?:\.\/)?node_modules\/(?:\.bin\/)?/u, '').replace(/^([^/]+)\/.*$/u, '$1');
  const runner = RUNNERS[name];
  if (runner !== undefined) return { runner, ...argumentsOf(runner, rest) };
  if (program !== 'node') return null;
  if (rest.includes('--test')) return { runner: 'node_test', ...argumentsOf('node_test', rest) };
  const script = rest.find((word) => !word.startsWith('-'));
  if (script === undefined) return null;
  const inner = /node_modules\/(?:\.bin\/)?(_?[\w-]+)/u.exec(script)?.[1];
  if (inner !== undefined && RUNNERS[inner] !== undefined)
    return testsOf([inner, ...rest.slice(rest.indexOf(script) + 1)].join(' '), files);
  const paths = [`${script}/index.js`, `${script}.js`, script];
  const path = paths.find((each) => files.includes(each.replace(/^\.\//u, '')));
  return path === undefined ? null : { runner: 'tap', paths: [path.replace(/^\.\//u, '')], args: [] };
}

/** Options that take a value in the next word, and must stay. */
const KEPT: Readonly<Partial<Record<TestRunner, RegExp>>> = {
  mocha:
    /^(?:-r|--require|--import|--loader|-u|--ui|--timeout|-t|--extension|--recursive|--spec|--config|--opts|--exit|--file)(?:=|$)/u,
  node_test:
    /^(?:-r|--require|--import|--loader|--experimental-[\w-]+|-C|--conditions|--enable-source-maps|--no-warnings)(?:=|$)/u,
  tape: /^(?:-r|--require)(?:=|$)/u,
  jest: /^(?:--config|-c|--rootDir|--testPathPattern|--env)(?:=|$)/u,
  vitest: /^(?:--config|-c|--root|--dir|--environment|--globals)(?:=|$)/u,
};
const FLAGS = /^(?:--recursive|--exit|--globals|--experimental-.*|--enable-source-maps|--no-warnings)$/u;

function argumentsOf(
  runner: TestRunner,
  words: readonly string[],
): { readonly paths: string[]; readonly args: string[] } {
  const [paths, args]: [string[], string[]] = [[], []];
  const keep = KEPT[runner];
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    const next = words[index + 1];
    if (word === '--test' || (runner === 'vitest' && word === 'run')) continue;
    if (keep?.test(word) === true) {
      args.push(word);
      if (!word.includes('=') && !FLAGS.test(word) && next !== undefined) {
        args.push(next);
        index += 1;
      }
    } else if (word.startsWith('-')) {
      // A value of an option that was left out is no path.
      if (
        !word.includes('=') &&
        /^(?:-R|--reporter|--concurrency|--test-reporter|--timeout|-J|--maxWorkers|-w|--coverage-report)$/u.test(
          word,
        )
      )
        index += 1;
    } else if (/[/.*]|^(?:tests?|spec|src|lib)$/u.test(word)) paths.push(word.replace(/^\.\//u, ''));
  }
  return { paths, args };
}

/** A package alone tells of a runner, where no script does. */
function byPackages(manifest: Manifest, files: readonly string[]): UnderstoodTests[] {
  const own = { ...manifest.dependencies, ...manifest.devDependencies };
  const name = ['vitest', 'jest', 'mocha', 'ava', 'tape', 'tap'].find((each) => own[each] !== undefined);
  const runner = name === undefined ? undefined : RUNNERS[name];
  if (runner === undefined) return [{ runner: 'node_test', paths: [], args: [] }];
  const folder = ['test', 'tests', 'spec'].find((each) => files.some((path) => path.startsWith(`${each}/`)));
  const paths =
    runner !== 'tape' && runner !== 'tap' ? [] : folder === undefined ? ['test.js'] : [`${folder}/*.js`];
  return [{ runner, paths, args: [] }];
}

/** `node --test && jest jest.test.js`: Node would start the file of jest, too, and fail; it registers nothing with Node's runner. */
function withoutOthers(tests: readonly UnderstoodTests[], files: readonly string[]): UnderstoodTests[] {
  const others = tests.filter(({ runner }) => runner !== 'node_test').flatMap(({ paths }) => paths);
  const isOthers = (file: string): boolean =>
    others.some((path) => !path.includes('*') && file.endsWith(path));
  const own = files.filter((file) => TEST_FILE.test(file) && !NOT_OWN.test(file) && !isOthers(file));
  return tests.map((each) =>
    each.runner === 'node_test' && each.paths.length === 0 && files.some((file) => isOthers(file))
      ? { ...each, paths: own }
      : each,
  );
}

/** As our runner for `node --test` finds them. */
const TEST_FILE = /(?:^|\/)(?:(?:[^/]*[._-])?(?:test|spec)\.[cm]?js|test-[^/]*\.[cm]?js)$/u;
const NOT_OWN = /(?:^|\/)(?:node_modules|\.git|\.a7)\//u;

/** Tests of one runner with the same options are one run. */
function merged(tests: readonly UnderstoodTests[]): UnderstoodTests[] {
  const byKey = new Map<string, UnderstoodTests>();
  for (const each of tests) {
    const key = JSON.stringify([each.runner, each.args]);
    const before = byKey.get(key);
    const paths = [...new Set([...(before?.paths ?? []), ...each.paths])];
    byKey.set(key, { ...each, paths });
  }
  return [...byKey.values()];
}

function wantedOf(manifest: Manifest, tests: readonly UnderstoodTests[]): Record<string, string> {
  const { dependencies, devDependencies, optionalDependencies, peerDependencies } = manifest;
  const runners = new Set<string>(tests.map((each) => each.runner));
  const all = { ...peerDependencies, ...devDependencies, ...optionalDependencies, ...dependencies };
  return Object.fromEntries(
    Object.entries(all).filter(
      ([name, range]) =>
        !/^(?:file|link|workspace|git|github|http|https|catalog|portal|patch)[+:]/u.test(range) &&
        !range.includes('/') &&
        (name in dependencies || runners.has(name) || !NOT_FOR_TESTS.test(name)),
    ),
  );
}

function noteOf(command: string): string {
  const shown = command.length > 100 ? `${command.slice(0, 99)}…` : command;
  return JUDGES_OTHERWISE.test(command)
    ? `"${shown}" judges something else than tests: add it as "kind: check" with what it needs, if it shall judge`
    : `"${shown}" is not understood: if it tests, add it under tests with "runner" or "proof"; if tests need it, under environment.setup`;
}
