/** The files of a repository that say how it is tested, read for `gate init`. */
import { readToml } from '../../../adapters/system/toml.ts';
import { detectProfile, languagesOf } from '../../../core/repository/detect-profile.ts';
import {
  GO_FILE,
  RUST_FILE,
  understandProject,
  type UnderstoodLanguage,
  type UnderstoodProject,
} from '../../../core/repository/understand/understood.ts';
import type { Listing } from '../../../core/ports/user-repository.ts';
import { TestManifest } from '../../../schemas/package-files.ts';
import type { ProfileName } from '../../../schemas/verify-profile.ts';

const FILE_BYTES_MAX = 1024 * 1024;
const READ =
  /^(?:pyproject\.toml|setup\.(?:cfg|py)|tox\.ini|pytest\.ini|noxfile\.py|PKG-INFO|package\.json|[^/]*requirements[^/]*\.(?:txt|in)|(?:requirements|tests?)\/[^/]+\.(?:txt|in))$/u;

/** What lies there belongs to somebody else, or is read by tests. */
const NOT_OWN = /(?:^|\/)(?:vendor|testdata|node_modules|target)\//u;

/** Files at the top that make a repository one of a language, before anything that merely lies in it. */
const ROOT_SIGNS: readonly (readonly [RegExp, UnderstoodLanguage])[] = [
  [/^(?:pyproject\.toml|setup\.py|setup\.cfg)$/u, 'python'],
  [/^package\.json$/u, 'node'],
  [/^go\.mod$/u, 'go'],
  [/^Cargo\.toml$/u, 'rust'],
];

/** The language that the top of the tree shows, else one that any file shows; null where none does. */
export function chosenProfile(paths: readonly string[]): ProfileName | null {
  const shown = ROOT_SIGNS.flatMap(([sign, name]) => (paths.some((path) => sign.test(path)) ? [name] : []));
  if (shown.length === 0) return detectProfile(paths);
  const [first = null] = shown;
  return shown.length === 1 ? first : 'polyglot';
}

/** What these files say. */
export async function projectOf(
  listing: Listing,
  profile: ProfileName,
  paths: readonly string[],
): Promise<UnderstoodProject> {
  const texts = new Map<string, string>();
  for (const entry of listing.entries) {
    const isLocked = (GO_FILE.test(entry.path) || RUST_FILE.test(entry.path)) && !NOT_OWN.test(entry.path);
    if (!(READ.test(entry.path) || isLocked) || entry.kind === 'symlink') continue;
    if (entry.path.endsWith('.rs')) texts.set(entry.path, '');
    const bytes = texts.has(entry.path) ? null : await listing.read(entry, FILE_BYTES_MAX);
    if (bytes !== null) texts.set(entry.path, Buffer.from(bytes).toString('utf8'));
  }
  const text = (path: string): string | null => texts.get(path) ?? null;
  const locked = (isWanted: (path: string) => boolean): ReadonlyMap<string, string> =>
    new Map([...texts].filter(([path]) => isWanted(path)));
  const manifest = text('package.json');
  return understandProject(
    languagesOf(profile, paths),
    { text, toml: (path) => readToml(text(path) ?? ''), paths, locked },
    manifest === null ? null : TestManifest.parse(jsonOf(manifest)),
  );
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
