/** Driver `native`: our own loop, in the room like any other agent; its program is laid below the room's home. */
import { ROOM, type RoomDriver } from '../../core/ports/agent-driver.ts';
import { readEnd } from './read-end.ts';

const MIB = 1024 * 1024;
const FOLDER = '.a7-agent';

/** @param files text of `sandbox/agent`, by name. */
export function nativeDriver(files: Readonly<Record<string, string>>): RoomDriver {
  return {
    kind: 'room',
    name: 'native',
    protocol: 'chat',
    memoryBytes: 1024 * MIB,
    line: ({ prompt, turnsMax }) => ({
      argv: ['node', `${ROOM.home}/${FOLDER}/native.mjs`, String(turnsMax)],
      env: {},
      stdin: prompt,
      files: Object.entries(files).map(([name, text]) => ({ path: `${FOLDER}/${name}`, text })),
    }),
    read: readEnd,
  };
}
