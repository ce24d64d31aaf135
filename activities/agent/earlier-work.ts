/** What former dispatches of the same node and role left: the last tree, its files, and role-safe reasons (seed 001, exploration hints). */
import type { Session } from '../../core/ports/session.ts';
import { writeGlobs } from '../../core/projection/paths.ts';
import { matchesAnyGlob } from '../../core/globs.ts';
import type { AgentCoordinates } from '../../schemas/agent-io.ts';
import { contractOf } from '../shared/trees.ts';

export interface EarlierWork {
  readonly tree: string | null;
  readonly files: readonly string[];
  readonly attempts: readonly string[];
}

/** Earlier attempts that the view tells of. */
const ATTEMPTS_SHOWN = 3;
const NOTHING: EarlierWork = { tree: null, files: [], attempts: [] };

/** Work of earlier, ended dispatches. An analyst starts from nothing. */
export async function earlierWork(session: Session, at: AgentCoordinates): Promise<EarlierWork> {
  if (at.role === 'analyst') return NOTHING;
  const doc = await session.doc();
  const ended = doc.returns.filter((each) => each.nodeId === at.nodeId && each.role === at.role && each.dispatchId !== at.dispatchId);
  const last = ended.at(-1);
  if (last === undefined) return NOTHING;
  const contract = await contractOf(session, at.nodeId);
  const globs = writeGlobs(contract, at.role);
  const files = last.tree === null ? [] : await session.trees.listTree(last.tree);
  return {
    tree: last.tree,
    files: files.map((entry) => entry.path).filter((path) => matchesAnyGlob(globs, path)),
    attempts: ended.slice(-ATTEMPTS_SHOWN).map((each) => each.reason),
  };
}
