/** The home folder of an embedded server: where it keeps its database and how others find it (design part 11). */
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { NoSuchPlace, isMakeable } from '../system/makeable.ts';
import { startTimeOf } from '../system/processes.ts';

/** What `server.json` says about the server of a home. */
export const ServerRecord = z.strictObject({
  version: z.literal(1),
  /** gRPC port on 127.0.0.1. */
  port: z.int(),
  uiPort: z.int(),
  pid: z.int(),
  /** Start time of the process, so that a reused pid is never taken for it. */
  startTime: z.string(),
  program: z.string(),
  programVersion: z.string(),
});
export type ServerRecord = z.infer<typeof ServerRecord>;

/** `A7_HOME`, default `~/.a7`. @throws NoSuchPlace */
export function homeFolder(env: Readonly<Record<string, string | undefined>>): string {
  const named = env['A7_HOME'];
  const home = named === undefined || named === '' ? join(homedir(), '.a7') : resolve(named);
  if (!isMakeable(home)) throw new NoSuchPlace(home);
  return home;
}

export function databasePath(home: string): string {
  return join(home, 'temporal.db');
}

export function serverLogPath(home: string): string {
  return join(home, 'temporal.log');
}

export function recordPath(home: string): string {
  return join(home, 'server.json');
}

/** The record, or null when there is none or it cannot be read. */
export async function readRecord(home: string): Promise<ServerRecord | null> {
  try {
    return ServerRecord.parse(JSON.parse(await readFile(recordPath(home), 'utf8')));
  } catch {
    return null;
  }
}

/** True while the recorded process, and no other with its pid, lives. */
export async function isRunning(record: ServerRecord): Promise<boolean> {
  return (await startTimeOf(record.pid)) === record.startTime;
}
