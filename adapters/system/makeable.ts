/** Whether a folder can be made at a path at all: asked before, because where it cannot some ways of making one never return. */
import { existsSync, lstatSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';

/** Linux's /proc says of a folder that is there that it is missing, and Node's recursive `mkdir` believes it for ever. */
const PROC = 0x9fa0;

/** False below /proc and behind a link that leads nowhere. Looks only; a missing right is found by who makes the folder. */
export function isMakeable(path: string): boolean {
  if (existsSync(path)) return true;
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) return false;
  const parent = dirname(path);
  return existsSync(parent) ? statfsSync(parent).type !== PROC : isMakeable(parent);
}

/** A folder of the machine that is named in its settings cannot be had. */
export class NoSuchPlace extends Error {
  readonly code = 'NO_SUCH_PLACE';
  readonly path: string;
  constructor(path: string) {
    super(`No folder can be made at "${path}"`);
    this.path = path;
  }
}
