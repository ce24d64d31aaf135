/** Loose git objects written in process: three times faster than a git process, and durable (gate.md part 8). */
import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { writeAllDurably } from '../system/files.ts';

export type ObjectType = 'blob' | 'tree' | 'commit';

/** An object ready to be written: its id is known without any I/O. */
export interface PackedObject {
  readonly oid: string;
  readonly type: ObjectType;
  readonly body: Buffer;
}

const OID = /^[0-9a-f]{40}$/;

/** Names an object by its content, as git does. */
export function makeObject(type: ObjectType, content: Uint8Array): PackedObject {
  const body = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  return { oid: createHash('sha1').update(header(type, body)).update(body).digest('hex'), type, body };
}

/** Writes objects that are not there yet, all at once: parallel fsyncs share one journal commit. */
export async function writeLoose(gitDir: string, objects: readonly PackedObject[]): Promise<void> {
  const missing = objects.filter((object) => !existsSync(loosePath(gitDir, object.oid)));
  await writeAllDurably(
    missing.map(({ oid, type, body }) => {
      const path = loosePath(gitDir, oid);
      const bytes = deflateSync(Buffer.concat([header(type, body), body]), { level: 1 });
      return { path, bytes, mode: 0o444, tempPath: tempPath(path) };
    }),
  );
}

/** Whether an object lies in the repository as a loose file. */
export function hasLoose(gitDir: string, oid: string): boolean {
  return existsSync(loosePath(gitDir, oid));
}

/** Checks an id before it goes to git or into a path. @throws {RangeError} for anything but 40 hex digits. */
export function assertOid(oid: string): string {
  if (!OID.test(oid)) throw new RangeError(`Cannot use "${oid}" as an object id: must be 40 hex digits`);
  return oid;
}

function loosePath(gitDir: string, oid: string): string {
  assertOid(oid);
  return join(gitDir, 'objects', oid.slice(0, 2), oid.slice(2));
}

/** git removes files of such a name when they are old, and does not call them damage. */
function tempPath(path: string): string {
  return join(dirname(path), `tmp_obj_${randomBytes(8).toString('hex')}`);
}

function header(type: ObjectType, body: Buffer): Buffer {
  return Buffer.from(`${type} ${body.length}\0`);
}
