/** Where a wheel's entries go, and which never do: code that runs by itself, and what stands in for the runner (gate.md part 1). */

export type WheelPlace =
  | { readonly kind: 'lay'; readonly path: string }
  /** Left out and told. */
  | { readonly kind: 'leave'; readonly why: string }
  /** The whole package is refused. */
  | { readonly kind: 'refuse'; readonly why: string };

const RUNS_BY_ITSELF = /^(?:[^/]+\.pth|(?:sitecustomize|usercustomize)(?:\.py|\/.*)?)$/i;
const RUNNER = /^(?:pytest|_pytest|pluggy|py\.py|py)(?:\.py$|\/|$)/i;
const DATA_FOLDER = /^[^/]+\.data\/([^/]+)\/(.+)$/;

/**
 * Place of one entry below the folder of Python's packages. `mode` is its Unix mode, 0 if unknown; `hasRunner`: the plan
 * names a test runner of its own.
 */
export function wheelPlace(path: string, mode: number, hasRunner = false): WheelPlace {
  if (!isPlainPath(path)) return { kind: 'refuse', why: `it has the path "${path.slice(0, 200)}"` };
  const type = mode & 0o170000;
  if (type !== 0 && type !== 0o100000) return { kind: 'refuse', why: `"${path}" must be a regular file` };
  const data = DATA_FOLDER.exec(path);
  const [, kind = '', rest = ''] = data ?? [];
  // Modules look for the program of their own wheel there; no shell does.
  if (kind === 'scripts' && isPlainPath(rest)) return { kind: 'lay', path: `bin/${rest}` };
  if (data !== null && kind !== 'purelib' && kind !== 'platlib')
    return { kind: 'leave', why: `"${path}" is no module` };
  const place = data === null ? path : rest;
  if (RUNS_BY_ITSELF.test(place))
    return { kind: 'leave', why: `"${place}" would run at every start of Python` };
  if (!hasRunner && RUNNER.test(place))
    return { kind: 'refuse', why: `"${place}" would stand in for the pinned test runner` };
  return { kind: 'lay', path: place };
}

/** Relative, with `/`, without `.`, `..`, empty parts, control characters or backslashes, and not endless. */
export function isPlainPath(path: string): boolean {
  if (path.length === 0 || path.length > 1_000) return false;
  if (!Array.from(path).every(isPlainCharacter)) return false;
  return path.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}

function isPlainCharacter(character: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  return code > 0x1f && code !== 0x7f && character !== '\\' && character !== '\ufffd';
}
