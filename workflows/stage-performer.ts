/** Performs the commands of a stage: starts activities and children, and turns how they end into inputs. */
import { CancellationScope, isCancellation, proxyActivities, sleep } from '@temporalio/workflow';
import type { StageActivities } from '../activities/stage/index.ts';
import type { StageCommand, StageInput, StageState } from '../core/stage/types.ts';
import type { BuildStageInput } from '../schemas/stage-io.ts';
import type { GateOutcome } from '../schemas/stage.ts';
import { COMMIT_OPTIONS, MODEL_OPTIONS } from './activity-options.ts';
import {
  checkSeal,
  NOT_JUDGED,
  type StageListener,
  budgetReached,
  callAway,
  judgeOn,
  review,
  unknownCall,
} from './performer-parts.ts';
import { startAgent } from './start-agent.ts';

const committer = proxyActivities<StageActivities>(COMMIT_OPTIONS);
const model = proxyActivities<StageActivities>(MODEL_OPTIONS);

type CommandOf<K extends StageCommand['kind']> = Extract<StageCommand, { kind: K }>;

/** One instance drives one workflow run. What it starts ends as an input, and what cannot go on as a failure of the workflow. */
export class StagePerformer {
  readonly #input: BuildStageInput;
  readonly #run: number;
  readonly #feed: (input: StageInput) => void;
  readonly #fail: (error: unknown) => void;
  readonly #agents = new Map<string, CancellationScope>();
  #underWay = 0;
  #askedTurn: number | null = null;
  #wait: CancellationScope | null = null;

  constructor(input: BuildStageInput, run: number, { feed, fail }: StageListener) {
    this.#input = input;
    this.#run = run;
    this.#feed = (each) => {
      this.#wait?.cancel();
      this.#wait = null;
      feed(each);
    };
    this.#fail = fail;
  }

  /** True when nothing that was started is still running. A wait for a person does not count. */
  idle(): boolean {
    return this.#underWay === 0;
  }

  /** Starts every command, in order. `state` is the state after all of them were decided. */
  performAll(commands: readonly StageCommand[], state: StageState): void {
    for (const command of commands) this.#perform(command, state);
  }

  /** Ends all children; used when the stage ends for a reason of its own. */
  cancelAll(): void {
    for (const scope of this.#agents.values()) scope.cancel();
    this.#wait?.cancel();
  }

  #perform(command: StageCommand, state: StageState): void {
    switch (command.kind) {
      case 'ask_manager': {
        this.#askManager(command, state);
        return;
      }
      case 'consult': {
        this.#start(() => this.#consult(command, state));
        return;
      }
      case 'review': {
        this.#start(() => review(this.#input.at, this.#run, command));
        return;
      }
      case 'start_agent': {
        this.#startAgent(command);
        return;
      }
      case 'regate': {
        this.#start(() => this.#regate(command));
        return;
      }
      case 'commit': {
        this.#start(() => this.#commit(command));
        return;
      }
      case 'check_seal': {
        const request = { at: this.#input.at, run: this.#run, seq: state.seq, head: state.head };
        this.#start(() => checkSeal(this.#input.sandboxQueue, request, command));
        return;
      }
      case 'cancel_agents':
        for (const id of command.dispatchIds) this.#agents.get(id)?.cancel();
        return;
      case 'await_input': {
        this.#awaitInput();
        return;
      }
      case 'close':
        return;
    }
  }

  #start(work: () => Promise<StageInput>): void {
    this.#underWay += 1;
    // A rejection that nobody hears would fail the workflow's task for ever, instead of the workflow.
    void work().then((input) => {
      this.#underWay -= 1;
      this.#feed(input);
    }, this.#fail);
  }

  /** A person answers by signal, so only a model is called; one call a turn is out at a time. */
  #askManager(command: CommandOf<'ask_manager'>, state: StageState): void {
    if (this.#input.options.manager === 'human' || this.#askedTurn === command.turn) return;
    this.#askedTurn = command.turn;
    this.#start(async () => {
      const input = await this.#managerAnswer(command, state);
      this.#askedTurn = null;
      return input;
    });
  }

  async #managerAnswer(command: CommandOf<'ask_manager'>, state: StageState): Promise<StageInput> {
    const { turn, inputIds } = command;
    try {
      const summary = `Manager, turn ${String(turn)}`;
      const request = { at: this.#input.at, run: this.#run, turn, seq: state.seq, inputIds: [...inputIds] };
      const answer = await model.askManager.executeWithOptions({ summary }, [request]);
      if (answer.kind === 'rested')
        return { kind: 'call_rested', code: answer.code, message: answer.message };
      if (answer.kind === 'budget') return budgetReached(answer);
      const { callKey, costMicroUsd } = answer;
      if (answer.unknownAttempts > 0)
        this.#feed(unknownCall({ callKey, costMicroUsd: answer.unknownMicroUsd }, null));
      return {
        kind: 'manager_answered',
        turn,
        answer: answer.answer,
        callKey,
        costMicroUsd,
        readInputIds: inputIds,
      };
    } catch (error) {
      return callAway(error);
    }
  }

  async #consult(command: CommandOf<'consult'>, state: StageState): Promise<StageInput> {
    const { turn, question, relevantNodeIds, constraints } = command;
    const request = { at: this.#input.at, run: this.#run, turn, seq: state.seq, question };
    try {
      const answer = await model.consult.executeWithOptions({ summary: `Consult, turn ${String(turn)}` }, [
        { ...request, relevantNodeIds: [...relevantNodeIds], constraints: [...constraints] },
      ]);
      if (answer.kind === 'rested')
        return { kind: 'call_rested', code: answer.code, message: answer.message };
      if (answer.kind === 'budget') return budgetReached(answer);
      return {
        kind: 'consult_answered',
        verdict: answer.verdict,
        callKey: answer.callKey,
        costMicroUsd: answer.costMicroUsd,
      };
    } catch (error) {
      return callAway(error);
    }
  }

  #startAgent(command: CommandOf<'start_agent'>): void {
    const { nodeId, dispatchId } = command.record;
    const scope = new CancellationScope({ cancellable: true });
    this.#agents.set(dispatchId, scope);
    this.#start(async () => {
      const { unknownCalls, ...ended } = await scope.run(() => startAgent(this.#input, this.#run, command));
      this.#agents.delete(dispatchId);
      for (const call of unknownCalls) this.#feed(unknownCall(call, dispatchId));
      return { kind: 'agent_returned', nodeId, dispatchId, ...ended };
    });
  }

  async #regate({ gate }: CommandOf<'regate'>): Promise<StageInput> {
    const { gateId, nodeId, tree, suite, baseCommit } = gate;
    const outcome = await this.#judged(async (judge) =>
      judge.regate.executeWithOptions({ summary: `Gate ${nodeId} again (${gate.reason})` }, [
        { at: this.#input.at, run: this.#run, gateId, nodeId, tree, suite, head: baseCommit },
      ]),
    );
    return { kind: 'gate_finished', gateId, nodeId, outcome };
  }

  async #commit({ intent }: CommandOf<'commit'>): Promise<StageInput> {
    const summary = `Commit ${intent.kind} of ${intent.nodeId}`;
    const result = await committer.commit.executeWithOptions({ summary }, [
      { at: this.#input.at, run: this.#run, intent },
    ]);
    return { kind: 'commit_finished', intentId: intent.intentId, result };
  }

  /** A gate that cannot be run at all is INVALID platform: retried by core's rules, charged to nobody. */
  async #judged(work: (judge: ReturnType<typeof judgeOn>) => Promise<GateOutcome>): Promise<GateOutcome> {
    try {
      return await work(judgeOn(this.#input.sandboxQueue));
    } catch {
      return NOT_JUDGED;
    }
  }

  #awaitInput(): void {
    if (this.#wait !== null) return;
    const scope = new CancellationScope({ cancellable: true });
    this.#wait = scope;
    const { humanWaitMs } = this.#input;
    void scope
      .run(() => sleep(humanWaitMs, { summary: 'Waiting for a person' }))
      .then(() => {
        this.#feed({
          kind: 'halt_requested',
          reason: `No answer within ${String(humanWaitMs)} ms`,
          source: 'human_wait',
        });
      })
      .catch((error: unknown) => {
        if (!isCancellation(error)) throw error;
      });
  }
}
