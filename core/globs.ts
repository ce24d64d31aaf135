/**
 * Globs over tree paths, used by contracts, file tools and gate plans. Two wildcards, no more:
 *
 * G1. `*` is any run of characters within one segment, the empty run included: `auth/*.py`.
 * G2. `**` is a whole segment and any number of segments, none included: `auth/**` + `/x.py` is `auth/x.py` too.
 *     At the end it is at least one, so that `auth/**` is every file below `auth` and never `auth` itself.
 * G3. All else is literal, a leading dot too. Matching respects case; overlap does not (G4).
 * G4. Two globs overlap if one path could match both on a file system that folds case or Unicode forms.
 *
 * Both questions take time in proportion to the product of the lengths: no regular expression, so no glob is slow.
 */

export const GLOB_LENGTH_MAX = 500;

/** Why a glob is refused, or null. The text completes "Cannot use glob ...: ". */
export function checkGlob(glob: string): string | null {
  if (glob === '') return 'it must not be empty';
  if (glob.length > GLOB_LENGTH_MAX) {
    return `it must be at most ${GLOB_LENGTH_MAX} characters, current length is ${glob.length}`;
  }
  if (glob.startsWith('/') || /^[a-zA-Z]:/.test(glob)) return 'it must be relative to the project';
  if (glob.includes('\\')) return 'folders are separated by "/"';
  if (hasControlCharacter(glob)) return 'it must not contain control characters';
  const special = /[{}?[\]]|^!/.exec(glob);
  if (special)
    return `only "*" and "**" are wildcards, "${special[0]}" is not supported; write one glob a line`;
  for (const segment of glob.split('/')) {
    if (segment === '') return 'it must not contain an empty folder name or end with "/"';
    if (segment === '.' || segment === '..') return `it must not contain "${segment}"`;
    if (segment !== '**' && segment.includes('**')) return '"**" must stand alone between two "/"';
  }
  return null;
}

/** True if the path, relative and with `/`, matches the glob. Case counts. */
export function matchesGlob(glob: string, path: string): boolean {
  return matches(segmentsOf(glob), path.split('/'), '**', matchesSegment);
}

/** True if at least one of the globs matches. */
export function matchesAnyGlob(globs: readonly string[], path: string): boolean {
  return globs.some((glob) => matchesGlob(glob, path));
}

/** True if some path could match both globs, after Unicode NFC and case folding. */
export function globsOverlap(a: string, b: string): boolean {
  return overlap(segmentsOf(foldPath(a)), segmentsOf(foldPath(b)), '**', segmentsOverlap);
}

/** One form for all spellings that a case-folding or normalising file system takes for the same name. */
export function foldPath(path: string): string {
  return path.normalize('NFC').toLowerCase().toUpperCase().normalize('NFC');
}

/** Literal path if the glob has no wildcard, else null. */
export function literalPath(glob: string): string | null {
  return glob.includes('*') ? null : glob;
}

function hasControlCharacter(text: string): boolean {
  return [...text].some((character) => character < ' ' || character === '\u007f');
}

/** Segments, with the last `**` spelt out as "any folders, then a name" (G2). */
function segmentsOf(glob: string): string[] {
  const segments = glob.split('/');
  return segments.at(-1) === '**' ? [...segments, '*'] : segments;
}

function matchesSegment(pattern: string, segment: string): boolean {
  return matches([...pattern], [...segment], '*', (a, b) => a === b);
}

function segmentsOverlap(a: string, b: string): boolean {
  return overlap([...a], [...b], '*', (x, y) => x === y);
}

/** Table, last row first: `row[j]` says whether the pattern from i on matches the text from j on. */
function matches(
  pattern: readonly string[],
  text: readonly string[],
  many: string,
  same: (item: string, value: string) => boolean,
): boolean {
  let below = [...text.map(() => false), true];
  for (const item of pattern.toReversed()) {
    const row = [...text.map(() => false), item === many && below[text.length] === true];
    for (let j = text.length - 1; j >= 0; j -= 1) {
      const swallows = below[j] === true || row[j + 1] === true;
      row[j] = item === many ? swallows : below[j + 1] === true && same(item, text[j] ?? '');
    }
    below = row;
  }
  return below[0] === true;
}

/** Table over two patterns: `row[j]` says whether some text matches both `a` from i on and `b` from j on. */
function overlap(
  a: readonly string[],
  b: readonly string[],
  many: string,
  meet: (x: string, y: string) => boolean,
): boolean {
  let below: boolean[] = [];
  for (let i = a.length; i >= 0; i -= 1) {
    const row: boolean[] = [];
    for (let j = b.length; j >= 0; j -= 1) {
      const [x, y] = [a[i], b[j]];
      if (x === undefined && y === undefined) row[j] = true;
      // A wildcard takes nothing, or it takes one more item of the other side.
      else if (x === many || y === many) row[j] = below[j] === true || row[j + 1] === true;
      else row[j] = x !== undefined && y !== undefined && below[j + 1] === true && meet(x, y);
    }
    below = row;
  }
  return below[0] === true;
}
