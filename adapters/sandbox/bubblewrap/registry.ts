/** Rooms on record: one small file each, so that a later process can end what a dead one left (port `reap`). */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { isAlive, processIdentity } from '../shared/process-identity.ts';
import { removeCgroup } from './cgroup.ts';

/** `owner` and `room` are process identities; `room` is null until its process runs. */
export const RoomRecord = z.strictObject({
  name: z.string(),
  owner: z.string(),
  room: z.string().nullable(),
  cgroupFolders: z.array(z.string()),
  /** A host folder with laid files, removed with the room. */
  folder: z.string().nullable(),
});
export type RoomRecord = z.infer<typeof RoomRecord>;

/** Records below one folder, one JSON file a room; names of files are unique, names of rooms are shared by attempts. */
export class RoomRegistry {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  write(file: string, record: RoomRecord): void {
    writeFileSync(join(this.#folder, file), JSON.stringify(record), { mode: 0o600 });
  }

  remove(file: string): void {
    rmSync(join(this.#folder, file), { force: true });
  }

  /** Ends rooms of that name, whoever started them. */
  async removeNamed(name: string): Promise<void> {
    const files = readdirSync(this.#folder).filter((file) => file.startsWith(`${name}-`));
    for (const file of files) await this.#end(file);
  }

  /** Ends rooms whose owner is gone; returns how many. */
  async reap(): Promise<number> {
    let count = 0;
    for (const file of readdirSync(this.#folder)) {
      const record = this.#read(file);
      if (record !== null && isAlive(record.owner)) continue;
      await this.#end(file);
      count += 1;
    }
    return count;
  }

  async #end(file: string): Promise<void> {
    const record = this.#read(file);
    const pid = Number(record?.room?.split(':')[1] ?? 0);
    if (record !== null && record.room !== null && pid > 0 && processIdentity(pid) === record.room)
      process.kill(pid, 'SIGKILL');
    if (record !== null) {
      await removeCgroup(record.cgroupFolders);
      if (record.folder !== null) rmSync(record.folder, { recursive: true, force: true });
    }
    this.remove(file);
  }

  #read(file: string): RoomRecord | null {
    try {
      return RoomRecord.parse(JSON.parse(readFileSync(join(this.#folder, file), 'utf8')));
    } catch {
      return null;
    }
  }
}
