/** `stage` and `stage-reset`: what a stage holds, and a sealed one opened again with what is built on it. */
import { userInfo } from 'node:os';
import type { Failed, Result, StageReset, StageView } from '../../core/ports/services.ts';
import type { Session } from '../../core/ports/session.ts';
import { stagesAbove } from '../../core/stage/ready.ts';
import type { StageState } from '../../core/stage/types.ts';
import { projectionsOf } from '../ports.ts';
import { failed, findSession, findToRead } from './common.ts';
import { withSession } from './open-session.ts';
import { typed } from '../../core/text/typed.ts';

/** All stages, or one. */
export async function stages(dir: string, stageId: string | null): Promise<Result<readonly StageView[]>> {
  const found = await findToRead(dir);
  if (!found.ok) return found;
  const views = await withSession(found.value.dir, async (session) => {
    const doc = await session.doc();
    const { state } = doc;
    return state.stageOrder.map((id): StageView => {
      const sealed = doc.sealed[id];
      const nodes = Object.entries(state.nodes).filter(([, node]) => node.stage === id);
      return {
        id,
        name: state.stages[id]?.name ?? id,
        kind: state.stages[id]?.kind ?? 'io',
        status: state.stages[id]?.status ?? 'active',
        sealedAt: sealed?.sealedAt ?? null,
        summary: sealed?.summary ?? null,
        nodes: nodes.map(([nodeId, { status }]) => ({ id: nodeId, status })),
        builtOnIt: stagesAbove(state, id),
      };
    });
  });
  if (!views.ok || stageId === null) return views;
  const one = views.value.filter(({ id }) => id === stageId);
  return one.length > 0
    ? { ok: true, value: one }
    : unknownStage(
        dir,
        stageId,
        views.value.map(({ id }) => id),
      );
}

/** Opens a sealed stage, and the sealed stages that are built on it. Their nodes stay what they are until they are changed. */
export async function stageReset(dir: string, stageId: string, reason: string): Promise<Result<StageReset>> {
  const found = await findSession(dir);
  if (!found.ok) return found;
  const done = await withSession(found.value.dir, (session) => reset(session, dir, stageId, reason));
  return done.ok ? done.value : done;
}

async function reset(
  session: Session,
  dir: string,
  stageId: string,
  reason: string,
): Promise<Result<StageReset>> {
  const { state } = await session.doc();
  const stage = state.stages[stageId];
  if (stage === undefined) return unknownStage(dir, stageId, state.stageOrder);
  const moving = runsNow(state, dir);
  if (moving !== null) return moving;
  const isSealed = (id: string): boolean => state.stages[id]?.status === 'sealed';
  const opened = [stageId, ...stagesAbove(state, stageId)].filter(isSealed);
  if (opened.length === 0) return { ok: true, value: { stages: [] } };
  const event = {
    type: 'stage_reopened' as const,
    data: { stages: opened, by: userInfo().username, reason },
  };
  const appended = await session.ledger.append({ run: 0, fromSeq: state.seq + 1, events: [event] });
  if (appended.kind !== 'appended')
    return failed(3, 'Cannot open the stage: the ledger changed meanwhile', 'Run the same command again');
  await projectionsOf(session).update([event]);
  return { ok: true, value: { stages: opened } };
}

/** A moving stage is halted first: what it holds must not change under it. */
export function runsNow(state: StageState, dir: string): Failed | null {
  const { run } = state;
  if (run === null || ['sealed', 'halted', 'rested'].includes(run.phase)) return null;
  return failed(
    2,
    `Cannot change the session: stage "${run.stage}" is open (${run.phase})`,
    typed`a7-rt halt ${dir}`,
  );
}

function unknownStage(dir: string, stageId: string, known: readonly string[]): Failed {
  return failed(
    2,
    `There is no stage "${stageId}": the session has ${known.join(', ')}`,
    typed`a7-rt stage ${dir}`,
  );
}
