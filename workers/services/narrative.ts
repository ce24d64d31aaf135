/** `why` and `narrative`: what the ledger says, for people. */
import { nodeOfLine, storyOf } from '../../core/ledger/story.ts';
import type { Failed, Result, StoryLine, WhyReport } from '../../core/ports/services.ts';
import type { RefusalRow } from '../../core/ports/visitors.ts';
import { counted } from '../../core/text/plural.ts';
import { suggestNearest } from '../../core/text/nearest.ts';
import type { LedgerLine } from '../../schemas/ledger.ts';
import { whyNode } from '../../core/stage/why.ts';
import { failed, findToRead } from './common.ts';
import { withSession } from './open-session.ts';
import { branchState } from './record/branch-state.ts';
import { listRefusals } from './reports/refusals.ts';
import { inShell, typed } from '../../core/text/typed.ts';

/** Reasons for a node's status. */
export async function why(dir: string, nodeId: string): Promise<Result<WhyReport>> {
  const found = await findToRead(dir);
  if (!found.ok) return found;
  const result = await withSession(found.value.dir, async (session) => ({
    told: whyNode(await session.doc(), nodeId),
    ids: Object.keys((await session.doc()).state.nodes),
    branch: await branchState(session, dir),
    refusals: await listRefusals(session, nodeId),
  }));
  if (!result.ok) return result;
  const { branch, refusals } = result.value;
  const told = { ...result.value.told, reasons: [...result.value.told.reasons, ...refusalReasons(refusals)] };
  if (told.status === 'unknown') return noNode('explain', dir, nodeId, result.value.ids);
  if (branch?.nodeIds.includes(nodeId) === true) {
    const reasons = [branch.message, ...told.reasons];
    return { ok: true, value: { nodeId, ...told, reasons, nextStep: branch.nextStep } };
  }
  const step = told.nextStep?.replaceAll('SESSION', () => inShell(dir)).replaceAll('NODE', nodeId) ?? null;
  return { ok: true, value: { nodeId, ...told, nextStep: step } };
}

const REFUSALS_SHOWN = 3;

/** What was handed in and reached no gate; older ones are in `report`. */
function refusalReasons(refusals: readonly RefusalRow[]): string[] {
  const more =
    refusals.length > REFUSALS_SHOWN ? ` (${counted(refusals.length, 'refusal')}, the last ones)` : '';
  return refusals
    .slice(-REFUSALS_SHOWN)
    .map(
      ({ dispatch, turn, reasons }) =>
        `refused before any gate${more}, ${dispatch} turn ${String(turn)}: ${reasons.join('\n')}`,
    );
}

/** The story of a session or of one node. */
export async function narrative(dir: string, nodeId: string | null): Promise<Result<readonly StoryLine[]>> {
  const found = await findToRead(dir);
  if (!found.ok) return found;
  const story = await withSession(found.value.dir, async (session) => {
    const { state } = await session.doc();
    if (nodeId !== null && !(nodeId in state.nodes)) return { ids: Object.keys(state.nodes) };
    const read = await session.ledger.read();
    return { lines: read.kind === 'read' ? tell(read.lines, nodeId) : [] };
  });
  if (!story.ok) return story;
  if ('ids' in story.value) return noNode('tell of', dir, nodeId ?? '', story.value.ids);
  return { ok: true, value: story.value.lines };
}

function noNode(action: string, dir: string, nodeId: string, ids: readonly string[]): Failed {
  const near = suggestNearest(nodeId, ids);
  const text = `Cannot ${action} "${nodeId}": there is no such node${near === undefined ? '' : `. ${near}`}`;
  return failed(2, text, typed`a7-rt status ${dir}`);
}

function tell(lines: readonly LedgerLine[], nodeId: string | null): readonly StoryLine[] {
  return lines.flatMap((line) => {
    const about = nodeOfLine(line);
    const text = nodeId === null || about === nodeId ? storyOf(line) : null;
    return text === null ? [] : [{ at: line.at, seq: line.seq, nodeId: about, text }];
  });
}
