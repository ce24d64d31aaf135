/** What former dispatches of the same node and role left: the last tree, its files, and role-safe reasons (seed 001, exploration hints). */
import type { Session } from '../../core/ports/session.ts';
import { writeGlobs } from '../../core/projection/paths.ts';
import { matchesAnyGlob } from '../../core/globs.ts';
import type { AgentCoordinates } from '../../schemas/agent-io.ts';
import type { AgentResult } from '../../schemas/stage.ts';
import { dispatchesOf, returnsOf } from '../shared/dispatches.ts';
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
  const former = new Set(
    (await dispatchesOf(session, at)).map((record) => record.dispatchId).filter((id) => id !== at.dispatchId),
  );
  const ended = (await returnsOf(session, at.nodeId)).filter((data) => former.has(data.dispatchId));
  const tree = ended.map((data) => treeOf(data.result)).findLast((each) => each !== null) ?? null;
  const attempts = ended.map((data) => reasonOf(data.result)).slice(-ATTEMPTS_SHOWN);
  if (tree === null) return { ...NOTHING, attempts };
  const contract = await contractOf(session, at.nodeId);
  const globs = writeGlobs(contract, at.role);
  const paths = (await session.trees.listTree(tree)).map((entry) => entry.path);
  return { tree, files: paths.filter((path) => matchesAnyGlob(globs, path)), attempts };
}

function treeOf(result: AgentResult): string | null {
  switch (result.status) {
    case 'submitted':
      return result.submission.tree;
    case 'failed':
    case 'parked':
      return result.tree;
    default:
      return null;
  }
}

/** Why an attempt ended; reasons of a failure are the role-safe feedback that its agent was given. */
function reasonOf(result: AgentResult): string {
  switch (result.status) {
    case 'failed':
      return result.reasons.join('\n');
    case 'wild':
    case 'platform':
      return result.reason;
    default:
      return result.status;
  }
}
