/** Long-lived git processes of ours: an idle one must not keep the program from ending; a busy one must. */
import type { ChildProcessByStdio } from 'node:child_process';
import { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';

/** A git process that reads requests and answers each. */
export type GitServer = ChildProcessByStdio<Writable, Readable, null>;

export function holdLoop(child: GitServer, hold: boolean): void {
  for (const stream of [child.stdin, child.stdout]) {
    if (!(stream instanceof Socket)) continue;
    if (hold) stream.ref();
    else stream.unref();
  }
}

/** Has it end by itself, and waits for that. */
export async function endServer(child: GitServer): Promise<void> {
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  child.ref();
  holdLoop(child, true);
  child.stdin.end();
  await ended;
}
