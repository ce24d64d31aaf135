/** What comes back from agents, gates, commits and the seal check, and what it means for the node (gate.md part 5). */
import type { SealBlocker } from '../../schemas/ledger.ts';
import type { AgentResult, DispatchRecord, GateOutcome } from '../../schemas/stage.ts';
import { nodeOf, runOf } from './draft.ts';
import { beginRest, emit, isEnding, poisonRoot, regate, suspend, suspendWild, type Work } from './effects.ts';
import { stageNodes } from './seal.ts';
import type { OpenGate, StageInput } from './types.ts';

type InputOf<K extends StageInput['kind']> = Extract<StageInput, { kind: K }>;

/** A return of a dispatch that nobody runs (told twice, or its contract changed) is ignored. */
export function takeReturn(work: Work, input: InputOf<'agent_returned'>): void {
  const open = work.draft.open[input.dispatchId];
  if (open?.phase !== 'running' || open.record.nodeId !== input.nodeId) return;
  const result = isUnasked(work, input.result) ? fromOutside(input.result) : input.result;
  const { nodeId, dispatchId } = input;
  const told = input.told === undefined ? {} : { told: input.told };
  const program = input.program === undefined ? {} : { program: input.program };
  emit(work, { type: 'returned', data: { nodeId, dispatchId, result, ...program, ...told } });
  if (result.status === 'rested') {
    beginRest(work, result.code, result.message);
    return;
  }
  if (open.record.role === 'analyst') {
    takeFinding(work, open.record, result);
    return;
  }
  takeFinding(work, open.record, result);
  judge(work, nodeId, result);
}

/** Cancelled while the stage goes on: somebody did it in the server's UI, nobody is charged. */
function isUnasked(work: Work, result: AgentResult): boolean {
  return result.status === 'cancelled' && !isEnding(work);
}

function fromOutside(result: AgentResult): AgentResult {
  return { status: 'platform', reason: 'The agent was cancelled from outside', usage: result.usage };
}

/** An analyst's, or what the gate has to tell of a builder's accepted work. */
function takeFinding(work: Work, record: DispatchRecord, result: AgentResult): void {
  if (result.status !== 'submitted' || result.submission.finding === null) return;
  const { nodeId, dispatchId } = record;
  emit(work, { type: 'analyst_found', data: { nodeId, dispatchId, finding: result.submission.finding } });
}

function judge(work: Work, nodeId: string, result: AgentResult): void {
  switch (result.status) {
    case 'failed': {
      judgeFailed(work, nodeId, result);
      return;
    }
    case 'wild': {
      suspendWild(work, nodeId, result.reason, 'harness');
      return;
    }
    case 'parked': {
      suspend(work, nodeId, 'far', `${result.need}: ${result.detail}`.slice(0, 4000), 'harness');
      return;
    }
    case 'platform': {
      judgePlatform(work, nodeId, result.reason);
      return;
    }
    case 'submitted':
    case 'rested':
    case 'cancelled':
      return;
  }
}

/** The node's own failure poisons; a suspect suite or platform is charged to nobody's code. */
function judgeFailed(work: Work, nodeId: string, result: Extract<AgentResult, { status: 'failed' }>): void {
  const detail = result.reasons.join('; ').slice(0, 4000);
  switch (result.suspect) {
    case 'code': {
      poisonRoot(work, nodeId, 'gate_failed', detail);
      return;
    }
    case 'suite': {
      suspend(work, nodeId, 'near', `The suite is the suspect: ${detail}`.slice(0, 4000), 'harness');
      return;
    }
    case 'platform': {
      judgePlatform(work, nodeId, detail);
      return;
    }
  }
}

/** Below the limit the node stays as it is and is tried again. */
function judgePlatform(work: Work, nodeId: string, reason: string): void {
  const faults = nodeOf(work.draft, nodeId).platformFaults ?? 0;
  const max = runOf(work.draft).options.limits.platformFaultsMax;
  if (faults > max)
    suspend(work, nodeId, 'near', `The platform failed ${faults} times: ${reason}`.slice(0, 4000), 'harness');
}

export function takeGateOutcome(work: Work, input: InputOf<'gate_finished'>): void {
  const gate = work.draft.gates[input.gateId];
  if (gate === undefined) return;
  const { outcome } = input;
  emit(work, { type: 'regated', data: { gateId: gate.gateId, nodeId: gate.nodeId, outcome } });
  if (outcome.verdict !== 'PASS') judgeGate(work, gate, outcome);
}

function judgeGate(work: Work, gate: OpenGate, outcome: GateOutcome): void {
  const why = `Gated again (${gate.reason}): ${outcome.verdict}, report ${outcome.reportDigest}`;
  if (outcome.fault === 'platform') {
    judgePlatform(work, gate.nodeId, why);
    return;
  }
  const codeFailed = outcome.verdict === 'FAIL' || outcome.fault === 'builder';
  if (!codeFailed) {
    suspend(work, gate.nodeId, 'near', `The suite is the suspect: ${why}`, 'harness');
    return;
  }
  if (gate.reason !== 'new_suite') poisonRoot(work, gate.nodeId, 'gate_failed', why);
}

export function takeCommitResult(work: Work, input: InputOf<'commit_finished'>): void {
  const { intent } = work.draft;
  if (intent?.intentId !== input.intentId) return;
  const { intentId, nodeId, kind } = intent;
  const { result } = input;
  const refuse = (
    reason: 'head_moved' | 'conflict' | 'dirty' | 'not_pass',
    detail: string,
    head: string | null,
  ) => {
    emit(work, {
      type: 'commit_refused',
      data: { intentId, nodeId, reason, detail: detail.slice(0, 4000), head },
    });
  };
  switch (result.status) {
    case 'committed': {
      const { commit, head, facts } = result;
      emit(work, { type: 'committed', data: { intentId, nodeId, kind, commit, head, facts } });
      return;
    }
    case 'head_moved':
      // Gated on this very head and still another projection: a second gate would see the same, for ever (G9).
      if (result.head === intent.baseCommit) {
        const reason = 'Its projection differs on the head that it was gated on';
        refuse('not_pass', reason, result.head);
        suspendWild(work, nodeId, reason, 'harness');
        return;
      }
      refuse('head_moved', 'The head moved and the projection with it', result.head);
      if (!isEnding(work)) regate(work, nodeId, 'head_moved', intent);
      return;
    case 'conflict':
      refuse('conflict', `Paths changed by somebody else, or not its own: ${result.paths.join(', ')}`, null);
      suspend(
        work,
        nodeId,
        'near',
        `Its paths are in conflict: ${result.paths.join(', ')}`.slice(0, 4000),
        'harness',
      );
      return;
    case 'dirty':
      refuse('dirty', `Uncommitted changes: ${result.paths.join(', ')}`, null);
      beginRest(
        work,
        'DIRTY_TREE',
        `content/ holds uncommitted changes: ${result.paths.join(', ')}`.slice(0, 2000),
      );
      return;
    case 'not_pass':
      refuse('not_pass', result.reason, null);
      suspendWild(work, nodeId, `Its report does not say PASS: ${result.reason}`, 'harness');
      return;
  }
}

/** Every suite ran on the whole tree: sealed, or refused with what failed. */
export function takeSealCheck(work: Work, input: InputOf<'seal_checked'>): void {
  const run = runOf(work.draft);
  if (run.sealSummary === null) return;
  if (run.phase !== 'sealing') {
    emit(work, { type: 'seal_refused', data: { blockers: [] } });
    return;
  }
  const blockers = sealFailures(work, input);
  if (blockers.length === 0) {
    const { exportedInterfaces, head } = input;
    const data = { stage: run.stage, summary: run.sealSummary, head, exportedInterfaces };
    emit(work, { type: 'sealed', data });
    work.commands.push({ kind: 'close', status: 'sealed', code: 'SEALED', message: run.sealSummary });
    return;
  }
  emit(work, { type: 'seal_refused', data: { blockers } });
  const failed = blockers.filter((blocker) => blocker.code === 'GATE_FAILED');
  for (const { nodeId, detail } of failed) {
    if (nodeId !== null) poisonRoot(work, nodeId, 'seal_failed', detail);
  }
  // Which node is at fault is not known: a person must look. A node that failed by itself goes first.
  const project = blockers.find((blocker) => blocker.code === 'PROJECT_FAILED');
  if (project !== undefined && failed.length === 0) beginRest(work, 'PROJECT_FAILED', project.detail);
  const faults = runOf(work.draft).sealFaults;
  if (faults > run.options.limits.platformFaultsMax) {
    const last = blockers.find((blocker) => blocker.code === 'GATE_INVALID');
    const why = last?.detail === undefined ? '' : `. ${last.nodeId ?? ''}: ${last.detail}`;
    beginRest(work, 'SEAL_UNVERIFIED', `The whole tree could not be gated ${faults} times in a row${why}`);
  }
}

function sealFailures(work: Work, input: InputOf<'seal_checked'>): SealBlocker[] {
  return [...nodeFailures(work, input), ...projectFailures(input.project)];
}

function projectFailures(project: InputOf<'seal_checked'>['project']): SealBlocker[] {
  if (project === undefined || project?.verdict === 'PASS') return [];
  if (project === null)
    return [{ code: 'PROJECT_INVALID', nodeId: null, detail: "The project's gate plan was not asked" }];
  const code = project.isPlatform ? 'PROJECT_INVALID' : 'PROJECT_FAILED';
  const detail = `The project's gate plan says ${project.verdict} on the whole tree: ${project.reason}`;
  return [{ code, nodeId: null, detail }];
}

function nodeFailures(work: Work, input: InputOf<'seal_checked'>): SealBlocker[] {
  return stageNodes(work.draft).flatMap((nodeId): SealBlocker[] => {
    if (nodeOf(work.draft, nodeId).status === 'suspended') return [];
    const outcome = input.verdicts[nodeId];
    if (outcome?.verdict === 'PASS') return [];
    if (outcome === undefined)
      return [{ code: 'GATE_INVALID', nodeId, detail: 'the whole tree was not gated for it' }];
    const why = input.unjudged?.[nodeId];
    if (why !== undefined) return [{ code: 'GATE_INVALID', nodeId, detail: `not judged: ${why}` }];
    const code = outcome.verdict === 'FAIL' || outcome.fault !== 'platform' ? 'GATE_FAILED' : 'GATE_INVALID';
    return [{ code, nodeId, detail: `${outcome.verdict} on the whole tree, report ${outcome.reportDigest}` }];
  });
}
