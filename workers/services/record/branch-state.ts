/** What `run`, `doctor`, `status` and `why` say of a branch that is not what the ledger knows, and the way out. */
import { type BranchProblems, branchProblems, ledgerCommits } from '../../../core/record/branch.ts';
import type { Session } from '../../../core/ports/session.ts';
import { counted } from '../../../core/text/plural.ts';
import { typed } from '../../../core/text/typed.ts';

export interface BranchState {
  readonly message: string;
  readonly nextStep: string;
  /** Nodes whose files hold what no verdict covers, or whose commit is gone. */
  readonly nodeIds: readonly string[];
}

const PATHS_SHOWN = 5;
/** A commit may come between the two reads of a moving stage: what is wrong is looked at once more. */
const LOOKS = 2;

/** Null when the branch is what the ledger knows, apart from scaffold. `shown`: the session as the person named it. */
export async function branchState(session: Session, shown: string): Promise<BranchState | null> {
  let state: BranchState | null = null;
  for (let look = 0; look < LOOKS; look += 1) {
    state = await lookAt(session, shown);
    if (state === null) return null;
  }
  return state;
}

async function lookAt(session: Session, shown: string): Promise<BranchState | null> {
  const commits = await session.content.log();
  const read = await session.ledger.read();
  if (read.kind !== 'read') return null;
  const { state, contractsRef } = await session.doc();
  const contracts = contractsRef === null ? [] : (await session.book()).resolved;
  return describe(branchProblems(commits, ledgerCommits(read.lines), contracts), state.head, shown);
}

function describe(problems: BranchProblems, head: string | null, shown: string): BranchState | null {
  const { byHand, lost, soundHead } = problems;
  const content = typed`git -C ${shown}/content`;
  const aside = `${content} branch by-hand, then ${content} reset --hard`;
  if (lost.length > 0) {
    const names = lost.slice(-PATHS_SHOWN).map(({ nodeId, commit }) => `${commit.slice(0, 12)} of ${nodeId}`);
    return {
      message: `The branch of content/ was moved: ${counted(lost.length, 'commit')} of the ledger ${lost.length === 1 ? 'is' : 'are'} not on it (${names.join(', ')})`,
      nextStep: `${aside} ${head ?? lost.at(-1)?.commit ?? 'main'}`,
      nodeIds: lost.map(({ nodeId }) => nodeId),
    };
  }
  if (byHand.length === 0) return null;
  const shownPaths = byHand
    .slice(0, PATHS_SHOWN)
    .map(({ path, nodeId, commit }) => `${path} of ${nodeId} (commit ${commit.slice(0, 12)})`);
  const more = byHand.length > PATHS_SHOWN ? `, and ${String(byHand.length - PATHS_SHOWN)} more` : '';
  const commits = [...new Set(byHand.map(({ commit }) => commit))];
  return {
    message: `content/ was committed to by hand: no verdict covers ${shownPaths.join(', ')}${more}`,
    nextStep:
      soundHead === null
        ? `${content} revert --no-edit ${commits
            .toReversed()
            .map((each) => each.slice(0, 12))
            .join(' ')}`
        : `${aside} ${soundHead}`,
    nodeIds: [...new Set(byHand.map(({ nodeId }) => nodeId))],
  };
}
