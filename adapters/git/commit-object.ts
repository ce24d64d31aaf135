/** The commit object: the same request gives the same bytes, hence the same id. */
import type { CommitRequest } from '../../core/ports/git.ts';
import { IDENTITY } from './git-process.ts';
import { type PackedObject, assertOid, makeObject } from './loose-objects.ts';

/** Builds the commit. @throws {RangeError} for a trailer that could forge another, or an empty message. */
export function makeCommit(request: CommitRequest): PackedObject {
  // git knows no date before 1970: what a clock says that stands there would be no commit that `git fsck` accepts.
  const stamp = `${IDENTITY.name} <${IDENTITY.email}> ${Math.max(0, Math.trunc(request.dateSeconds))} +0000`;
  const message = cleanMessage(request.message);
  const trailers = request.trailers.map(([name, value]) => trailerLine(name, value));
  const text = [
    `tree ${assertOid(request.tree)}`,
    ...(request.expectedHead === null ? [] : [`parent ${assertOid(request.expectedHead)}`]),
    `author ${stamp}`,
    `committer ${stamp}`,
    '',
    [message, ...(trailers.length === 0 ? [] : [trailers.join('\n')])].join('\n\n'),
  ].join('\n');
  return makeObject('commit', Buffer.from(`${text}\n`));
}

/** Lines without control characters; git would take NUL for the end of the message. */
function cleanMessage(message: string): string {
  const lines = message.split(/\r\n|\n|\r/).map((line) => line.replace(/\p{Cc}/gu, ' ').trimEnd());
  const text = lines.join('\n').trim();
  if (text === '') throw new RangeError('Cannot commit: the message must not be empty');
  return text;
}

function trailerLine(name: string, value: string): string {
  if (!/^[A-Za-z][A-Za-z0-9-]*$/.test(name) || /\p{Cc}/u.test(value) || value.trim() === '') {
    throw new RangeError(`Cannot commit: trailer "${name}" must be one line of a word, ":" and a value`);
  }
  return `${name}: ${value.trim()}`;
}
