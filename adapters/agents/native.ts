/** Driver `native`: our own loop, in the room like any other agent; its program is laid below the room's home. */
import { ROOM, type RoomDriver } from '../../core/ports/agent-driver.ts';
import { AgentEnd } from '../../schemas/order.ts';
import { jsonLines, tailOf, textOf } from './read-lines.ts';

const MIB = 1024 * 1024;
const FOLDER = '.a7-agent';
const KINDS = new Set(['ok', 'refused', 'model_error', 'limit']);

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
    read: ({ exitCode, stdout, stderr }) => {
      const last = jsonLines(stdout).findLast((line) => line['type'] === 'end');
      if (last === undefined)
        return { end: { kind: 'crashed', exitCode, detail: tailOf(stderr, stdout) }, notes: null };
      const said = textOf(last['kind']);
      const end = AgentEnd.parse({
        kind: KINDS.has(said) ? said : 'crashed',
        exitCode,
        detail: textOf(last['detail']).slice(0, 1000),
      });
      return { end, notes: textOf(last['notes']) || null };
    },
  };
}
