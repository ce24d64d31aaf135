/** Files that a person names on the command line: what never ends or never begins is refused. */
import { readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { readFault } from '../core/text/error-text.ts';
import { noFileFault } from '../core/text/named-file.ts';

/** @throws with a reason, or with the system's code. */
export function readNamed(path: string): Buffer {
  const fault = faultOf(path);
  if (fault !== null) throw new Error(fault);
  return readFileSync(path);
}

/** Why `text` could not be written, or null. A pipe that nobody reads would hold the command for ever. */
export function writeNamed(path: string, text: string): string | null {
  try {
    const isPipe = statSync(path, { throwIfNoEntry: false })?.isFIFO() === true;
    const fault = isPipe ? faultOf(path) : null;
    if (fault === null) writeFileSync(path, text);
    return fault;
  } catch (error) {
    return readFault(error);
  }
}

function faultOf(path: string): string | null {
  const info = statSync(path);
  const kind = info.isFile() ? 'file' : info.isDirectory() ? 'folder' : 'other';
  return noFileFault(kind, info.isFile() ? realpathSync(path) : path, path);
}
