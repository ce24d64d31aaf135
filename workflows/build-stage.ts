/**
 * Workflow `buildStage`: feeds what happens to `core/stage/decide`, has its events written to the ledger, then performs
 * its commands. No rule about nodes lives here.
 */
import {
  ApplicationFailure,
  CancellationScope,
  condition,
  continueAsNew,
  proxyActivities,
  setCurrentDetails,
  setDefaultSignalHandler,
  setHandler,
  uuid4,
  workflowInfo,
} from '@temporalio/workflow';
import type { StageActivities } from '../activities/stage/index.ts';
import { ledgerSummary } from '../core/ledger/summary.ts';
import { decide } from '../core/stage/decide.ts';
import { describeStage } from '../core/stage/describe.ts';
import { joinedCommit } from '../core/stage/joined-commit.ts';
import { readSignal, unknownSignal } from '../core/stage/read-signal.ts';
import type { StageCommand, StageInput, StageState } from '../core/stage/types.ts';
import { commandsUnderWay, isStartedAgain } from '../core/stage/under-way.ts';
import type { BuildStageInput, OpenStageResult, StageOutcome } from '../schemas/stage-io.ts';
import type { LedgerEvent } from '../schemas/ledger.ts';
import { LEDGER_OPTIONS } from './activity-options.ts';
import { boardQuery, inputSignal } from './messages.ts';
import { markOutcome } from './search-attributes.ts';
import { StagePerformer } from './stage-performer.ts';

/** Continue as new when nothing is in flight; above the second bound nothing new is started until then (design part 4). */
const EVENTS_SOFT_MAX = 4_000;
const EVENTS_HARD_MAX = 10_000;

const ledger = proxyActivities<StageActivities>(LEDGER_OPTIONS);

/** Everything that is carried through the life of one stage workflow. */
interface Stage {
  readonly input: BuildStageInput;
  readonly inbox: StageInput[];
  readonly run: number;
  state: StageState;
  /** Set once: what ended a step that must not end. */
  failure: { readonly error: unknown } | null;
}

/** Builds one stage until it is sealed, halted or at rest. Cancelling the workflow means halt. */
export async function buildStage(input: BuildStageInput): Promise<StageOutcome> {
  const inbox: StageInput[] = [];
  let stage: Stage | null = null;
  setHandler(inputSignal, (payload) => void inbox.push(inputOf(payload)));
  setDefaultSignalHandler((name, ...payload) => {
    const refusal = unknownSignal(name, payload[0], uuid4());
    inbox.push({ kind: 'noted', event: { type: 'input_refused', data: refusal } });
  });
  setHandler(boardQuery, () =>
    stage === null ? 'opening' : describeStage(stage.state, input.at.sessionDir),
  );
  haltWhenCancelled(inbox);
  return CancellationScope.nonCancellable(async () => {
    stage = await openStage(input, inbox);
    return drive(stage);
  });
}

/** What came from outside is parsed before anything is decided by it. */
function inputOf(payload: unknown): StageInput {
  const read = readSignal(payload, uuid4());
  if (read.ok) return { kind: 'input', input: read.input };
  return { kind: 'noted', event: { type: 'input_refused', data: read.refusal } };
}

function haltWhenCancelled(inbox: StageInput[]): void {
  void CancellationScope.current().cancelRequested.catch(() => {
    inbox.push({ kind: 'halt_requested', reason: 'The workflow was cancelled', source: 'cancel' });
  });
}

async function openStage(input: BuildStageInput, inbox: StageInput[]): Promise<Stage> {
  const opened = await ledger.openStage.executeWithOptions({ summary: `Open stage ${input.at.stageId}` }, [
    input.at,
  ]);
  const state = await stateOf(input, opened);
  if (input.carry !== null) {
    inbox.unshift({ kind: 'wake' });
    return { input, inbox, run: input.carry.run, state, failure: null };
  }
  const { run, lifecycle, head, takeOverReason } = opened;
  const owner = workflowInfo().firstExecutionRunId;
  inbox.unshift({
    kind: 'opened',
    stage: input.at.stageId,
    run,
    lifecycle,
    head,
    options: input.options,
    owner,
    ...(takeOverReason === null ? {} : { takeOverReason }),
  });
  return { input, inbox, run, state, failure: null };
}

/** The activity has checked the lines that this state is the fold of, so it is not parsed again here. */
async function stateOf(input: BuildStageInput, opened: OpenStageResult): Promise<StageState> {
  if (opened.state.kind === 'inline') return JSON.parse(opened.state.json) as StageState;
  let json = '';
  for (let piece = 0; piece < opened.state.pieces; piece += 1) {
    json += await ledger.loadPiece(input.at, opened.state.ref, piece);
  }
  return JSON.parse(json) as StageState;
}

async function drive(stage: Stage): Promise<StageOutcome> {
  const { historyBounds } = stage.input;
  const softMax = historyBounds?.stageSoftMax ?? EVENTS_SOFT_MAX;
  const hardMax = historyBounds?.stageHardMax ?? EVENTS_HARD_MAX;
  const performer = new StagePerformer(stage.input, stage.run, {
    feed: (input) => stage.inbox.push(input),
    fail: (error) => (stage.failure ??= { error }),
  });
  if (stage.input.carry !== null) performer.performAll(commandsUnderWay(stage.state), stage.state);
  try {
    for (;;) {
      await condition(() => stage.inbox.length > 0 || stage.failure !== null);
      if (stage.failure !== null) throw stage.failure.error;
      const commands = await decideAll(stage);
      const close = commands.find((command) => command.kind === 'close');
      if (close !== undefined) return ended(stage, close);
      const { historyLength } = workflowInfo();
      // What the next run starts again by itself waits for it; the rest would be lost.
      const due = historyLength < hardMax ? commands : commands.filter((each) => !isStartedAgain(each));
      performer.performAll(due, stage.state);
      if (historyLength >= softMax && performer.idle() && stage.inbox.length === 0) {
        await continueAsNew<typeof buildStage>({ ...stage.input, carry: { run: stage.run } });
      }
    }
  } finally {
    performer.cancelAll();
  }
}

function ended({ input }: Stage, { status, code, message }: StageOutcome): StageOutcome {
  const outcome = { status, code, message };
  markOutcome(input, outcome);
  return outcome;
}

/** Decides about everything in the inbox, then has all of it in the ledger before anything is performed. */
async function decideAll(stage: Stage): Promise<readonly StageCommand[]> {
  const events: LedgerEvent[] = [];
  const commands: StageCommand[] = [];
  const fromSeq = stage.state.seq + 1;
  for (let input = stage.inbox.shift(); input !== undefined; input = stage.inbox.shift()) {
    const decision = decideOrFail(stage.state, input);
    events.push(...decision.events);
    commands.push(...decision.commands);
    stage.state = decision.state;
  }
  setCurrentDetails(describeStage(stage.state, stage.input.at.sessionDir));
  return events.length === 0 ? commands : write(stage, fromSeq, events, commands);
}

/** Writes the events; gives the commands that are still to be performed. */
async function write(
  stage: Stage,
  fromSeq: number,
  events: LedgerEvent[],
  commands: readonly StageCommand[],
): Promise<readonly StageCommand[]> {
  const summary = ledgerSummary(fromSeq, events);
  const request = { at: stage.input.at, run: stage.run, fromSeq, events };
  const intent = stage.input.joinsCommits === true ? joinedCommit(events, commands) : null;
  if (intent === null) {
    await ledger.appendLedger.executeWithOptions({ summary }, [request]);
    return commands;
  }
  const commitSummary = `Commit ${intent.kind} of ${intent.nodeId}`;
  const result = await ledger.appendAndCommit.executeWithOptions({ summary: commitSummary }, [request]);
  if (result === null) return commands;
  stage.inbox.push({ kind: 'commit_finished', intentId: intent.intentId, result });
  return commands.filter((command) => command.kind !== 'commit');
}

/** A broken invariant must end the workflow, not fail its task for ever (style part 7). */
function decideOrFail(state: StageState, input: StageInput): ReturnType<typeof decide> {
  try {
    return decide(state, input);
  } catch (error) {
    throw ApplicationFailure.nonRetryable(
      error instanceof Error ? error.message : String(error),
      'DecisionFailed',
    );
  }
}
