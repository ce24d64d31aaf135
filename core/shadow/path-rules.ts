/**
 * Which paths may enter a tree (gate.md part 8). `git mktree` accepts `.git`, `..`, empty names and duplicates, so names
 * are checked here, before any object is written.
 *
 *  P1. Relative, `/` between names, no empty name, no `.` or `..`.
 *  P2. Well-formed Unicode in NFC, no control or invisible format characters (HFS+ ignores those when it compares).
 *  P3. No name that some file system takes for `.git`.
 *  P4. Within the limits of bytes and depth.
 *  P5. Unique in its folder after NFC and case folding.
 */
import { foldPath } from '../globs.ts';
import { NAME_MAX_BYTES, PATH_MAX_BYTES, PATH_MAX_DEPTH } from './limits.ts';

export type PathReason =
  | 'empty'
  | 'absolute'
  | 'dot_segment'
  | 'not_unicode'
  | 'not_nfc'
  | 'control_character'
  | 'reserved_character'
  | 'git_name'
  | 'edge_character'
  | 'too_long'
  | 'too_deep';

export interface PathRefusal {
  readonly reason: PathReason;
  /** The rule as half a sentence, for example `must be relative`. */
  readonly rule: string;
}

/** Why `path` may not be written, or null. Rules P1 to P4. */
export function checkPath(path: string): PathRefusal | null {
  if (path === '') return refuse('empty', 'must not be empty');
  if (path.startsWith('/'))
    return refuse('absolute', 'must be relative to the project, without a leading "/"');
  if (utf8Length(path) > PATH_MAX_BYTES)
    return refuse('too_long', `must have at most ${String(PATH_MAX_BYTES)} bytes`);
  const names = path.split('/');
  if (names.length > PATH_MAX_DEPTH)
    return refuse('too_deep', `must have at most ${String(PATH_MAX_DEPTH)} parts`);
  for (const name of names) {
    const refusal = checkName(name);
    if (refusal !== null) return refusal;
  }
  return null;
}

/** Why one file or folder name may not be written, or null. */
export function checkName(name: string): PathRefusal | null {
  if (name === '') return refuse('empty', 'must not have an empty part ("//" or a trailing "/")');
  if (name === '.' || name === '..') return refuse('dot_segment', 'must not contain "." or ".." as a part');
  if (!isWellFormed(name)) return refuse('not_unicode', 'must be well-formed Unicode');
  if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(name)) {
    return refuse('control_character', 'must not contain control or invisible characters');
  }
  if (name.normalize('NFC') !== name) return refuse('not_nfc', 'must be in Unicode form NFC');
  if (/[\\:*?"<>|]/.test(name))
    return refuse('reserved_character', 'must not contain any of \\ : * ? " < > |');
  if (/^\s|[\s.]$/u.test(name))
    return refuse('edge_character', 'parts must not begin with a space or end with a space or dot');
  if (isGitName(name))
    return refuse('git_name', 'must not contain ".git" or a name that a file system takes for it');
  if (utf8Length(name) > NAME_MAX_BYTES)
    return refuse('too_long', `parts must have at most ${String(NAME_MAX_BYTES)} bytes`);
  return null;
}

/** Key under which two names of one folder are the same file on some file system (P5). Lower case first: `ẞ` and `ß`. */
export function foldName(name: string): string {
  return foldPath(name.toLowerCase()).toLowerCase();
}

/** Two paths, or folders of paths, that are one on some file system, or null (P5). */
export function findCollision(paths: readonly string[]): readonly [string, string] | null {
  const seen = new Map<string, string>();
  for (const path of paths) {
    for (let end = path.indexOf('/'); ; end = path.indexOf('/', end + 1)) {
      const part = end < 0 ? path : path.slice(0, end);
      const key = foldName(part);
      const other = seen.get(key);
      if (other === undefined) seen.set(key, part);
      else if (other !== part) return [other, part];
      if (end < 0) break;
    }
  }
  return null;
}

/** Whether a string has no lone surrogate, so that it survives UTF-8. */
export function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}

/** Bytes of a well-formed string in UTF-8. */
export function utf8Length(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}

/** `.git` and `git~1` in any case, also with what HFS+ ignores or NTFS strips or takes for a stream (git's own `verify_path`). */
export function isGitName(name: string): boolean {
  const bare = foldName(name.replace(/\p{Cf}/gu, '')).replace(/[\s.]+$/u, '');
  return bare === '.git' || /^git~\d+$/.test(bare) || bare.startsWith('.git:');
}

function refuse(reason: PathReason, rule: string): PathRefusal {
  return { reason, rule };
}
