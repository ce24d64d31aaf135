/**
 * Whether the tests of Go judged the tree (gate.md part 12: what ran decides). Go itself says from which folder it takes each
 * package of a test: one of a module of the tree must come from that module's folder.
 * Example: the tree is `example.org/shop`, and a `replace` or a copy under `vendor` has the tests compile `./old` instead: INVALID.
 */
import type { RepositoryFinding } from '../../schemas/repository-report.ts';
import { repositoryFinding } from './finding.ts';
import { CHECKOUT } from './python-path.ts';
import { quoted } from '../text/typed.ts';

/** Where the room notes what Go takes from where. */
export const GO_LISTING = 'go-packages.txt';

/** Folder of each module of the tree, `.` for the top, by its path. */
export type GoModules = ReadonlyMap<string, string>;

/** A tree with one module, no `replace` and no copies has nothing but itself to judge. */
export function canBeAnother(
  modules: GoModules,
  files: readonly { readonly path: string; readonly bytes: Uint8Array }[],
): boolean {
  if (modules.size !== 1) return modules.size > 1;
  const replaces = (bytes: Uint8Array): boolean => /^\s*replace\b/mu.test(new TextDecoder().decode(bytes));
  return files.some(
    ({ path, bytes }) =>
      /(?:^|\/)(?:vendor\/modules\.txt|go\.work)$/u.test(path) ||
      (/(?:^|\/)go\.mod$/u.test(path) && replaces(bytes)),
  );
}

/** Before each folder's part of the list. */
const MARK = '= ';

/** Options that choose which files and modules are compiled. */
const CHOOSES = /^-(?:tags|mod|modfile|overlay)(?:=|$)/u;

/** A shell's words that write the list: packages and tests of each module, with the folder that each comes from. */
export function listingArgv(modules: GoModules, argv: readonly string[], out: string): string[] {
  const options = argv.flatMap((word, index) =>
    argv[0] === 'go' && CHOOSES.test(word)
      ? word.includes('=')
        ? [word]
        : [word, argv[index + 1] ?? '']
      : [],
  );
  const lines = `for folder in ${[...modules.values()].map(quoted).join(' ')}; do
  echo "${MARK}$folder"
  (cd "$folder" && go list -e -deps -test -f '{{.ImportPath}}{{"\\t"}}{{.Dir}}' "$@" ./... 2>/dev/null) || :
done > ${out}/${GO_LISTING}`;
  return ['sh', '-c', lines, 'sh', ...options];
}

/** @param listing null where Go could not say it */
export function goFindings(
  step: string,
  { listing, stdout }: { readonly listing: string | null; readonly stdout: string },
  modules: GoModules,
  paths: ReadonlySet<string>,
): RepositoryFinding[] {
  const tested = testedPackages(stdout);
  const owners = new Set(tested.map((name) => ownerOf(name, modules)));
  // Modules of which nothing was tested, such as examples, may use whatever they like.
  const listed = [...modules].flatMap(([module, folder]) =>
    owners.has(module) ? entriesOf(listing ?? '', folder) : [],
  );
  const dirs = new Map(listed);
  const other = listed.find(([name, dir]) => {
    const own = folderOf(name, modules);
    return own !== null && dir !== '' && dir !== join(CHECKOUT, own);
  });
  if (other !== undefined) return [foreign(step, other[0], other[1])];
  const folders = new Set([...paths].map((path) => path.slice(0, Math.max(0, path.lastIndexOf('/')))));
  const strange = tested.find((name) => {
    const own = folderOf(name, modules);
    return own === null || !folders.has(own === '.' ? '' : own) || !dirs.has(name);
  });
  return strange === undefined ? [] : [foreign(step, strange, dirs.get(strange) ?? '')];
}

/** The part of the list that is of one folder: lines up to the next that names one. */
function entriesOf(listing: string, folder: string): (readonly [string, string])[] {
  const [, after = ''] = `\n${listing}`.split(`\n${MARK}${folder}\n`);
  const [part = ''] = after.split(`\n${MARK}`);
  return part.split('\n').flatMap((line) => entryOf(line));
}

/** `a/b [a/b.test]` and `a/b_test [a/b.test]` are `a/b`, compiled for its test; `a/b.test` has no folder of its own. */
function entryOf(line: string): (readonly [string, string])[] {
  const [name = '', dir = ''] = line.split('\t');
  const plain = name.replace(/ \[.*$/u, '');
  if (plain === '' || plain.endsWith('.test')) return [];
  return [[plain === name ? plain : plain.replace(/_test$/u, ''), dir]];
}

/** Packages of which a test passed; files named one by one have no package of a name. */
function testedPackages(stdout: string): string[] {
  const names = stdout.split('\n').flatMap((line) => {
    if (!line.startsWith('{')) return [];
    try {
      const { Action, Test, Package } = JSON.parse(line) as Record<string, unknown>;
      return Action === 'pass' && typeof Test === 'string' && typeof Package === 'string' ? [Package] : [];
    } catch {
      return [];
    }
  });
  return [...new Set(names)].filter((name) => name !== 'command-line-arguments');
}

/** Folder that a package of the tree has; null for one of another module. */
function folderOf(name: string, modules: GoModules): string | null {
  const owner = ownerOf(name, modules);
  if (owner === undefined) return null;
  return join(modules.get(owner) ?? '.', name.slice(owner.length + 1)).replace(/^\.\//u, '');
}

function ownerOf(name: string, modules: GoModules): string | undefined {
  return [...modules.keys()]
    .filter((module) => name === module || name.startsWith(`${module}/`))
    .toSorted((a, b) => b.length - a.length)[0];
}

function join(folder: string, rest: string): string {
  if (rest === '' || rest === '.') return folder;
  return folder === '.' ? rest : `${folder}/${rest}`;
}

function foreign(step: string, name: string, dir: string): RepositoryFinding {
  const from = dir === '' ? 'another module' : `"${dir.replace(`${CHECKOUT}/`, '')}"`;
  const text = `The tests of "${step}" judged something else than this tree: package "${name}" came from ${from}`;
  return repositoryFinding('foreign_module', 'L1', text, {
    step,
    nextStep:
      'Have go.mod, go.work and vendor take the modules of this repository from their own folders (replace example.org/a => ./a)',
  });
}
