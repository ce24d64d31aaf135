/** The end of an agent whose program in the room is ours (`sandbox/agent`): its last line of type `end`. */
import type { DriverRun, RoomDriver } from '../../core/ports/agent-driver.ts';
import { AgentEnd } from '../../schemas/order.ts';
import { jsonLines, tailOf, textOf } from './read-lines.ts';

const KINDS = new Set(['ok', 'refused', 'model_error', 'limit']);
const DETAIL_MAX_CHARACTERS = 1000;

/** A program that told no end has crashed, and so has one whose end has a name that nobody knows. */
export function readEnd({ exitCode, stdout, stderr }: DriverRun): ReturnType<RoomDriver['read']> {
  const last = jsonLines(stdout).findLast((line) => line['type'] === 'end');
  if (last === undefined)
    return { end: { kind: 'crashed', exitCode, detail: tailOf(stderr, stdout) }, notes: null };
  const said = textOf(last['kind']);
  const end = AgentEnd.parse({
    kind: KINDS.has(said) ? said : 'crashed',
    exitCode,
    detail: textOf(last['detail']).slice(0, DETAIL_MAX_CHARACTERS),
  });
  return { end, notes: textOf(last['notes']) || null };
}
