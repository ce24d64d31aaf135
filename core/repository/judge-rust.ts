/**
 * Whether the tests of Rust judged the tree (gate.md part 12: what ran decides). Cargo itself says from where it takes the crates
 * of a package: one that is named like a package of the tree must be that package, in its own folder.
 * Example: the tree is `shop`, and its tests use `old = { package = "shop", version = "1" }`, the released one: INVALID.
 * Crates of the registry may need a release of the tree's own, as crates for benchmarks often do: no test calls that by its name.
 * So may the package itself, which hands on the types of its former release: that is what its library does, and tests call the library.
 */
import type { RepositoryFinding } from '../../schemas/repository-report.ts';
import { CargoMetadata } from '../../schemas/package-files.ts';
import { repositoryFinding } from './finding.ts';
import { CHECKOUT } from './python-path.ts';

/** Where the room notes what cargo takes from where. */
export const CARGO_LISTING = 'cargo-metadata.jsonl';

/** Folder of each package of the tree, `.` for the top, by its name. */
export type RustPackages = ReadonlyMap<string, string>;

const MANIFEST = /(?:^|\/)Cargo\.toml$/u;
/** Folders that are asked for, where a command does not tell which of them it tests. */
const FOLDERS_MAX = 30;

/** A tree with one manifest and no packages laid in has nothing but itself to judge. */
export function canBeAnotherCrate(
  packages: RustPackages,
  files: readonly { readonly path: string }[],
  hasPackages: boolean,
): boolean {
  if (packages.size === 0) return false;
  return hasPackages || files.filter(({ path }) => MANIFEST.test(path)).length > 1;
}

/** Options that choose which crates are taken. */
const CHOOSES = /^(?:--features|-F|--manifest-path)(?:=|$)|^--(?:all-features|no-default-features)$/u;

/** A shell's words that write the list, a line a workspace; what a package declares stands in where not all crates are there. */
export function cargoArgv(packages: RustPackages, argv: readonly string[], out: string): string[] {
  const isPlain = argv[0] === 'cargo';
  const options = !isPlain
    ? []
    : argv.flatMap((word, index) => {
        if (!CHOOSES.test(word)) return [];
        const isWhole = word.includes('=') || /^--(?:all|no-)/u.test(word);
        return isWhole ? [word] : [word, argv[index + 1] ?? ''];
      });
  const folders = isPlain ? ['.'] : [...packages.values()].slice(0, FOLDERS_MAX);
  const ask = 'cargo metadata --offline --format-version 1';
  const lines = `for folder in ${folders.map(quoted).join(' ')}; do
  (cd "$folder" && { ${ask} "$@" || ${ask} --no-deps "$@"; } 2>/dev/null) || :
done > ${out}/${CARGO_LISTING}`;
  return ['sh', '-c', lines, 'sh', ...options];
}

/** @param listing null where cargo could not say it. @param tests words of the tree's tests, of Rust */
export function cargoFindings(
  step: { readonly name: string; readonly argv: readonly string[] },
  listing: string | null,
  packages: RustPackages,
  tests: ReadonlySet<string>,
): RepositoryFinding[] {
  const all = (listing ?? '').split('\n').flatMap((line) => metadataOf(line));
  if (all.length === 0) return [unsaid(step.name)];
  const isWhole = step.argv[0] !== 'cargo' || step.argv.some((word) => ALL_MEMBERS.test(word));
  const own = new Map([...packages].map(([name, folder]) => [crateName(name), folder]));
  const strange = all
    .flatMap((each) => takenBy(each, isWhole))
    .find(
      (taken) =>
        taken.names.some((name) => own.has(crateName(name)) && own.get(crateName(name)) !== taken.folder) &&
        !isOwnRelease(taken, tests),
    );
  return strange === undefined ? [] : [foreign(step.name, strange)];
}

/** A release of the package itself that its library needs, and no test names. */
function isOwnRelease({ by, names, isRelease }: Taken, tests: ReadonlySet<string>): boolean {
  const [name, called] = names;
  return isRelease && name === by && !tests.has(crateName(called));
}

/** Words of all Rust outside of a library's folder, and of the examples in its comments, which cargo runs as tests. */
export function rustTestWords(
  files: readonly { readonly path: string; readonly bytes: Uint8Array }[],
): ReadonlySet<string> {
  const texts = files.flatMap(({ path, bytes }) => {
    if (!path.endsWith('.rs') && !path.endsWith('.md')) return [];
    const text = new TextDecoder().decode(bytes);
    return /(?:^|\/)src\//u.test(path) && path.endsWith('.rs')
      ? (text.match(/^\s*\/\/[/!].*$/gmu) ?? [])
      : [text];
  });
  return new Set(texts.flatMap((text) => text.match(/\w+/gu) ?? []));
}

/** Words by which cargo tests other packages than those that it would test by itself. */
const ALL_MEMBERS = /^(?:--workspace|--all|-p.*|--(?:package|manifest-path)(?:=.*)?)$/u;

/** A crate that a tested package uses. */
interface Taken {
  readonly by: string;
  /** Its own, and the one by which that package calls it. */
  readonly names: readonly [string, string];
  /** Of the checkout; null for any other place. */
  readonly folder: string | null;
  readonly from: string;
  /** Of a registry, and needed by more than tests. */
  readonly isRelease: boolean;
}

/** What tested packages of the workspace use beside each other. */
function takenBy(metadata: CargoMetadata, isWhole: boolean): Taken[] {
  const members = new Set(metadata.workspace_members);
  const tested = new Set(isWhole ? members : (metadata.workspace_default_members ?? members));
  const byId = new Map(metadata.packages.map((each) => [each.id, each]));
  if (metadata.resolve === null)
    return metadata.packages.filter(({ id }) => tested.has(id)).flatMap((each) => declaredBy(each, metadata));
  return metadata.resolve.nodes
    .filter(({ id }) => tested.has(id))
    .flatMap(({ id, deps }) =>
      deps.flatMap(({ name, pkg, dep_kinds: kinds }): Taken[] => {
        const found = byId.get(pkg);
        const isForTests = kinds.some(({ kind }) => kind !== 'build');
        if (members.has(pkg) || found === undefined || !isForTests) return [];
        const place = found.manifest_path.replace(/\/Cargo\.toml$/u, '');
        const folder = found.source === null ? folderOf(place) : null;
        const from = found.source ?? place;
        const isRelease = found.source !== null && kinds.every(({ kind }) => kind !== 'dev');
        return [{ by: byId.get(id)?.name ?? id, names: [found.name, name], folder, from, isRelease }];
      }),
    );
}

/** Without a look at where it comes from: a member goes by its folder, all else by what its manifest says. */
function declaredBy(each: CargoMetadata['packages'][number], { packages }: CargoMetadata): Taken[] {
  const places = new Set(packages.map((own) => own.manifest_path));
  return each.dependencies.flatMap(({ name, rename, source, path, kind }): Taken[] => {
    if (kind === 'build' || places.has(`${path ?? ''}/Cargo.toml`)) return [];
    const folder = path === undefined ? null : folderOf(path);
    const isRelease = source !== null && path === undefined && kind !== 'dev';
    return [{ by: each.name, names: [name, rename ?? name], folder, from: path ?? source ?? '', isRelease }];
  });
}

/** As code spells it. */
function crateName(name: string): string {
  return name.replaceAll('-', '_');
}

/** Below the checkout, `.` for itself; null elsewhere. */
function folderOf(path: string): string | null {
  if (path === CHECKOUT) return '.';
  return path.startsWith(`${CHECKOUT}/`) ? path.slice(CHECKOUT.length + 1) : null;
}

function metadataOf(line: string): CargoMetadata[] {
  if (!line.startsWith('{')) return [];
  try {
    const read = CargoMetadata.safeParse(JSON.parse(line));
    return read.success ? [read.data] : [];
  } catch {
    return [];
  }
}

function foreign(step: string, { by, names, folder, from }: Taken): RepositoryFinding {
  const place =
    folder === null ? `"${from.replace(/^(?:registry|sparse)\+.*/u, 'the registry')}"` : `"${folder}"`;
  const [name, called] = names;
  const as = crateName(called) === crateName(name) ? '' : ` (as "${called}")`;
  const text = `The tests of "${step}" can call something else than this tree: package "${by}" takes "${name}"${as} from ${place}, and a package of this repository is called so`;
  return repositoryFinding('foreign_module', 'L1', text, {
    step,
    nextStep: `Take "${name}" out of the dependencies of "${by}", or name the folder of this repository for it: { path = "…" }`,
  });
}

function unsaid(step: string): RepositoryFinding {
  const text = `Cargo did not say from where the tests of "${step}" take their crates ("cargo metadata" failed)`;
  return repositoryFinding('tree_not_judged', 'L1', text, {
    step,
    nextStep: 'Run "cargo metadata --offline" in a checkout, and mend what it names',
  });
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
