/**
 * A server of this home that no record tells of. It lives on and holds the home's lock when `server.json` is deleted, or the whole
 * home with it. By the home's words alone no server could then be reached or started until the machine is.
 */
import { existsSync } from 'node:fs';
import { listOwnProcesses, startTimeOf } from '../system/processes.ts';
import { type ServerRecord, databasePath } from './home.ts';

export interface Stray {
  readonly record: ServerRecord;
  /** Its database is there; else what it writes is lost with it. */
  readonly hasDatabase: boolean;
}

/** The server that was started with this home's database, found by its arguments, which hold all that a record does. */
export async function findStray(
  home: string,
  known: { readonly program: string; readonly programVersion: string } | null = null,
): Promise<Stray | null> {
  const database = databasePath(home);
  for (const { pid, args } of await listOwnProcesses()) {
    const [program = '', ...words] = args;
    const valueOf = (flag: string): string | undefined => words[words.indexOf(flag) + 1];
    if (!words.includes('start-dev') || valueOf('--db-filename') !== database) continue;
    const [port, uiPort] = [Number(valueOf('--port')), Number(valueOf('--ui-port'))];
    const startTime = await startTimeOf(pid);
    if (startTime === null || !Number.isInteger(port) || !Number.isInteger(uiPort)) continue;
    const programVersion = program === known?.program ? known.programVersion : 'unknown';
    const record = { version: 1 as const, port, uiPort, pid, startTime, program, programVersion };
    return { record, hasDatabase: existsSync(database) };
  }
  return null;
}
