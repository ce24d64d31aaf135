/** A file that a person names, or that lies in a session from elsewhere. What never ends or never begins is refused, not waited for. */
import { readFile, realpath, stat } from 'node:fs/promises';
import { noFileFault } from '../../core/text/named-file.ts';

/** Bytes of a regular file, or of a pipe that the shell made. @throws with a reason, or with the system's code. */
export async function readNamedFile(path: string): Promise<Buffer> {
  const info = await stat(path);
  const real = info.isFile() ? await realpath(path) : path;
  const kind = info.isFile() ? 'file' : info.isDirectory() ? 'folder' : 'other';
  const fault = noFileFault(kind, real, path);
  if (fault !== null) throw new Error(fault);
  return readFile(path);
}

/** The same as text. */
export async function readNamedText(path: string): Promise<string> {
  return (await readNamedFile(path)).toString('utf8');
}
