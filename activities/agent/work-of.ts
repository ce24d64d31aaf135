/** Where an agent's work stands in a tree of its shadow (core/shadow/next-call.ts). */
import type { Session } from '../../core/ports/session.ts';
import type { OwnWork } from '../../core/shadow/next-call.ts';
import { ownWork } from '../../core/views/own-work.ts';
import type { AgentCoordinates } from '../../schemas/agent-io.ts';
import { shadowRef } from '../shared/coordinates.ts';
import { contractOf } from '../shared/trees.ts';

export async function workOf(session: Session, at: AgentCoordinates, tree: string): Promise<OwnWork> {
  const [contract, base, entries] = await Promise.all([
    contractOf(session, at.nodeId),
    session.trees.readRef(shadowRef(at, 'base')),
    session.trees.listTree(tree),
  ]);
  const changes = base === null || base === tree ? [] : await session.trees.diff(base, tree);
  const paths = entries.map((entry) => entry.path);
  const { files, ...work } = ownWork(at.role, contract, paths, false);
  const own = new Set(files);
  return { ...work, files, isChanged: base === null || changes.some(({ path }) => own.has(path)) };
}
