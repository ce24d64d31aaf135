/** A small world around `decide`: graphs, results and a driver, so that tests say only what is special. */
import { LedgerEvent } from '../../schemas/ledger.ts';
import type { LedgerEventOf, LedgerEventType } from '../../schemas/ledger.ts';
import {
  StageOptions,
  type AgentResult,
  type GateOutcome,
  type ProjectOutcome,
  type SeedNode,
} from '../../schemas/stage.ts';
import { decide } from '../../core/stage/decide.ts';
import { emptyState } from '../../core/stage/draft.ts';
import { foldEvents } from '../../core/stage/fold.ts';
import type { StageCommand, StageInput, StageState } from '../../core/stage/types.ts';

export const oid = (n: number): string => n.toString(16).padStart(40, '0');
export const digest = (n: number): string => `sha256:${n.toString(16).padStart(64, '0')}`;
export const usage = { inputTokens: 10, outputTokens: 5, costMicroUsd: 100, calls: 1 };

export function seedNode(id: string, over: Partial<SeedNode> = {}): SeedNode {
  return {
    id,
    stage: 'core',
    type: 'feature',
    mode: 'A',
    weight: 'lean',
    noTests: false,
    maxRetries: 3,
    structural: [],
    assumption: [],
    digest: digest(1),
    ...over,
  };
}

type Seeded = LedgerEventOf<'seeded'>['data'];

export function seeded(
  nodes: SeedNode[],
  stages: Seeded['stages'] = [{ id: 'core', name: 'core', kind: 'pure' }],
): LedgerEvent {
  const project = { projectId: 'p', name: 'shop', description: '' };
  return { type: 'seeded', data: { project, contractsRef: digest(2), stages, nodes } };
}

export function gate(over: Partial<GateOutcome> = {}): GateOutcome {
  return { verdict: 'PASS', level: 'L1', reportDigest: digest(3), fault: null, projection: null, ...over };
}

export type SubmissionOf = Extract<AgentResult, { status: 'submitted' }>['submission'];

export function submitted(over: Partial<SubmissionOf> = {}): AgentResult {
  const submission: SubmissionOf = {
    status: 'grounded',
    tree: oid(7),
    baseCommit: null,
    files: ['a.py'],
    gate: gate(),
    exports: ['def f() -> int: ...'],
    testContract: 'TEST CONTRACT',
    covers: {},
    prNote: null,
    finding: null,
    escalate: false,
    ...over,
  };
  return { status: 'submitted', submission, iterationsUsed: 3, usage };
}

export function failed(over: Partial<Extract<AgentResult, { status: 'failed' }>> = {}): AgentResult {
  return {
    status: 'failed',
    reasons: ['wrong value'],
    reportDigest: digest(4),
    attempts: 3,
    suspect: 'code',
    tree: oid(8),
    iterationsUsed: 9,
    usage,
    ...over,
  };
}

/** What a reviewer names. */
export const finding = { kind: 'hard_coded', file: 'a.py', line: 1, text: 'returns 1' } as const;

export const facts = {
  files: ['a.py'],
  tokens: 10,
  lines: 2,
  contentHash: 'abc',
  firstExportPreview: 'def f()',
  plumbingSummary: 'Exports: f',
};

/** Notes that move nothing. */
export const refusal = { id: 'x', by: 'me', shown: '{}', reason: 'no words' };
export const tag = {
  tag_id: 't',
  node_id: 'n0',
  author_role: 'human',
  author_turn: 0,
  category: 'quirk',
  content: 'x',
  propagate: false,
  confirmed_by: [],
} satisfies Extract<LedgerEvent, { type: 'tagged' }>['data']['tag'];

/** Drives `decide`, keeps what it asked for, and checks that its state is the fold of its events. */
export class StageWorld {
  state: StageState = emptyState;
  readonly events: LedgerEvent[] = [];
  commands: StageCommand[] = [];
  private commits = 0;

  constructor(first: LedgerEvent) {
    this.state = foldEvents(this.state, [LedgerEvent.parse(first)]);
    this.events.push(first);
  }

  send(input: StageInput): StageCommand[] {
    const decision = decide(this.state, input);
    this.state = decision.state;
    this.events.push(...decision.events);
    this.commands.push(...decision.commands);
    return [...decision.commands];
  }

  open(
    options: Record<string, unknown> = {},
    over: Partial<Extract<StageInput, { kind: 'opened' }>> = {},
  ): StageCommand[] {
    return this.send({
      kind: 'opened',
      stage: 'core',
      run: (this.state.run?.run ?? 0) + 1,
      lifecycle: 'new',
      head: this.state.head,
      options: StageOptions.parse(options),
      owner: 'test',
      ...over,
    });
  }

  /** Takes the first command of a kind out of what waits. */
  takeCommand<K extends StageCommand['kind']>(kind: K): Extract<StageCommand, { kind: K }> | null {
    const at = this.commands.findIndex((command) => command.kind === kind);
    return at < 0 ? null : (this.commands.splice(at, 1)[0] as Extract<StageCommand, { kind: K }>);
  }

  returns(result: AgentResult): StageCommand[] {
    const command = this.takeCommand('start_agent');
    if (command === null) throw new Error('no agent was started');
    const { nodeId, dispatchId } = command.record;
    return this.send({ kind: 'agent_returned', nodeId, dispatchId, result });
  }

  commit(): StageCommand[] {
    const command = this.takeCommand('commit');
    if (command === null) throw new Error('no commit was asked for');
    this.commits += 1;
    const commit = oid(1000 + this.commits);
    const head = command.intent.kind === 'code' ? commit : this.state.head;
    return this.send({
      kind: 'commit_finished',
      intentId: command.intent.intentId,
      result: { status: 'committed', commit, head, facts },
    });
  }

  seal(over: Record<string, GateOutcome> = {}, project?: ProjectOutcome | null): StageCommand[] {
    const command = this.takeCommand('check_seal');
    if (command === null) throw new Error('no seal was asked for');
    const verdicts = Object.fromEntries(command.nodeIds.map((id) => [id, gate()]));
    return this.send({
      kind: 'seal_checked',
      head: this.state.head,
      verdicts: { ...verdicts, ...over },
      exportedInterfaces: {},
      ...(project !== undefined && { project }),
    });
  }

  /** Lets every agent, gate and commit succeed until nothing is left to do but a manager's or a person's move. */
  runWell(stepsMax = 1000): void {
    for (let step = 0; step < stepsMax; step += 1) {
      if (this.commands.some((command) => command.kind === 'start_agent')) this.returns(submitted());
      else if (this.commands.some((command) => command.kind === 'commit')) this.commit();
      else if (this.commands.some((command) => command.kind === 'check_seal')) this.seal();
      else if (!this.finishGate(gate())) return;
    }
  }

  finishGate(outcome: GateOutcome): boolean {
    const command = this.takeCommand('regate');
    if (command === null) return false;
    const { gateId, nodeId } = command.gate;
    this.send({ kind: 'gate_finished', gateId, nodeId, outcome });
    return true;
  }

  /** Builds one node up to a locked suite. */
  writeSuite(): void {
    this.returns(submitted());
    this.commit();
  }

  eventTypes(): LedgerEventType[] {
    return this.events.map((event) => event.type);
  }

  last<T extends LedgerEventType>(type: T): LedgerEventOf<T>['data'] | null {
    const found = this.events.filter((event) => event.type === type).at(-1);
    return (found?.data as LedgerEventOf<T>['data'] | undefined) ?? null;
  }
}
