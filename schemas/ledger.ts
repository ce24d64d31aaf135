/**
 * `events.jsonl`, one line an event (design part 4). Decision state is exactly the fold of these events (G7), so each
 * carries what a new run on an empty server needs, and nothing that can be computed from the others.
 */
import { z } from 'zod';
import { ChecklistItem, ManagerAction } from './actions.ts';
import { NodeChange } from './contract-change.ts';
import { SignalRefusal, Actor, HumanInput, SealBlocker, Tag } from './ledger-parts.ts';
import { REVIEW_FINDINGS_MAX, ReviewFinding } from './review.ts';
import { ContentRef, NodeId, ObjectId, StageId } from './ids.ts';
import { Signature } from './signature.ts';
import { Verdict } from './report.ts';
import {
  AgentResult,
  CommitFacts,
  CommitIntent,
  DispatchId,
  DispatchRecord,
  ExportedInterface,
  AnalystReport,
  GateOutcome,
  ManagerMode,
  ResumePoint,
  SeedNode,
  SeedStage,
  StageOptions,
  SuspensionType,
} from './stage.ts';

export { Actor, HumanInput, SealBlocker, Tag };

const text = z.string().max(4000);
const money = z.int().min(0).nullable();
const event = <T extends string, S extends z.ZodRawShape>(type: T, data: S) =>
  z.strictObject({ type: z.literal(type), data: z.strictObject(data) });

/** Hash of the project's gate plan, which SEAL of the last stage asks; absent: it has none. */
const projectPlan = ContentRef.optional();

export const LedgerEvent = z.discriminatedUnion('type', [
  event('seeded', {
    project: z.strictObject({ projectId: z.string(), name: z.string(), description: z.string() }),
    /** Object that holds the resolved contracts. */
    contractsRef: ContentRef,
    stages: z.array(SeedStage),
    nodes: z.array(SeedNode),
    projectPlan,
  }),
  /** A later seed: nodes that are new or differ, and those that are gone. Grounded work of an unchanged node stays. */
  event('contract_changed', {
    contractsRef: ContentRef,
    stages: z.array(SeedStage),
    nodes: z.array(SeedNode),
    removed: z.array(NodeId),
    projectPlan,
    /** By node: what the change voids. Absent, as older versions wrote it: a changed node starts anew. */
    changes: z.record(NodeId, NodeChange).optional(),
    /** Paths that no node owns any more: they leave the branch next. */
    withdrawn: z.array(z.string().max(500)).max(20_000).optional(),
  }),
  /** The branch is as the last change of the contracts wants it. */
  event('branch_settled', { head: ObjectId.nullable(), removed: z.int().min(0) }),
  /** A person opened sealed stages again, with what is built on them. Their nodes stay what they are. */
  event('stage_reopened', { stages: z.array(StageId).min(1), by: z.string().max(200), reason: text }),
  /** A person's own files for a node: judged like a builder's before they count. */
  event('replaced', {
    nodeId: NodeId,
    dispatchId: DispatchId,
    tree: ObjectId,
    files: z.array(z.string().max(500)).max(5000),
    by: z.string().max(200),
    /** Nodes that stand on it: judged again, too. */
    dependents: z.array(NodeId),
  }),
  event('run_taken_over', { formerRun: z.int().min(0), reason: text }),
  event('run_opened', {
    stage: StageId,
    run: z.int().min(1),
    /** resumed: turns start anew; taken_over: the former run died, its turns count. */
    lifecycle: z.enum(['new', 'resumed', 'taken_over']),
    head: ObjectId.nullable(),
    options: StageOptions,
    /** The workflow run that opened it: two servers that open the same ordinal differ here, so only one append wins. */
    owner: z.string().min(1).max(200),
  }),
  /** A move that was applied. `forced` ones are the harness's own and free. */
  event('action', {
    turn: z.int().min(0),
    by: Actor,
    forced: z.boolean(),
    action: ManagerAction,
    callKey: z.string().nullable(),
    costMicroUsd: money,
  }),
  event('action_rejected', {
    turn: z.int().min(0),
    by: Actor,
    code: z.string().max(60),
    message: text,
    /** The refused action, or null when the answer was no action at all. */
    action: ManagerAction.nullable(),
    callKey: z.string().nullable(),
    costMicroUsd: money,
  }),
  event('dispatched', { record: DispatchRecord }),
  /** The same dispatch goes on: after a resume of the stage, or with a person's answer. */
  event('dispatch_restarted', {
    nodeId: NodeId,
    dispatchId: DispatchId,
    why: z.enum(['resumed', 'answered']),
    resume: ResumePoint.nullable(),
  }),
  event('returned', {
    nodeId: NodeId,
    dispatchId: DispatchId,
    result: AgentResult,
    /** Program and version that did it, for example `codex 0.169.0`; absent: our own loop. */
    program: z.string().max(100).optional(),
    /** Counterexamples that the agent was told: the node's budget of them is smaller by it. Absent: none. */
    told: z.int().min(0).optional(),
  }),
  event('analyst_found', { nodeId: NodeId, dispatchId: DispatchId, finding: AnalystReport }),
  event('validated', { nodeId: NodeId, dispatchId: DispatchId }),
  event('validation_failed', { nodeId: NodeId, dispatchId: DispatchId, reason: text }),
  event('regate_requested', {
    gateId: DispatchId,
    nodeId: NodeId,
    dispatchId: DispatchId,
    reason: z.enum(['head_moved', 'cap_lifted', 'new_suite']),
    tree: ObjectId,
    /** Head that the projection is made on. */
    baseCommit: ObjectId.nullable(),
    suite: z.int().min(0),
  }),
  event('regated', { gateId: DispatchId, nodeId: NodeId, outcome: GateOutcome }),
  /** `verify` of the same bytes refuted a verdict: it counts no more, and what was charged for it is given back. */
  event('verdict_withdrawn', {
    nodeId: NodeId,
    reportDigest: ContentRef,
    verdict: Verdict,
    /** What the same bytes were given now. */
    again: Verdict,
    againDigest: ContentRef,
  }),
  event('commit_intent', { intent: CommitIntent }),
  event('committed', {
    intentId: z.string(),
    nodeId: NodeId,
    kind: z.enum(['suite', 'code', 'provisional']),
    commit: ObjectId,
    head: ObjectId.nullable(),
    facts: CommitFacts,
  }),
  event('commit_refused', {
    intentId: z.string(),
    nodeId: NodeId,
    reason: z.enum(['head_moved', 'conflict', 'dirty', 'not_pass']),
    detail: text,
    head: ObjectId.nullable(),
  }),
  event('suspended', { nodeId: NodeId, type: SuspensionType, detail: text, by: Actor }),
  event('poisoned', { root: NodeId, cause: z.enum(['gate_failed', 'by_hand', 'seal_failed']), detail: text }),
  event('healed', { root: NodeId }),
  /** A person answered a node that waited (`far`) without an agent: it is near again, the text is kept for its next agent. */
  event('answered', { nodeId: NodeId, inputId: z.string(), text }),
  event('suite_released', { nodeId: NodeId, version: z.int().min(1) }),
  /** A reviewer is asked to read code that passed (role `reviewer`). */
  event('review_asked', { nodeId: NodeId, dispatchId: DispatchId, tree: ObjectId }),
  /** What it named: findings for manager and person, never a verdict. */
  event('reviewed', {
    nodeId: NodeId,
    dispatchId: DispatchId,
    tree: ObjectId,
    findings: z.array(ReviewFinding).max(REVIEW_FINDINGS_MAX),
    callKey: z.string().nullable(),
    costMicroUsd: money,
  }),
  event('consulted', { verdict: text, callKey: z.string().nullable(), costMicroUsd: money }),
  event('plan_updated', { turn: z.int().min(0), narrative: text, checklist: z.array(ChecklistItem) }),
  event('input_received', { input: HumanInput }),
  /** A signal that nobody can understand: told, and no more done with it. */
  event('input_refused', SignalRefusal.shape),
  event('input_consumed', {
    id: z.string(),
    outcome: z.enum(['applied', 'read', 'rejected']),
    message: text,
  }),
  event('mode_changed', { mode: ManagerMode, turn: z.int().min(0) }),
  /** Nothing can move but a person. */
  event('waiting', { nodes: z.array(NodeId), detail: text }),
  /** Not a halt: the cause lies outside (key, cap, dirty tree). Nothing is counted; `run` goes on. `quiet`: nothing in flight any more. */
  event('resting', { code: z.string().max(60), message: text }),
  event('rested', { code: z.string().max(60), message: text }),
  event('halting', { reason: text, invariant: z.string().max(200).nullable(), source: z.string().max(60) }),
  event('halted', { reason: text }),
  event('sealing', { summary: text, by: Actor }),
  event('seal_refused', { blockers: z.array(SealBlocker) }),
  event('sealed', {
    stage: StageId,
    summary: text,
    head: ObjectId.nullable(),
    exportedInterfaces: z.record(NodeId, ExportedInterface),
  }),
  event('assumption_verified', { from: NodeId, to: NodeId, by: z.enum(['gate', 'human']) }),
  event('tagged', { tag: Tag }),
  /** A crash made the outcome of a paid call unknowable: charged at its worst case (G6). */
  event('call_unknown', {
    callKey: z.string(),
    dispatchId: DispatchId.nullable(),
    costMicroUsd: z.int().min(0),
  }),
]);
export type LedgerEvent = z.infer<typeof LedgerEvent>;
export type LedgerEventType = LedgerEvent['type'];
export type LedgerEventOf<T extends LedgerEventType> = Extract<LedgerEvent, { type: T }>;

/**
 * One line of `events.jsonl`. `hash` = sha256 over canonicalJson of the line without `hash` and `sig`; `prev` is the hash
 * before it. `sig` is over `seq` and `hash` (core/record/dsse.ts), hence over every line up to this one.
 */
export const LedgerLine = z.strictObject({
  /** From 1, without gaps. */
  seq: z.int().min(1),
  /** `sha256:` of the line before; 64 zeros for the first. */
  prev: ContentRef,
  hash: ContentRef,
  /** ISO 8601, stamped when appended. */
  at: z.iso.datetime(),
  /** Ordinal of the stage run in the session; 0: outside any run (CLI). */
  run: z.int().min(0),
  fence: z.int().min(0),
  type: z.string().max(60),
  data: z.unknown(),
  /** By a key of the home that wrote it; absent in ledgers older than signatures. */
  sig: Signature.optional(),
});
export type LedgerLine = z.infer<typeof LedgerLine>;
