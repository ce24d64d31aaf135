/** `replace`: a person's own files for a node. They count when they passed what a builder's work must pass. */
import { userInfo } from 'node:os';
import { baseTree } from '../../activities/shared/trees.ts';
import type { Failed, ReplaceReport, Result } from '../../core/ports/services.ts';
import type { Session } from '../../core/ports/session.ts';
import { visibleToBuilder } from '../../core/projection/paths.ts';
import { dependentsOf } from '../../core/graph/edges.ts';
import type { StageState } from '../../core/stage/types.ts';
import { projectionsOf } from '../ports.ts';
import { type Target, challenge, changesOf, pathsOf, targetOf } from './challenge.ts';
import { type Surroundings, failed, findSession } from './common.ts';
import { withSession } from './open-session.ts';
import { runsNow } from './stages.ts';
import { typed } from '../../core/text/typed.ts';

/** Judged now; what passes is written down, and the next run commits it by the gate's own report. */
export async function replace(
  around: Surroundings,
  dir: string,
  nodeId: string,
  file: string,
): Promise<Result<ReplaceReport>> {
  const found = await findSession(dir);
  if (!found.ok) return found;
  const lack = await withSession(found.value.dir, async (session) =>
    notReplaceable((await session.doc()).state, dir, nodeId),
  );
  if (!lack.ok) return lack;
  if (lack.value !== null) return lack.value;
  const judged = await challenge(around, dir, { nodeId, with: file });
  if (!judged.ok) return judged;
  const { end, builderText, files } = judged.value;
  if (end === 'held')
    return failed(
      1,
      `Not replaced: the gate refuses it. ${builderText}`,
      typed`a7-rt challenge ${dir} ${nodeId} --with ${file}`,
    );
  if (end === 'unproven') return failed(4, 'Not replaced: the gate could not judge it', 'a7-rt doctor');
  if (end === 'same') return { ok: true, value: { files, isSame: true, dependents: [] } };
  const written = await withSession(found.value.dir, (session) => writeDown(session, dir, nodeId, file));
  return written.ok ? written.value : written;
}

function notReplaceable(state: StageState, dir: string, nodeId: string): Failed | null {
  const node = state.nodes[nodeId];
  if (node === undefined) return failed(2, `There is no node "${nodeId}"`, typed`a7-rt status ${dir}`);
  const sealed = [nodeId, ...dependentsOf(state.nodes, nodeId)]
    .map((id) => state.nodes[id]?.stage ?? '')
    .find((stage) => state.stages[stage]?.status === 'sealed');
  if (sealed === undefined) return runsNow(state, dir);
  return failed(
    2,
    `Cannot replace "${nodeId}": stage "${sealed}" is sealed`,
    typed`a7-rt stage-reset ${dir} ${sealed}`,
  );
}

async function writeDown(
  session: Session,
  dir: string,
  nodeId: string,
  file: string,
): Promise<Result<ReplaceReport>> {
  const target = await targetOf(session, dir, { nodeId, with: file });
  if ('ok' in target) return target;
  const { state } = await session.doc();
  const dispatchId = `${nodeId}.b${String(state.dispatchSeq + 1)}`;
  const tree = await treeOf(session, target);
  await session.trees.keep(`refs/a7/shadow/${dispatchId}/replaced`, tree);
  const dependents = dependentsOf(state.nodes, nodeId);
  const files = target.files.map(({ path }) => path);
  const event = {
    type: 'replaced' as const,
    data: { nodeId, dispatchId, tree, files, by: userInfo().username, dependents },
  };
  const appended = await session.ledger.append({ run: 0, fromSeq: state.seq + 1, events: [event] });
  if (appended.kind !== 'appended')
    return failed(3, 'Cannot replace it: the ledger changed meanwhile', 'Run the same command again');
  await projectionsOf(session).update([event]);
  return { ok: true, value: { files, isSame: false, dependents } };
}

async function treeOf(session: Session, target: Target): Promise<string> {
  const base = await baseTree(session, await session.content.head(), target.contract);
  const start = await session.trees.filterTree(base, visibleToBuilder(target.book, target.contract));
  const written = await session.trees.writeFiles(start, changesOf(await pathsOf(session, start), target));
  if (written.status === 'ok') return written.tree;
  throw new Error(`Cannot write "${written.refusals[0]?.path ?? '?'}": it passed the gate a moment ago`);
}
