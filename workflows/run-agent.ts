/** Workflow `runAgent`: performs the steps that `core/runtime` decides; one turn is one model and one tools activity. */
import {
  type ActivityInterfaceFor,
  ApplicationFailure,
  continueAsNew,
  proxyActivities,
  setCurrentDetails,
} from '@temporalio/workflow';
import type { AgentActivities } from '../activities/agent/index.ts';
import type { JudgeActivities } from '../activities/judge/index.ts';
import type { RoomAgentActivities } from '../activities/room-agent/index.ts';
import { advanceRun, resumeRun, startRun } from '../core/runtime/agent-run.ts';
import type { RunAndStep, RunEvent } from '../core/runtime/agent-run-types.ts';
import { describeRun } from '../core/runtime/describe.ts';
import type { AgentOutcome, CallModelResult, JudgedSoFar, RunAgentInput } from '../schemas/agent-io.ts';
import type { AgentRun } from '../schemas/runtime.ts';
import { MODEL_OPTIONS, orderStepOptions, SANDBOX_OPTIONS, TOOLS_OPTIONS } from './activity-options.ts';
import { endOfFailure } from './failures.ts';
import { historyIsLong } from './long-history.ts';
import { markVerdict } from './search-attributes.ts';

/** History after which an agent continues as new: about 165 turns (temporal.md part 2). */
const EVENTS_MAX = 2_000;

const tools = proxyActivities<AgentActivities>(TOOLS_OPTIONS);
const model = proxyActivities<AgentActivities>(MODEL_OPTIONS);

/** Running time of a program where nothing bounds it. */
const PROGRAM_MS = 30 * 60_000;

const NOTHING_JUDGED: JudgedSoFar = { submission: null, last: null, unknownCalls: [] };

interface Performed {
  readonly event: RunEvent;
  readonly judged: JudgedSoFar;
}

/** Runs one dispatch to its end. What the agent did is never a failure of the workflow: every end is an outcome. */
export async function runAgent(input: RunAgentInput): Promise<AgentOutcome> {
  const judge = proxyActivities<JudgeActivities>({ ...SANDBOX_OPTIONS, taskQueue: input.sandboxQueue });
  let at: RunAndStep | null = null;
  let judged = input.carry?.judged ?? NOTHING_JUDGED;
  try {
    const began = await begin(input, judged);
    at = began.at;
    judged = began.judged;
    while (at.step.kind !== 'finish') {
      setCurrentDetails(describeRun(at.run));
      if (isTurn(at.step) && historyIsLong(input.eventsMax ?? EVENTS_MAX)) {
        return await continueAsNew<typeof runAgent>({ ...input, carry: { run: at.run, judged } });
      }
      const performed: Performed = await perform(input, at, judged, judge);
      judged = performed.judged;
      at = advanceRun(at.run, performed.event);
    }
    setCurrentDetails(describeRun(at.run));
    if (input.searchable === true) markVerdict(at.step.end);
    return outcome(at.run, judged, at.step.end);
  } catch (error) {
    const end = endOfFailure(error);
    if (end === null) throw error;
    return outcome(at?.run ?? null, judged, end);
  }
}

interface Began {
  readonly at: RunAndStep;
  readonly judged: JudgedSoFar;
}

/** A run that goes on, one that is open, or one whose first model call has been made in the same step. */
async function begin(input: RunAgentInput, judged: JudgedSoFar): Promise<Began> {
  if (input.carry !== null) return { at: resumeRun(input.carry.run), judged };
  const id = input.at.dispatchId;
  if (input.joinsOpening !== true || input.agent !== undefined) {
    const summary = `Shadow for ${input.title}`;
    const opened = await tools.openAgent.executeWithOptions({ summary }, [input]);
    return { at: startRun({ id, ...opened, ...(input.agent && { isRoom: true }) }), judged };
  }
  const summary = `Shadow and first model call of ${input.title}`;
  const { opened, called } = await model.openAndCall.executeWithOptions({ summary }, [input]);
  const { run } = startRun({ id, ...opened });
  const first = afterCall(input, run, judged, called);
  return { at: advanceRun(run, first.event), judged: first.judged };
}

async function perform(
  input: RunAgentInput,
  { run, step }: RunAndStep,
  judged: JudgedSoFar,
  judge: ActivityInterfaceFor<JudgeActivities>,
): Promise<Performed> {
  switch (step.kind) {
    case 'call_model':
      return callModel(input, run, judged);
    case 'run_tools':
      return { event: await runTools(input, run), judged };
    case 'run_agent':
      return runProgram(input, run, judged);
    case 'judge':
      return judgeAttempt(input, run, judged, judge, step.submit);
    case 'finish':
      return { event: { kind: 'ended', end: step.end }, judged };
  }
}

async function callModel(input: RunAgentInput, run: AgentRun, judged: JudgedSoFar): Promise<Performed> {
  const summary = `Model, turn ${String(run.turn)} of ${input.title}`;
  const result = await model.callModel.executeWithOptions({ summary }, [
    { at: input.at, turn: run.turn, head: run.head, ...(run.isRaised === true && { isRaised: true }) },
  ]);
  return afterCall(input, run, judged, result);
}

function afterCall(
  input: RunAgentInput,
  run: AgentRun,
  judged: JudgedSoFar,
  result: CallModelResult,
): Performed {
  if (result.kind !== 'answered') return { event: { kind: 'ended', end: result }, judged };
  if (result.unknownAttempts === 0) return { event: result, judged };
  const callKey = `${input.at.stageId}/${input.at.nodeId}/${input.at.dispatchId}/t${String(run.turn)}`;
  return {
    event: result,
    judged: {
      ...judged,
      unknownCalls: [...judged.unknownCalls, { callKey, costMicroUsd: result.unknownMicroUsd }],
    },
  };
}

/** One run of the agent's program in its room, on a worker that has rooms. */
async function runProgram(input: RunAgentInput, run: AgentRun, judged: JudgedSoFar): Promise<Performed> {
  const { agent, at, title, sandboxQueue, agentQueue: taskQueue = sandboxQueue } = input;
  if (agent === undefined)
    throw ApplicationFailure.nonRetryable('Cannot run a program: the dispatch names none', 'RunBroken');
  const { turn, head, tree, limits } = run;
  const wallMs = Math.max(1, (limits.runningMsMax ?? PROGRAM_MS) - (run.runningMs ?? 0));
  const rooms = proxyActivities<RoomAgentActivities>({ ...orderStepOptions(wallMs), taskQueue });
  const summary = `${agent.name}, turn ${String(turn)} of ${title}`;
  const asked = { at, agent, turn, head, tree, callsMax: limits.turnsMax, wallMs };
  const result = await rooms.runAgentTurn.executeWithOptions({ summary }, [asked]);
  const { program, unknownCalls, ...ran } = result;
  return {
    event: { kind: 'agent_ran', ...ran },
    judged: { ...judged, program, unknownCalls: [...judged.unknownCalls, ...unknownCalls] },
  };
}

async function runTools(input: RunAgentInput, run: AgentRun): Promise<RunEvent> {
  const result = await tools.runTools.executeWithOptions({ summary: `Tools, turn ${String(run.turn)}` }, [
    {
      at: input.at,
      turn: run.turn,
      head: run.head,
      tree: run.tree,
      answerRef: answerOf(run),
      silentTurnsLeft: run.limits.silentTurnsMax - run.silentTurns,
      ...(run.gaveUp === true && { gaveUp: true }),
      ...(run.cut !== undefined && { cut: run.cut }),
    },
  ]);
  return { kind: 'tools_ran', ...result };
}

async function judgeAttempt(
  input: RunAgentInput,
  run: AgentRun,
  before: JudgedSoFar,
  judge: ActivityInterfaceFor<JudgeActivities>,
  submit: boolean,
): Promise<Performed> {
  const summary = submit
    ? `Gate, attempt ${String(run.attempts + 1)} of ${input.title}`
    : `run_test of ${input.title}`;
  const result = await judge.judgeAttempt.executeWithOptions({ summary }, [
    {
      at: input.at,
      turn: run.turn,
      head: run.head,
      tree: run.tree,
      answerRef: answerOf(run),
      baseCommit: input.baseCommit,
      suite: input.suite,
      testRunsLeft: run.limits.testRunsMax - run.testRuns,
      attempt: run.attempts + 1,
      attemptsMax: run.limits.attemptsMax,
      lastReasons: run.lastReasons,
      ...(run.gaveUp === true && { gaveUp: true }),
      ...(before.told !== undefined && { told: before.told }),
      ...(run.isRoom === true && { isRoom: true as const }),
    },
  ]);
  const judged = {
    ...before,
    submission: result.submission,
    last: result.last ?? before.last,
    ...(result.told !== undefined && { told: (before.told ?? 0) + result.told }),
  };
  return { event: { kind: 'judged', ...result }, judged };
}

function answerOf(run: AgentRun): string {
  if (run.answer === null)
    throw ApplicationFailure.nonRetryable('Cannot run tools: the run has no answer', 'RunBroken');
  return run.answer;
}

/** Between two turns nothing is under way. */
function isTurn({ kind }: RunAndStep['step']): boolean {
  return kind === 'call_model' || kind === 'run_agent';
}

function outcome(run: AgentRun | null, judged: JudgedSoFar, end: AgentOutcome['end']): AgentOutcome {
  return {
    end,
    judged,
    tree: run?.tree ?? null,
    head: run?.head ?? null,
    turns: run?.turn ?? 0,
    ...(run !== null && run.attempts > 1 && { attempts: run.attempts }),
    usage: run?.usage ?? { calls: 0, inputTokens: 0, outputTokens: 0, costMicroUsd: 0 },
  };
}
