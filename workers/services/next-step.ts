/** The command that goes on after a stage ended early: it can be copied as it is, with the flags of the run that ended. */
import type { RunFlags } from '../../core/ports/services.ts';
import { higherCapIn } from '../../core/stage/agent-result.ts';
import type { StageState } from '../../core/stage/types.ts';
import { inShell, typed } from '../../core/text/typed.ts';
import type { StageOutcome } from '../../schemas/stage-io.ts';

/** How which stage ended. */
export interface EndedStage {
  /** The session as the person named it. */
  readonly shown: string;
  readonly flags: RunFlags;
  readonly stageId: string;
  readonly outcome: StageOutcome;
  readonly state: StageState;
}

/** One line. */
export function nextStepAfter({ shown, flags, stageId, outcome, state }: EndedStage): string {
  if (outcome.code === 'BUDGET_REACHED') {
    const cap = higherCapIn(outcome.message) ?? '--max-cost MORE';
    const others = cap.startsWith('--max-cost')
      ? { ...flags, maxCostUsd: null }
      : { ...flags, maxTokens: null };
    return `${runCommand(shown, others)} ${cap}`;
  }
  const again = runCommand(shown, flags);
  // Files that git does not know are in the way only when a commit would write them: they are found then.
  if (outcome.code === 'DIRTY_TREE')
    return `${typed`git -C ${shown}/content stash -u`} keeps them aside; then ${again}`;
  // The same tree gets the same answer: something has to change first.
  if (outcome.code === 'PROJECT_FAILED') return `${mendingOf(shown, state)}; then ${again}`;
  const stuck = stuckNode(state, stageId);
  return outcome.status === 'halted' && stuck !== null
    ? `${typed`a7-rt why ${shown} ${stuck}`} says what moves it; then ${again}`
    : again;
}

/** Which node is at fault nobody knows, unless there is only one. */
function mendingOf(shown: string, state: StageState): string {
  const [only = 'NODE', ...others] = Object.keys(state.nodes);
  const node = others.length === 0 ? only : 'NODE';
  const own = typed`a7-rt replace ${shown} ${node} --file FILE`;
  return `${own} puts code of yours in its place, ${typed`a7-rt seed ${shown}`} agrees to an edit of contracts.yaml`;
}

/** The same run again. */
export function runCommand(shown: string, flags: RunFlags): string {
  const valued: readonly (readonly [string, string | number | null])[] = [
    ['--stage-id', flags.stageId],
    ['--manager', flags.manager],
    ['--model', flags.model],
    ['--subagent-model', flags.subagentModel],
    ['--base-url', flags.baseUrl],
    ['--builder-agent', flags.builderAgent],
    ['--author-agent', flags.authorAgent],
    ['--max-cost', flags.maxCostUsd],
    ['--max-tokens', flags.maxTokens],
    ['--max-turns', flags.maxTurns],
    ['--drain-turn', flags.drainTurn],
    ['--max-in-flight', flags.maxInFlight],
    ['--backend', flags.backend],
  ];
  const words = [
    ...valued.flatMap(([name, value]) => (value === null ? [] : [name, inShell(String(value))])),
    ...(flags.strictTurns ? ['--strict-turns'] : []),
    ...(flags.requireWall ? ['--require-wall'] : []),
    ...(flags.fresh ? ['--fresh'] : []),
    ...(flags.noWait === true ? ['--no-wait'] : []),
    ...(flags.nodes.length > 0 ? ['--node', ...flags.nodes.map(inShell)] : []),
  ];
  return [typed`a7-rt run ${shown}`, ...words].join(' ');
}

/** A node that a further run alone would not move. */
function stuckNode(state: StageState, stageId: string): string | null {
  const found = Object.entries(state.nodes).find(
    ([, node]) => node.stage === stageId && (node.root === true || node.status === 'suspended'),
  );
  return found?.[0] ?? null;
}
