/** Simulated agents, gates, managers, people and crashes around `decide`, driven by a stream of choices. */
import type { HumanInput, LedgerEvent } from '../../schemas/ledger.ts';
import type { NodeStatus } from '../../schemas/stage.ts';
import { decide } from '../../core/stage/decide.ts';
import { emptyState } from '../../core/stage/draft.ts';
import { foldEvents } from '../../core/stage/fold.ts';
import type { StageCommand, StageInput, StageState } from '../../core/stage/types.ts';
import {
  chooseAction,
  chooseGate,
  chooseNodes,
  chooseOptions,
  chooseResult,
  NoMoreChoices,
  type Choices,
} from './stage-choices.ts';
import { Witness } from './stage-invariants.ts';
import { Editor } from './stage-edits.ts';
import { wellDone } from './stage-well-done.ts';
import { digest, facts, finding, oid, refusal, seeded, tag } from './stage-world.ts';

export interface Tally {
  readonly events: Map<string, number>;
  readonly rejections: Map<string, number>;
  readonly transitions: Map<string, number>;
}

/** One whole sequence. Returns its events; throws when a guarantee breaks. */
export function simulate(choose: Choices, tally: Tally): LedgerEvent[] {
  const simulation = new Simulation(choose, tally);
  try {
    for (;;) simulation.step();
  } catch (error) {
    if (!(error instanceof NoMoreChoices)) throw error;
  }
  simulation.finish();
  return simulation.events;
}

/** Steps in which every run must come to its end. */
const STEPS_TO_END_MAX = 3_000;
const ended = ['halted', 'rested', 'sealed'];

class Simulation {
  readonly events: LedgerEvent[] = [];
  private state: StageState = emptyState;
  private waiting: StageCommand[] = [];
  private fresh = 100;
  private inputs = 0;
  private readonly editor: Editor;
  private readonly witness = new Witness();
  private readonly choose: Choices;
  private readonly tally: Tally;

  constructor(choose: Choices, tally: Tally) {
    this.choose = choose;
    this.tally = tally;
    this.editor = new Editor(choose, () => this.next());
    const event = seeded(chooseNodes(choose), [
      { id: 'core', name: 'core', kind: 'pure' },
      { id: 'app', name: 'app', kind: 'io' },
    ]);
    this.apply(event);
  }

  step(): void {
    const { run } = this.state;
    if (run === null || ended.includes(run.phase)) {
      this.open(
        run !== null && run.phase !== 'sealed' ? 'resumed' : 'new',
        run?.phase === 'sealed' ? null : (run?.stage ?? null),
      );
    } else if (this.choose.chance(2)) {
      this.open('taken_over', run.stage);
    } else {
      this.send(this.nextInput());
    }
  }

  finish(): void {
    this.runToItsEnd();
    const folded = foldEvents(emptyState, this.events);
    if (JSON.stringify(folded) !== JSON.stringify(this.state))
      throw new Error('G7 the fold of all events is the state');
  }

  /** Every run ends: with agents, gates and commits that do well, and a manager who has nothing to say but HALT. */
  private runToItsEnd(): void {
    for (let step = 0; step < STEPS_TO_END_MAX; step += 1) {
      const { run } = this.state;
      if (run === null || ended.includes(run.phase)) return;
      const command = this.waiting.shift();
      if (command === undefined) {
        const waits = run.phase === 'waiting' || run.options.manager === 'human';
        if (waits) return;
        throw new Error(`stuck: phase ${run.phase}, nothing is awaited`);
      }
      this.send(
        wellDone(command, {
          head: this.state.head,
          next: () => this.next(),
          pass: (outcome) => this.pass(outcome),
        }),
      );
    }
    throw new Error('a run did not end');
  }

  private open(lifecycle: 'new' | 'resumed' | 'taken_over', stage: string | null): void {
    const active = this.state.stageOrder.filter((id) => this.state.stages[id]?.status !== 'sealed');
    if (active.length === 0) throw new NoMoreChoices();
    if (lifecycle !== 'taken_over' && this.choose.chance(6)) this.withdrawVerdict();
    if (lifecycle !== 'taken_over' && this.choose.chance(12))
      for (const event of this.editor.change(this.state)) this.apply(event);
    const wanted =
      stage !== null && active.includes(stage)
        ? stage
        : this.choose.chance(85)
          ? (active[0] ?? 'core')
          : this.choose.pick(active);
    const options = chooseOptions(this.choose, Object.keys(this.state.nodes));
    this.waiting = [];
    this.send({
      kind: 'opened',
      stage: wanted,
      run: (this.state.run?.run ?? 0) + 1,
      lifecycle,
      head: this.state.head,
      options,
      owner: 'simulation',
      takeOverReason: 'killed',
    });
  }

  /** `verify` refutes what was said of a node, at rest. */
  private withdrawVerdict(): void {
    const refused = Object.keys(this.state.nodes).filter(
      (id) => this.state.nodes[id]?.refusedBy !== undefined,
    );
    const nodeId = refused[0] ?? this.choose.pick(Object.keys(this.state.nodes));
    const reportDigest = this.state.nodes[nodeId]?.refusedBy ?? digest(9);
    const verdicts = { verdict: 'FAIL', again: 'PASS', againDigest: digest(8) } as const;
    this.apply({ type: 'verdict_withdrawn', data: { nodeId, reportDigest, ...verdicts } });
  }

  private nextInput(): StageInput {
    const person = this.state.inputs.length < 5 && this.choose.chance(this.personPercent());
    if (person) return this.personInput();
    if (this.choose.chance(2)) return this.rareInput();
    const index = this.choose.number(Math.max(1, this.waiting.length));
    const command = this.waiting[index];
    if (command === undefined) return { kind: 'wake' };
    // Once the choices are used up it still waits: the end of the run answers it.
    const answer = this.answerTo(command);
    this.waiting.splice(index, 1);
    return answer;
  }

  /** People matter when nothing else moves, and when the turns are used up. */
  private personPercent(): number {
    if (this.state.run?.mode === 'dead') return 40;
    if (this.waiting.length === 0) return 60;
    return this.built().length > 0 ? 16 : 8;
  }

  /** Nodes of an active stage with something built on them: poisoning those takes and gives back most. */
  private built(): string[] {
    const { nodes, stages } = this.state;
    const below = Object.values(nodes)
      .filter((node) => node.status === 'grounded' || node.status === 'provisional')
      .filter((node) => stages[node.stage]?.status === 'active')
      .flatMap((node) => node.structural ?? []);
    return below.filter(
      (id) => nodes[id]?.root !== true && stages[nodes[id]?.stage ?? '']?.status === 'active',
    );
  }

  private answerTo(command: StageCommand): StageInput {
    switch (command.kind) {
      case 'ask_manager':
        return this.managerAnswer(command.turn, command.inputIds);
      case 'consult':
        return { kind: 'consult_answered', verdict: 'yes', callKey: null, costMicroUsd: 5 };
      case 'review': {
        const findings = this.choose.chance(50) ? [] : [finding];
        return { ...command, kind: 'reviewed', findings, callKey: null, costMicroUsd: 3 };
      }
      case 'start_agent': {
        const { nodeId, dispatchId, role } = command.record;
        const result = chooseResult(this.choose, role === 'analyst', this.next());
        if (result.status === 'submitted' && result.submission.gate !== null)
          this.pass(result.submission.gate);
        return { kind: 'agent_returned', nodeId, dispatchId, result };
      }
      case 'regate': {
        const outcome = chooseGate(this.choose, this.next());
        this.pass(outcome);
        return { kind: 'gate_finished', gateId: command.gate.gateId, nodeId: command.gate.nodeId, outcome };
      }
      case 'commit':
        return this.commitResult(command);
      case 'check_seal':
        return this.sealCheck(command.nodeIds);
      case 'await_input':
        return this.choose.chance(10)
          ? { kind: 'halt_requested', reason: 'no answer', source: 'human_wait' }
          : this.personInput();
      case 'cancel_agents':
      case 'close':
        return { kind: 'wake' };
    }
  }

  private managerAnswer(turn: number, readInputIds: readonly string[]): StageInput {
    const told = this.choose.chance(3) ? turn + 1 : turn;
    const base = {
      kind: 'manager_answered',
      turn: told,
      callKey: 'k',
      costMicroUsd: 3,
      readInputIds,
    } as const;
    if (this.choose.chance(4))
      return { ...base, answer: { kind: 'garbage', text: '?', reason: 'no tool call' } };
    return { ...base, answer: { kind: 'action', action: chooseAction(this.choose, this.state) } };
  }

  private commitResult(command: Extract<StageCommand, { kind: 'commit' }>): StageInput {
    const { intentId, kind } = command.intent;
    const commit = oid(this.next());
    const head = kind === 'code' ? commit : this.state.head;
    const result = this.choose.weighted([
      [80, { status: 'committed' as const, commit, head, facts }],
      [10, { status: 'head_moved' as const, head: oid(this.next()) }],
      [4, { status: 'conflict' as const, paths: ['a.py'] }],
      [3, { status: 'dirty' as const, paths: ['b.py'] }],
      [3, { status: 'not_pass' as const, reason: 'report says FAIL' }],
    ]);
    return { kind: 'commit_finished', intentId, result };
  }

  private sealCheck(nodeIds: readonly string[]): StageInput {
    const verdicts = Object.fromEntries(
      nodeIds.map((id) => [
        id,
        this.choose.chance(85)
          ? chooseGate(this.choose, 3)
          : { ...chooseGate(this.choose, 3), verdict: 'PASS' as const, fault: null },
      ]),
    );
    return { kind: 'seal_checked', head: this.state.head, verdicts, exportedInterfaces: {} };
  }

  private personInput(): StageInput {
    this.inputs += 1;
    const nodeIds = Object.keys(this.state.nodes);
    const node = this.choose.pick(nodeIds);
    const far = nodeIds.filter((id) => this.state.nodes[id]?.reason === 'far');
    const unverified = nodeIds.flatMap((id) =>
      (this.state.nodes[id]?.unverified ?? []).map((to) => `/verify ${id} ${to}`),
    );
    const base = {
      id: this.choose.chance(3) ? 'i1' : `i${this.inputs}`,
      by: 'me',
      text: '',
      nodeId: null,
      action: null,
    };
    const human = this.state.run?.options.manager === 'human';
    const input = this.choose.weighted<() => HumanInput>([
      [
        human ? 60 : 12,
        () => ({ ...base, kind: 'action' as const, action: chooseAction(this.choose, this.state) }),
      ],
      [
        25,
        () => ({
          ...base,
          kind: 'answer' as const,
          nodeId: far.length > 0 ? this.choose.pick(far) : node,
          text: 'blue',
        }),
      ],
      [10, () => ({ ...base, kind: 'text' as const, text: 'hello' })],
      [
        14,
        () => ({
          ...base,
          kind: 'slash' as const,
          text: this.choose.pick([
            `/poison ${node} bad`,
            ...this.built().map((id) => `/poison ${id} bad`),

            '/nothing',
            ...unverified,
            ...unverified,
          ]),
        }),
      ],
      [1, () => ({ ...base, kind: 'halt' as const, text: 'stop' })],
    ])();
    return { kind: 'input', input };
  }

  private rareInput(): StageInput {
    return this.choose.weighted<StageInput>([
      [2, { kind: 'halt_requested', reason: 'cancel', source: 'cancel' }],
      [2, { kind: 'call_rested', code: 'auth', message: 'refused' }],
      [2, { kind: 'budget_reached', spentMicroUsd: 5, capMicroUsd: 5, nextMicroUsd: 1 }],
      [
        4,
        {
          kind: 'noted',
          event: { type: 'call_unknown', data: { callKey: 'k', dispatchId: null, costMicroUsd: 7 } },
        },
      ],
      [4, { kind: 'noted', event: { type: 'tagged', data: { tag } } }],
      [4, { kind: 'noted', event: { type: 'input_refused', data: refusal } }],
      [2, { kind: 'wake' }],
    ]);
  }

  private pass(outcome: { verdict: string; level: string; reportDigest: string }): void {
    if (outcome.verdict === 'PASS' && outcome.level !== 'L0') this.witness.passed.add(outcome.reportDigest);
  }

  private next(): number {
    this.fresh += 1;
    return this.fresh;
  }

  private send(input: StageInput): void {
    const before = this.state;
    const decision = decide(before, input);
    this.record(before, decision.events, decision.state);
    this.state = decision.state;
    for (const command of decision.commands) this.keep(command);
    this.mustMove();
  }

  private keep(command: StageCommand): void {
    const twice =
      command.kind === 'ask_manager' &&
      this.waiting.some((other) => other.kind === 'ask_manager' && other.turn === command.turn);
    if (command.kind === 'close') this.waiting = [];
    else if (command.kind !== 'cancel_agents' && !twice) this.waiting.push(command);
  }

  /** Liveness: a run that is not over waits for something. */
  private mustMove(): void {
    const { run } = this.state;
    if (run === null || ended.includes(run.phase)) return;
    if (this.waiting.length === 0 && run.phase !== 'waiting' && run.options.manager !== 'human') {
      throw new Error(`stuck: phase ${run.phase}, nothing is awaited`);
    }
  }

  private apply(event: LedgerEvent): void {
    const after = foldEvents(this.state, [event]);
    this.record(this.state, [event], after);
    this.state = after;
  }

  private record(before: StageState, events: readonly LedgerEvent[], after: StageState): void {
    this.events.push(...events);
    let state = before;
    for (const event of events) {
      count(this.tally.events, event.type);
      if (event.type === 'action_rejected') count(this.tally.rejections, event.data.code);
      const next = foldEvents(state, [event]);
      for (const [id, node] of Object.entries(next.nodes)) {
        const was: NodeStatus | undefined = state.nodes[id]?.status;
        if (was !== undefined && was !== node.status && !EDITED.includes(event.type))
          count(this.tally.transitions, `${was}>${node.status}`);
      }
      state = next;
    }
    if (!isSame(state, after)) throw new Error('G7 the state is the fold of the events');
    this.witness.observe(before, events, after);
  }
}

/** A person's change moves statuses without the table: work is void, or counts again. */
const EDITED: readonly string[] = ['contract_changed', 'replaced'];

/** Equal in every member and their order. Folds of one state share what did not change: that is not looked at again. */
function isSame(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  const [mine, theirs] = [left as Record<string, unknown>, right as Record<string, unknown>];
  const [keys, others] = [Object.keys(mine), Object.keys(theirs)];
  return (
    keys.length === others.length &&
    keys.every((key, index) => key === others[index] && isSame(mine[key], theirs[key]))
  );
}

function count(tally: Map<string, number>, key: string): void {
  tally.set(key, (tally.get(key) ?? 0) + 1);
}
