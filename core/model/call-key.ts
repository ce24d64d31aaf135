/**
 * Call keys: application coordinates as segments with `/`, for example `core/price.money/2/7` (design part 4).
 * Neighbour: `call-state.ts` says what the files below a key mean.
 */

const SEGMENT = /^[^\u0000-\u001f\u007f/]{1,120}$/u;
const SEGMENTS_MAX = 12;
const SAFE_BYTE = /[a-z0-9_.-]/;

/** Segments of a key or scope. @throws {RangeError} for an empty, too long or unprintable segment. */
export function keySegments(key: string): readonly string[] {
  const segments = key.split('/');
  if (segments.length > SEGMENTS_MAX || !segments.every((segment) => SEGMENT.test(segment))) {
    throw new RangeError(
      `Cannot use call key "${key}": must be 1 to ${String(SEGMENTS_MAX)} segments of 1 to 120 printable characters with "/" between`,
    );
  }
  return segments;
}

/**
 * Folder names for a key, one a segment, unique also where the file system ignores case: every byte but a-z, 0-9,
 * `_`, `-` and a dot inside becomes `%xx`.
 */
export function keyFolders(key: string): readonly string[] {
  return keySegments(key).map(safeFolder);
}

/** Whether `key` lies under `scope`, segment by segment. A key lies under itself. */
export function isInScope(key: string, scope: string): boolean {
  return key === scope || key.startsWith(`${scope}/`);
}

function safeFolder(segment: string): string {
  return utf8Bytes(segment).map(safeByte).join('');
}

function safeByte(byte: number, index: number): string {
  const char = String.fromCharCode(byte);
  const isSafe = SAFE_BYTE.test(char) && !(char === '.' && index === 0);
  return isSafe ? char : `%${byte.toString(16).padStart(2, '0')}`;
}

function utf8Bytes(text: string): number[] {
  const encoded = encodeURIComponent(text).matchAll(/%([0-9A-F]{2})|(.)/g);
  return [...encoded].map(([, hex, char]) =>
    hex === undefined ? (char ?? '').charCodeAt(0) : Number.parseInt(hex, 16),
  );
}
