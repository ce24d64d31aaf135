/** Why a node is where it is, and what would move it: the answer of `why` and the note of `status`. */
import { isToldByGate } from '../gate/report/told-of-pass.ts';
import type { NodeTexts, SessionDoc } from '../ledger/session-doc.ts';
import { counted } from '../text/plural.ts';
import { higherCapIn } from './agent-result.ts';
import { defaultMaxRetries, nextRole, retriesOf, whyNotReady, wildMax } from './ready.ts';
import { findingText, heldForReview } from './review.ts';
import type { NodeState } from './types.ts';

export interface WhyNode {
  readonly status: string;
  readonly reasons: readonly string[];
  readonly nextStep: string | null;
}

const RETRIES_SHOWN = 3;

/** @throws nothing: an unknown node has the status `unknown`. */
export function whyNode(doc: SessionDoc, nodeId: string): WhyNode {
  const { state } = doc;
  const node = state.nodes[nodeId];
  if (node === undefined)
    return {
      status: 'unknown',
      reasons: [`There is no node "${nodeId}"`],
      nextStep: 'a7-rt status SESSION lists the nodes',
    };
  const open = Object.values(state.open).filter(({ record }) => record.nodeId === nodeId);
  const at = open.map(
    ({ record, phase }) => `${record.role.replace('_', ' ')} ${record.dispatchId} is ${phase}`,
  );
  const rest = restReason(doc, node);
  const reasons = [...at, ...statusReasons(doc, nodeId, node), ...rest];
  const held = heldForReview(state).includes(nodeId) ? 'a7-rt act SESSION COMMIT NODE' : null;
  const step = held ?? nextStepOf(node) ?? (rest.length > 0 ? goesOn(doc) : null);
  return { status: node.status, reasons, nextStep: step };
}

/** The same tree gets the same answer of the project's tests. */
const MENDED =
  'a7-rt replace SESSION NODE --file FILE puts code of yours in its place, a7-rt seed SESSION agrees to an edit of contracts.yaml; then a7-rt run SESSION';

/** The run that would not end in the same way: a cap that was reached has to be higher. */
function goesOn({ state }: SessionDoc): string {
  const ending = state.run?.ending;
  if (ending?.code === 'PROJECT_FAILED') return MENDED;
  const cap = ending?.code === 'BUDGET_REACHED' ? higherCapIn(ending.message) : null;
  return ['a7-rt run SESSION', ...(cap === null ? [] : [cap])].join(' ');
}

/** Why nothing moves, for a node that its stage left behind. */
function restReason({ state }: SessionDoc, node: NodeState): string[] {
  const { run } = state;
  // What the whole tree fails by is a reason at each of its nodes.
  const isGrounded = node.status === 'grounded' && run?.ending?.code !== 'PROJECT_FAILED';
  const isDone = isGrounded || node.stage !== run?.stage;
  if (isDone || (run.phase !== 'rested' && run.phase !== 'halted')) return [];
  const cause = run.ending === null ? '' : `: ${run.ending.message}`;
  return [`stage ${run.stage} is ${run.phase === 'rested' ? 'at rest' : 'halted'}${cause}`];
}

/** A node of type "test" has a suite and no code. */
function writtenText({
  lines,
  files,
}: {
  readonly lines: number;
  readonly files: readonly string[];
}): string {
  return files.length === 0
    ? 'its suite is on the branch; it has no code of its own'
    : `${counted(lines, 'line')} in ${files.join(', ')}`;
}

/** Words for a verdict that was counted inside the process that ran the code; the usual one needs none. */
function tierText(tier: string | undefined): string {
  return tier === 'in_process' ? ', judged in one process (no wall)' : '';
}

function statusReasons(doc: SessionDoc, nodeId: string, node: NodeState): string[] {
  const texts = doc.nodes[nodeId];
  const facts = texts?.facts;
  const earlier = (texts?.retryContext ?? [])
    .slice(-RETRIES_SHOWN)
    .map((each) => `attempt ${String(each.attempt)}: ${each.error}`);
  const suspect =
    node.suspect === 'suite'
      ? [
          `the suite is the suspect: ${node.suiteFault ?? 'its code passes the examples of the contract and fails the suite'}`,
        ]
      : [];
  const unnoticed = (texts?.findings ?? [])
    .filter(isToldByGate)
    .slice(-1)
    .flatMap((each) => each.findings.slice(0, RETRIES_SHOWN));
  switch (node.status) {
    case 'grounded':
      return facts === null || facts === undefined
        ? []
        : [`${writtenText(facts)}${tierText(texts?.tier)}`, ...unnoticed, ...reviewTexts(texts)];
    case 'provisional':
      return [capText(node), ...earlier];
    case 'suspended':
      return [`suspended (${node.reason ?? '?'}): ${texts?.suspensionDetail ?? ''}`, ...suspect, ...earlier];
    case 'poisoned': {
      const root = node.heldBy?.[0];
      const cause = node.root === true ? 'it failed by itself' : `poisoned by ${root ?? '?'}`;
      return [cause, ...suspect, ...earlier];
    }
    case 'near': {
      const isHeld = Object.values(doc.state.open).some(({ record }) => record.nodeId === nodeId);
      const blocked = doc.state.run === null ? 'nothing has run yet' : whyNotReady(doc.state, nodeId);
      const suite =
        node.suite === undefined
          ? 'it has no suite yet'
          : `suite ${String(node.suite)} is locked, its code is not there yet`;
      if (heldForReview(doc.state).includes(nodeId))
        return ['its code passed and waits for an answer to its review', ...reviewTexts(texts)];
      return [...(isHeld ? [] : [blocked ?? suite]), ...suspect, ...earlier];
    }
  }
}

/** `the reviewer named hard_coded at price/money.py:12: returns 42`. */
function reviewTexts(texts: NodeTexts | undefined): string[] {
  const named = texts?.review?.findings ?? [];
  return named.slice(0, RETRIES_SHOWN).map((each) => `the reviewer named ${findingText(each)}`);
}

function capText(node: NodeState): string {
  switch (node.cap) {
    case 'deps':
      return 'a node that it stands on is provisional: it is gated again when that one is grounded';
    case 'weight':
      return 'its protocol weight or "tests: none" allows no more than provisional';
    default:
      return 'its builder claimed no more than provisional, or was ordered with weight none: REDISPATCH can ground it';
  }
}

/** No redispatch is left for it: every manager would halt at its bound, and only a person may go on. */
function isSpent(node: NodeState): boolean {
  const retries = retriesOf(node, nextRole(node));
  return (node.wild ?? 0) >= wildMax || retries >= (node.maxRetries ?? defaultMaxRetries);
}

function nextStepOf(node: NodeState): string | null {
  if (node.status === 'suspended' && node.reason === 'far')
    return 'a7-rt input SESSION --node NODE "your answer"';
  if ((node.status === 'suspended' || node.root === true) && isSpent(node))
    return `${again(node)}, or correct NODE in SESSION/contracts.yaml and a7-rt seed SESSION; then a7-rt run SESSION`;
  const isHeld = node.root !== true && (node.heldBy ?? []).length > 0;
  return node.root === true || (node.status === 'suspended' && !isHeld) ? again(node) : null;
}

/** A person's order, which no budget holds back. */
function again(node: NodeState): string {
  return nextRole(node) === 'builder'
    ? 'a7-rt act SESSION REDISPATCH NODE role=builder manager_note="what is different now"'
    : 'a7-rt act SESSION REDISPATCH NODE role=test_author manager_note="what is different now"';
}
