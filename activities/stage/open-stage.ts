/** Activity `openStage`: the fold of the ledger, handed to a workflow that begins or takes over (design part 4). */
import { heartbeat } from '@temporalio/activity';
import type { OpenStageResult, StageCoordinates } from '../../schemas/stage-io.ts';
import { withHeartbeat } from '../shared/heartbeat.ts';
import { fatal } from '../shared/failures.ts';
import type { StagePorts } from './ports.ts';

/** Largest state that is handed over inline. */
const INLINE_MAX_CHARS = 16_000;
/** One piece of a larger one; payloads are refused from 2 MiB. */
const PIECE_CHARS = 900_000;

/** Reads the state; recovers an interrupted commit first, so that the branch is as the ledger will say. */
export async function openStage(ports: StagePorts, at: StageCoordinates): Promise<OpenStageResult> {
  const session = await ports.sessions.open(at.sessionDir);
  const recovered = await withHeartbeat(heartbeat, () => session.exclusive(() => session.content.recover()));
  if (recovered.status === 'locked')
    throw new Error(`Cannot open the stage: ${recovered.lock} is held by a living git process`);
  const { state } = await session.doc();
  const last = state.run;
  const open = last !== null && !['sealed', 'halted', 'rested'].includes(last.phase);
  if (open && last.stage !== at.stageId) {
    throw fatal(
      'LedgerDiverged',
      `Cannot open stage "${at.stageId}": the run of stage "${last.stage}" is still open in the ledger`,
    );
  }
  const former = Object.values(state.open).length > 0 || last?.stage === at.stageId;
  const json = JSON.stringify(state);
  return {
    run: (last?.run ?? 0) + 1,
    lifecycle: open ? 'taken_over' : former ? 'resumed' : 'new',
    takeOverReason: open ? `run ${String(last.run)} is open in the ledger, and no workflow moves it` : null,
    head: await session.content.head(),
    state:
      json.length <= INLINE_MAX_CHARS
        ? { kind: 'inline', json }
        : { kind: 'ref', ref: await session.objects.put(json), pieces: Math.ceil(json.length / PIECE_CHARS) },
  };
}

/** One piece of a state that is too large for one payload. */
export async function loadPiece(
  ports: StagePorts,
  at: StageCoordinates,
  ref: string,
  piece: number,
): Promise<string> {
  const session = await ports.sessions.open(at.sessionDir);
  const json = Buffer.from(await session.objects.get(ref)).toString('utf8');
  return json.slice(piece * PIECE_CHARS, (piece + 1) * PIECE_CHARS);
}
