/** What a dispatch is told, what comes back, and what is committed (seed 001, design part 6). */
import { z } from 'zod';
import { AgentChoice } from './agent-choice.ts';
import { GateTier } from './gate-wall.ts';
import { ContentRef, NodeId, ObjectId, ProtocolWeight, Role } from './ids.ts';
import { Verdict } from './report.ts';
import { Usage } from './runtime.ts';
import { DispatchId } from './stage-words.ts';

export * from './stage-words.ts';

/** What a manager may tell an agent, beside contract and view. */
export const DispatchParameters = z.strictObject({
  weight: ProtocolWeight.optional(),
  intent: z.string().max(1000).optional(),
  managerNote: z.string().max(4000).optional(),
  focusHints: z.array(NodeId).max(50).optional(),
  expectedIterations: z.int().min(1).max(200).optional(),
  viewSpec: z
    .strictObject({
      target_fidelity: z.enum(['summary', 'outline', 'full']).optional(),
      struct_dep_fidelity: z.enum(['none', 'signature']).optional(),
    })
    .optional(),
  /** Analysts only. */
  scope: z.enum(['node', 'project', 'external']).optional(),
  query: z.string().max(2000).optional(),
  targetNodes: z.array(NodeId).max(50).optional(),
});
export type DispatchParameters = z.infer<typeof DispatchParameters>;

/** One agent's order. The same record started twice is the same work: its paid answers are found by `dispatchId`. */
export const DispatchRecord = z.strictObject({
  dispatchId: DispatchId,
  nodeId: NodeId,
  role: Role,
  /** Ordinal of the dispatch among all of the session, from 1. */
  dispatchSeq: z.int().min(1),
  /** 0 for a first dispatch, else which redispatch of this role it is. */
  attempt: z.int().min(0),
  /** Branch head when it was decided; null: an empty branch. */
  baseCommit: ObjectId.nullable(),
  /** Version of the locked suite that a builder is judged by; 0: none. */
  suite: z.int().min(0),
  parameters: DispatchParameters,
  /** Who does it, in a room of its own; absent: our own loop. It stays so when the dispatch is started again. */
  agent: AgentChoice.optional(),
});
export type DispatchRecord = z.infer<typeof DispatchRecord>;

/** Where a parked agent goes on: hash of its transcript's head and its shadow tree, and what the person said. */
export const ResumePoint = z.strictObject({
  head: z.string().max(200),
  tree: ObjectId,
  answer: z.string().max(20_000).nullable(),
});
export type ResumePoint = z.infer<typeof ResumePoint>;

/** What a gate said: `level` L0 means contract checks alone (G2). `fault` belongs to INVALID. */
export const GateOutcome = z.strictObject({
  verdict: Verdict,
  level: z.enum(['L0', 'L1', 'L2', 'L3']),
  reportDigest: ContentRef,
  fault: z.enum(['author', 'builder', 'platform']).nullable(),
  /** Hash of the gated projection; equal hashes need no second gate. */
  projection: z.string().max(200).nullable(),
  /** A stored report of the same key answered: nothing ran. */
  cached: z.literal(true).optional(),
  /** Of code: where it was judged from. Absent in older records, and for suites. */
  tier: GateTier.optional(),
});
export type GateOutcome = z.infer<typeof GateOutcome>;

/** The project's gate plan on the whole tree, asked at the last SEAL. */
export const ProjectOutcome = z.strictObject({
  verdict: Verdict,
  /** True: this machine could not judge it; tried again. */
  isPlatform: z.boolean(),
  reportDigest: ContentRef,
  /** What was found first: command and cause. Empty for PASS. */
  reason: z.string().max(900),
});
export type ProjectOutcome = z.infer<typeof ProjectOutcome>;

/** What an analyst found (seed 001, `analyst_findings`). */
export const AnalystReport = z.strictObject({
  scope: z.enum(['node', 'project', 'external']),
  findings: z.array(z.string().max(2000)).max(50),
  confidence: z.enum(['high', 'medium', 'low', 'void']),
  sources: z.array(z.string().max(500)).max(100),
});
export type AnalystReport = z.infer<typeof AnalystReport>;

/** What `submit_pr` was accepted with. */
export const Submission = z.strictObject({
  /** The agent's own claim; it can lower the status, never raise it. */
  status: z.enum(['grounded', 'provisional']),
  /** The whole overlay that was gated (builder) or the suite's tree (test author). */
  tree: ObjectId,
  /** The commit that the tree was laid over. */
  baseCommit: ObjectId.nullable(),
  files: z.array(z.string().max(500)).max(5000),
  gate: GateOutcome.nullable(),
  /** Mode B test author: the exports that are now frozen. */
  exports: z.array(z.string().max(4000)).max(500).nullable(),
  testContract: z.string().max(16_000).nullable(),
  /** Clause id to the tests that cover it. */
  covers: z.record(z.string().max(300), z.array(z.string().max(1000)).max(500)),
  prNote: z.string().max(1000).nullable(),
  finding: AnalystReport.nullable(),
  /** The agent asks that a person or the manager looks before the next step. */
  escalate: z.boolean(),
});
export type Submission = z.infer<typeof Submission>;

/** How one dispatch ended. Everything but `submitted` leaves the branch as it is. */
export const AgentResult = z.discriminatedUnion('status', [
  z.strictObject({
    status: z.literal('submitted'),
    submission: Submission,
    /** The completion attempt that was accepted; absent: the first. */
    attempts: z.int().min(2).optional(),
    iterationsUsed: z.int().min(0),
    usage: Usage,
  }),
  /** Its completion attempts are used up. `suspect` names who is to blame; `platform` is charged to nobody. */
  z.strictObject({
    status: z.literal('failed'),
    reasons: z.array(z.string().max(2000)).max(50),
    reportDigest: ContentRef.nullable(),
    attempts: z.int().min(0),
    suspect: z.enum(['code', 'suite', 'platform']),
    /** Why the suite is the suspect, in words that its author may read: nothing of the code. */
    suiteFault: z.string().max(500).optional(),
    /** Last tree that was gated, kept for a new suite. */
    tree: ObjectId.nullable(),
    iterationsUsed: z.int().min(0),
    usage: Usage,
  }),
  /** Schema violations or silence: three messages without a tool call, unparsable return, generative timeout. */
  z.strictObject({
    status: z.literal('wild'),
    reason: z.string().max(2000),
    iterationsUsed: z.int().min(0),
    usage: Usage,
  }),
  /** Needs a person. No child workflow waits: the answer starts it again at `head` and `tree`. */
  z.strictObject({
    status: z.literal('parked'),
    need: z.enum(['question', 'permission']),
    detail: z.string().max(4000),
    head: z.string().max(200),
    tree: ObjectId,
    usage: Usage,
  }),
  /** The model endpoint refused (401, 403, 404, tools unsupported, cap of the run): the stage rests, nothing is counted. */
  z.strictObject({
    status: z.literal('rested'),
    code: z.string().max(60),
    message: z.string().max(2000),
    usage: Usage,
  }),
  z.strictObject({ status: z.literal('platform'), reason: z.string().max(2000), usage: Usage }),
  /** Ended by our own cancel; a resume starts the same dispatch again. */
  z.strictObject({ status: z.literal('cancelled'), usage: Usage }),
]);
export type AgentResult = z.infer<typeof AgentResult>;

/** What the commit step is asked to do; written to the ledger before it is tried (gate.md part 8). */
export const CommitIntent = z.strictObject({
  intentId: z.string().max(140),
  /** suite: lock it under its ref; code: the branch; provisional: `refs/a7/prov`. */
  kind: z.enum(['suite', 'code', 'provisional']),
  nodeId: NodeId,
  dispatchId: DispatchId,
  tree: ObjectId,
  baseCommit: ObjectId.nullable(),
  /** Branch head that core knew; the compare-and-swap expects it. */
  expectedHead: ObjectId.nullable(),
  reportDigest: ContentRef,
  /** New version for a suite, else the version that judged the code; 0: none. */
  suite: z.int().min(0),
});
export type CommitIntent = z.infer<typeof CommitIntent>;

/** Facts about what was committed, for boards and views (seed 001, node `metadata`). */
export const CommitFacts = z.strictObject({
  files: z.array(z.string().max(500)).max(5000),
  tokens: z.int().min(0),
  lines: z.int().min(0),
  contentHash: z.string().max(100),
  firstExportPreview: z.string().max(500),
  plumbingSummary: z.string().max(1000),
});
export type CommitFacts = z.infer<typeof CommitFacts>;

export const CommitResult = z.discriminatedUnion('status', [
  /** `head` is the branch head afterwards; `commit` the object that holds the work (equal to head for kind code). */
  z.strictObject({
    status: z.literal('committed'),
    commit: ObjectId,
    head: ObjectId.nullable(),
    facts: CommitFacts,
  }),
  /** The head moved and the projection with it: gate again. */
  z.strictObject({ status: z.literal('head_moved'), head: ObjectId.nullable() }),
  z.strictObject({ status: z.literal('conflict'), paths: z.array(z.string()).max(200) }),
  z.strictObject({ status: z.literal('dirty'), paths: z.array(z.string()).max(200) }),
  z.strictObject({ status: z.literal('not_pass'), reason: z.string().max(2000) }),
]);
export type CommitResult = z.infer<typeof CommitResult>;

/** What the sources of a sealed node declare (design part 6, SEAL). */
export const ExportedInterface = z.strictObject({
  exports: z.array(z.string()),
  raises: z.array(z.string()),
  guarantees: z.array(z.string()),
  assumptions: z.array(z.string()),
});
export type ExportedInterface = z.infer<typeof ExportedInterface>;
