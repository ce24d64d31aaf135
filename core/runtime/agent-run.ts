/**
 * The rules of one agent run (design part 7): state + event → state + next step.
 *
 * Knows nothing of graphs, contracts, gates or git: a completion attempt is judged elsewhere and comes back as a decision.
 *  R1. A task ends only by an accepted completion, a bound that was hit, a person, or the platform; never by a message alone.
 *  R2. A tool's failure is part of the conversation, not of the control flow.
 *  R3. Every bound has a name and a value, and hitting it is reported with both.
 */
import type { AgentRun, AgentState, JournalEvent } from '../../schemas/runtime.ts';
import type { RequiredAction, RunLimits, Usage } from '../../schemas/runtime.ts';
import type { AgentRanEvent, RunAndStep, RunEnd, RunEvent, RunStep } from './agent-run-types.ts';
import { type AnsweredEvent, boundHit, lateText, withAnswer, withTime } from './bounds.ts';

/** Journal lines that stay in the state; all can be read from the workflow's history. */
export const JOURNAL_KEPT = 12;
/** Completion attempts, refused without a charge for the same reasons, that follow one another. */
const FREE_REPEATS_MAX = 5;

/** A run at its first turn, or at the turn after a person's answer. */
export function startRun(input: {
  readonly id: string;
  readonly goal: string;
  readonly limits: RunLimits;
  readonly requirements: readonly RequiredAction[];
  readonly tree: string;
  readonly head: string;
  /** Default 1. */
  readonly turn?: number | undefined;
  /** Its turns are runs of a program in a room. */
  readonly isRoom?: true | undefined;
}): RunAndStep {
  const turn = input.turn ?? 1;
  const run: AgentRun = {
    task: {
      id: input.id,
      goal: input.goal,
      state: 'running',
      openRequirements: [...input.requirements],
      journal: [],
    },
    limits: input.limits,
    turn,
    attempts: 0,
    silentTurns: 0,
    testRuns: 0,
    tree: input.tree,
    head: input.head,
    answer: null,
    lastReasons: '',
    sameReasons: 0,
    usage: { calls: 0, inputTokens: 0, outputTokens: 0, costMicroUsd: 0 },
    ...(input.isRoom === true && { isRoom: true as const }),
  };
  return { run: note(run, 'created', 'task created'), step: turnStep(run) };
}

/** The step that a run is at; used after continue-as-new, which happens only before a turn. */
export function resumeRun(run: AgentRun): RunAndStep {
  return { run, step: turnStep(run) };
}

function turnStep({ isRoom, turn }: AgentRun): RunStep {
  return { kind: isRoom === true ? 'run_agent' : 'call_model', turn };
}

/** Next state and step after `event`. */
export function advanceRun(run: AgentRun, event: RunEvent): RunAndStep {
  switch (event.kind) {
    case 'answered':
      return onAnswer(run, event);
    case 'tools_ran':
      return onTools(run, event);
    case 'judged':
      return onJudged(run, event);
    case 'agent_ran':
      return onAgent(run, event);
    case 'ended':
      return finish(run, event.end);
  }
}

function onAnswer(run: AgentRun, event: AnsweredEvent): RunAndStep {
  const { toolCalls } = event;
  const answered = withAnswer({ ...run, usage: addUsage(run.usage, event.usage) }, event);
  const hit = boundHit(answered, event);
  if (hit !== null) return finish(answered, { kind: 'wild', reason: hit });
  const detail = `${String(toolCalls)} tool calls${event.cutAt === undefined ? '' : `, cut at ${String(event.cutAt)} tokens`}`;
  const noted = note(answered, toolCalls === 0 ? 'silent' : 'answered', detail);
  return { run: noted, step: { kind: 'run_tools', turn: run.turn } };
}

function onTools(run: AgentRun, event: Extract<RunEvent, { kind: 'tools_ran' }>): RunAndStep {
  const next = note(
    {
      ...withTime(run, event.elapsedMs),
      tree: event.tree,
      head: event.head,
      ...(event.gaveUp === true && { gaveUp: true as const }),
    },
    'tools_ran',
    `tree ${event.tree.slice(0, 8)}`,
  );
  if (event.suspension !== null) return finish(next, endOfSuspension(event.suspension, run.attempts));
  if (event.submit || event.tests > 0) {
    return {
      run: next,
      step: { kind: 'judge', turn: run.turn, submit: event.submit, tests: event.tests > 0 },
    };
  }
  if (event.repeated !== undefined) return finish(next, { kind: 'wild', reason: event.repeated });
  return nextTurn(next);
}

/** The end of an agent's program is a completion attempt, unless it says or proves otherwise. */
function onAgent(run: AgentRun, event: AgentRanEvent): RunAndStep {
  const { answerRef, tree, head, means } = event;
  const usage = addUsage(run.usage, event.usage);
  const ran = { ...withTime(run, event.elapsedMs), answer: answerRef, tree, head, usage };
  const next = note(ran, 'agent_ran', `${means.kind}, tree ${tree.slice(0, 8)}`);
  switch (means.kind) {
    case 'handed_in':
      return { run: next, step: { kind: 'judge', turn: run.turn, submit: true, tests: false } };
    case 'unreadable':
      return onJudged(next, {
        kind: 'judged',
        head,
        accepted: false,
        reasons: means.reasons,
        testRuns: 0,
        giveBack: null,
      });
    case 'suspended':
      return finish(next, endOfSuspension(means, run.attempts));
    case 'over':
      return finish(next, means.end);
  }
}

/** `far` waits for a person; anything else gives the task back to the manager with its reason. */
function endOfSuspension(
  suspension: { readonly type: string; readonly detail: string },
  attempts: number,
): RunEnd {
  if (suspension.type === 'far') return { kind: 'parked', question: suspension.detail };
  return {
    kind: 'refused',
    reasons: [`The agent suspended itself (${suspension.type}): ${suspension.detail}`],
    attempts,
  };
}

function onJudged(run: AgentRun, event: Extract<RunEvent, { kind: 'judged' }>): RunAndStep {
  const testRuns = run.testRuns + event.testRuns;
  const judged: AgentRun = { ...withTime(run, event.elapsedMs), head: event.head, testRuns };
  if (event.giveBack !== null) {
    return finish(judged, { kind: 'refused', reasons: [event.giveBack], attempts: run.attempts });
  }
  if (event.accepted === null)
    return nextTurn(note(judged, 'tests_ran', `${String(testRuns)} test runs so far`));
  const attempts = run.attempts + (event.isFree === true ? 0 : 1);
  if (event.accepted) {
    const done = note({ ...judged, attempts }, 'completion_accepted', `attempt ${String(attempts)}`);
    return finish({ ...done, task: { ...done.task, openRequirements: [] } }, { kind: 'completed' });
  }
  const lastReasons = event.reasons.join('\n');
  const sameReasons = lastReasons === run.lastReasons ? run.sameReasons + 1 : 0;
  const refused = note(
    { ...judged, attempts, lastReasons, sameReasons },
    'completion_refused',
    firstOf(event.reasons),
  );
  // Refused without a charge, and the same again and again: only a bound ends that.
  const isStuck = event.isFree === true && sameReasons >= FREE_REPEATS_MAX;
  if (attempts >= run.limits.attemptsMax || isStuck)
    return finish(refused, { kind: 'refused', reasons: [...event.reasons], attempts });
  return nextTurn(
    note(refused, 'recovery', `attempt ${String(attempts + 1)} of ${String(run.limits.attemptsMax)}`),
  );
}

function nextTurn(run: AgentRun): RunAndStep {
  if (run.turn >= run.limits.turnsMax) {
    return finish(run, {
      kind: 'wild',
      reason: `turn limit reached: turnsMax is ${String(run.limits.turnsMax)}`,
    });
  }
  const late = lateText(run);
  if (late !== null) return finish(run, { kind: 'wild', reason: late });
  const next = { ...run, turn: run.turn + 1 };
  return { run: next, step: turnStep(next) };
}

function finish(run: AgentRun, end: RunEnd): RunAndStep {
  const ended = note({ ...run, task: { ...run.task, state: stateAfter(end) } }, 'ended', end.kind);
  return { run: ended, step: { kind: 'finish', end } };
}

function stateAfter(end: RunEnd): AgentState {
  switch (end.kind) {
    case 'completed':
      return 'completed';
    case 'parked':
      return 'waiting_for_input';
    case 'rested':
    case 'budget':
    case 'platform':
    case 'cancelled':
      return 'resumable';
    case 'refused':
    case 'wild':
      return 'failed_terminal';
  }
}

function note(run: AgentRun, kind: JournalEvent['kind'], detail: string): AgentRun {
  const line: JournalEvent = { turn: run.turn, kind, detail: detail.slice(0, 200) };
  return { ...run, task: { ...run.task, journal: [...run.task.journal, line].slice(-JOURNAL_KEPT) } };
}

function firstOf(reasons: readonly string[]): string {
  return reasons[0] ?? 'no reason given';
}

/** Sum of two usages; an unknown cost makes the sum unknown. */
export function addUsage(a: Usage, b: Usage): Usage {
  const known = a.costMicroUsd !== null && b.costMicroUsd !== null;
  return {
    calls: a.calls + b.calls,
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    costMicroUsd: known ? (a.costMicroUsd ?? 0) + (b.costMicroUsd ?? 0) : null,
  };
}
