/** Scripted activities for workflow tests: a ledger in memory, agents and gates that do what a test says. No containers. */
import { ApplicationFailure, Context } from '@temporalio/activity';
import type { AgentActivities } from '../../activities/agent/index.ts';
import type { JudgeActivities } from '../../activities/judge/index.ts';
import type { StageActivities } from '../../activities/stage/index.ts';
import { canonicalJson } from '../../core/text/canonical.ts';
import { emptyState } from '../../core/stage/draft.ts';
import { foldEvents } from '../../core/stage/fold.ts';
import { intentOf } from '../../core/stage/joined-commit.ts';
import type { StageState } from '../../core/stage/types.ts';
import type {
  AgentCoordinates,
  CallModelResult,
  JudgeInput,
  JudgeResult,
  RunToolsResult,
} from '../../schemas/agent-io.ts';
import type { LedgerEvent } from '../../schemas/ledger.ts';
import type { AppendLedgerInput, AskManagerInput, ManagerAnswer } from '../../schemas/stage-io.ts';
import type { CommitIntent, CommitResult, GateOutcome, Submission } from '../../schemas/stage.ts';
import { digest, facts, gate, oid, submitted, usage } from './stage-world.ts';

/** What an agent's message asks for: a completion, more work, silence (no tool call), or a person. */
export type Message = 'submit' | 'work' | 'silent' | 'ask';

/** Everything a test may say; what it does not say goes well. */
export interface Behaviour {
  readonly message?: (at: AgentCoordinates, turn: number) => Message;
  /** Held until it settles; a cancelled agent does not wait for it. */
  readonly beforeModel?: (at: AgentCoordinates, turn: number) => Promise<void>;
  /** Thrown by the model activity: a fault that is retried. */
  readonly modelFault?: (at: AgentCoordinates, turn: number, attempt: number) => Error | null;
  readonly accepts?: (at: AgentCoordinates, attempt: number) => boolean;
  /** The commit cannot be made in the step that writes its intent. */
  readonly commitsLater?: boolean;
  readonly manager?: (input: AskManagerInput, state: StageState) => ManagerAnswer;
  readonly sealGate?: (nodeId: string) => GateOutcome;
  /** Thrown by the commit activity. */
  readonly commitFault?: () => Error;
}

export interface FakeActivities {
  readonly activities: StageActivities & AgentActivities & JudgeActivities;
  readonly events: LedgerEvent[];
  readonly state: () => StageState;
}

/** Activities over an in-memory ledger that begins with `first`. */
export function fakeActivities(first: LedgerEvent, behaviour: Behaviour): FakeActivities {
  const events: LedgerEvent[] = [first];
  const state = (): StageState => foldEvents(emptyState, events);
  const stage = stageFakes(events, state, behaviour);
  return { activities: { ...stage, ...agentFakes(behaviour), ...judgeFakes(behaviour) }, events, state };
}

function stageFakes(events: LedgerEvent[], state: () => StageState, behaviour: Behaviour): StageActivities {
  let commits = 0;
  const append = ({ fromSeq, events: fresh }: AppendLedgerInput): Promise<void> => {
    const there = events.slice(fromSeq - 1, fromSeq - 1 + fresh.length);
    const same = there.every((event, index) => canonicalJson(event) === canonicalJson(fresh[index]));
    if (fromSeq > events.length + 1 || !same)
      throw ApplicationFailure.nonRetryable(`at ${String(fromSeq)}`, 'LedgerDiverged');
    events.push(...fresh.slice(there.length));
    return Promise.resolve();
  };
  const commit = (intent: CommitIntent): Promise<CommitResult> => {
    commits += 1;
    const made = oid(1000 + commits);
    const head = intent.kind === 'code' ? made : state().head;
    return Promise.resolve({ status: 'committed', commit: made, head, facts });
  };
  return {
    openStage(at) {
      const last = state().run;
      const open = last !== null && !['sealed', 'halted', 'rested'].includes(last.phase);
      return Promise.resolve({
        run: (last?.run ?? 0) + 1,
        lifecycle: open ? 'taken_over' : last?.stage === at.stageId ? 'resumed' : 'new',
        takeOverReason: open ? 'no workflow moves it' : null,
        head: state().head,
        state: { kind: 'inline', json: JSON.stringify(state()) },
      });
    },
    loadPiece: () => Promise.reject(new Error('states of these tests are small')),
    appendLedger: append,
    async appendAndCommit(input) {
      await append(input);
      const intent = intentOf(input.events);
      const isLater = behaviour.commitsLater === true || behaviour.commitFault !== undefined;
      return intent === null || isLater ? null : commit(intent);
    },
    askManager(input) {
      if (behaviour.manager === undefined) throw new Error('this stage has no manager to ask');
      return Promise.resolve(behaviour.manager(input, state()));
    },
    review: () => Promise.resolve({ kind: 'answered', findings: [], callKey: 'review', costMicroUsd: 1 }),
    consult: () => Promise.reject(new Error('nobody is consulted here')),
    commit: ({ intent }) =>
      behaviour.commitFault === undefined ? commit(intent) : Promise.reject(behaviour.commitFault()),
  };
}

function agentFakes(behaviour: Behaviour): AgentActivities {
  const limits = { turnsMax: 40, attemptsMax: 3, testRunsMax: 12, silentTurnsMax: 3 };
  const messageOf = (at: AgentCoordinates, turn: number): Message =>
    behaviour.message?.(at, turn) ?? 'submit';
  const fakes: Omit<AgentActivities, 'openAndCall'> = {
    openAgent: ({ at }) =>
      Promise.resolve({ goal: at.nodeId, tree: oid(7), head: digest(5), limits, requirements: [] }),
    async callModel({ at, turn }): Promise<CallModelResult> {
      const fault = behaviour.modelFault?.(at, turn, Context.current().info.attempt) ?? null;
      if (fault !== null) throw fault;
      await unlessCancelled(behaviour.beforeModel?.(at, turn));
      const toolCalls = messageOf(at, turn) === 'silent' ? 0 : 1;
      return {
        kind: 'answered',
        answerRef: digest(turn),
        toolCalls,
        unknownAttempts: 0,
        unknownMicroUsd: 0,
        usage,
      };
    },
    runTools({ at, turn, tree }): Promise<RunToolsResult> {
      const message = messageOf(at, turn);
      const suspension = message === 'ask' ? { type: 'far' as const, detail: 'Which rounding?' } : null;
      return Promise.resolve({
        tree,
        head: digest(turn),
        submit: message === 'submit',
        tests: 0,
        suspension,
      });
    },
  };
  return {
    ...fakes,
    async openAndCall(input) {
      const opened = await fakes.openAgent(input);
      return { opened, called: await fakes.callModel({ at: input.at, turn: 1, head: opened.head }) };
    },
  };
}

function judgeFakes(behaviour: Behaviour): JudgeActivities {
  return {
    judgeAttempt: (input) =>
      Promise.resolve(judged(input, behaviour.accepts?.(input.at, input.attempt) ?? true)),
    regate: () => Promise.resolve(gate()),
    checkSealNode: ({ nodeId }) =>
      Promise.resolve({
        outcome: behaviour.sealGate?.(nodeId) ?? gate(),
        exportedInterface: { exports: ['def f() -> int: ...'], raises: [], guarantees: [], assumptions: [] },
      }),
    checkSealProject: () =>
      Promise.resolve({ verdict: 'PASS', isPlatform: false, reportDigest: digest(8), reason: '' }),
  };
}

function judged({ head, tree, attempt }: JudgeInput, accepted: boolean): JudgeResult {
  const last = { reportDigest: digest(9), suspect: 'code' as const, tree };
  const reasons = accepted ? [] : [`attempt ${String(attempt)}: wrong value`];
  const submission = accepted ? submissionOf(tree) : null;
  return { head, accepted, reasons, testRuns: 1, submission, last, giveBack: null };
}

function submissionOf(tree: string): Submission {
  const result = submitted({ tree });
  if (result.status !== 'submitted') throw new Error('a submission was expected');
  return result.submission;
}

/** Waits for `held` with heartbeats, so that a cancel arrives; without it returns at once. */
async function unlessCancelled(held: Promise<void> | undefined): Promise<void> {
  if (held === undefined) return;
  const context = Context.current();
  const beat = setInterval(() => context.heartbeat(), 200);
  try {
    await Promise.race([held, context.cancelled]);
  } finally {
    clearInterval(beat);
  }
}
