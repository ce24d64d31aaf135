/** The gate's report: what was judged, by which means, and the verdict of three values (G3, design part 8, gate.md part 5). */
import { z } from 'zod';
import { FindingCode } from './finding-code.ts';
import { GateLevel, GateLimits } from './gate-plan.ts';
import { Counterexample, GateTier, WallChoice } from './gate-wall.ts';
import { ContentRef, NodeId, ObjectId } from './ids.ts';
import { ImageFacts } from './layer.ts';
import { FlakyCause } from './run-dimension.ts';
import { Failure, Frame, Impurity, TestId } from './runner-report.ts';

export const Verdict = z.enum(['PASS', 'FAIL', 'INVALID']);
export type Verdict = z.infer<typeof Verdict>;

/** Whose budget a verdict charges. `manager`: somebody must look, nobody is charged. */
export const Fault = z.enum(['author', 'builder', 'platform', 'manager']);
export type Fault = z.infer<typeof Fault>;

export { GateTier } from './gate-wall.ts';

export const IsolationLevel = z.strictObject({
  backend: z.string(),
  level: z.enum(['hardened', 'partial', 'none']),
});
export type IsolationLevel = z.infer<typeof IsolationLevel>;

export const StubKind = z.enum(['raise', 'none', 'wrong']);
export type StubKind = z.infer<typeof StubKind>;

/** The only words for how a test went wrong that may reach a builder (gate.md part 6). */
export const OutcomeClass = z.enum(['wrong_value', 'raised', 'did_not_raise', 'timed_out', 'missing']);
export type OutcomeClass = z.infer<typeof OutcomeClass>;

export { FindingCode };

/** A bound that was hit, with its value (G9). */
export const HitLimit = z.strictObject({
  name: z.string(),
  value: z.number(),
  unit: z.enum(['ms', 'bytes', 'count']),
  used: z.number().nullable(),
});
export type HitLimit = z.infer<typeof HitLimit>;

/**
 * One thing the gate found. `text` is made of the gate's and the contract's words and of numbers, never of what a test
 * process printed; of a suite it may name the author's own tests.
 */
export const Finding = z.strictObject({
  code: FindingCode,
  level: GateLevel,
  text: z.string().max(2000),
  clauseId: z.string().nullable(),
  exportName: z.string().nullable(),
  outcome: OutcomeClass.nullable(),
  /** A builtin of the language or a type of the contract; `other` for all else. */
  exceptionType: z.string().nullable(),
  /** An existing line in a file of the judged party. */
  place: Frame.nullable(),
  testId: TestId.nullable(),
  stub: StubKind.nullable(),
  limit: HitLimit.nullable(),
  /** With the wall: the last call of the failed test. */
  counterexample: Counterexample.optional(),
  /** Of two runs that differ: what made them differ. */
  dimension: FlakyCause.optional(),
  /** What code of a pure stage asked for as it ran. */
  impurity: Impurity.optional(),
});
export type Finding = z.infer<typeof Finding>;

export const LevelResult = z.strictObject({
  level: GateLevel,
  status: z.enum(['passed', 'failed', 'invalid', 'not_run']),
  findings: z.array(Finding),
});
export type LevelResult = z.infer<typeof LevelResult>;

export const TestOutcome = z.enum(['passed', 'failed', 'skipped', 'xfailed', 'xpassed', 'todo', 'error']);
export type TestOutcome = z.infer<typeof TestOutcome>;

/** A test as it went. `failure` is for people: it never enters feedback. */
export const TestResult = z.strictObject({
  id: TestId,
  outcome: TestOutcome,
  durationMs: z.number().min(0),
  failure: Failure.nullable(),
});
export type TestResult = z.infer<typeof TestResult>;

/** How a test of the suite fared on each stub, which exports it reached there and which clauses it covers. */
export const SuiteTest = z.strictObject({
  id: TestId,
  outcomes: z.strictObject({ raise: TestOutcome, none: TestOutcome, wrong: TestOutcome }),
  reached: z.array(z.string()),
  clauses: z.array(z.string()),
});
export type SuiteTest = z.infer<typeof SuiteTest>;

/** How often tests call the exports, counted on stubs: the test that calls most, and all together. */
export const SuiteCalls = z.strictObject({ most: z.int().min(0), all: z.int().min(0) });
export type SuiteCalls = z.infer<typeof SuiteCalls>;

/** What code is later judged against: fixed when the suite is locked. */
export const LockedSuite = z.strictObject({
  suiteHash: ContentRef,
  tests: z
    .array(z.strictObject({ id: TestId, reached: z.array(z.string()), clauses: z.array(z.string()) }))
    .min(1),
  /** Which tier judges code against this suite; absent in records older than the wall: in process. */
  wall: WallChoice.optional(),
  /** Callables that its tests must call when code is judged; absent in records older than that rule. */
  callables: z.array(z.string()).optional(),
  /** Absent in records older than the count. */
  calls: SuiteCalls.optional(),
});
export type LockedSuite = z.infer<typeof LockedSuite>;

export const StubRunResult = z.strictObject({
  stub: StubKind,
  red: z.int().min(0),
  green: z.int().min(0),
  greenTests: z.array(TestId),
});
export type StubRunResult = z.infer<typeof StubRunResult>;

export const ExampleResult = z.strictObject({
  index: z.int().min(0),
  call: z.string(),
  outcome: z.enum(['passed', 'failed', 'not_run']),
});
export type ExampleResult = z.infer<typeof ExampleResult>;

export const GateSubject = z.strictObject({
  node: NodeId,
  kind: z.enum(['suite', 'code', 'examples', 'projection', 'seal']),
  /** The candidate tree. */
  tree: ObjectId,
  /** The tree that was laid into the clean room. */
  projection: ObjectId,
  suiteHash: ContentRef.nullable(),
  planHash: ContentRef,
  image: z.string(),
  verifierVersion: z.string(),
});
export type GateSubject = z.infer<typeof GateSubject>;

const JudgedSide = z.strictObject({
  /** Null: the test did not run there. */
  outcome: TestOutcome.nullable(),
  failure: Failure.nullable(),
  /** Behind the wall only: the last call, with what it gave. */
  counterexample: Counterexample.optional(),
});

/** The second judge of code behind the wall: the ordinary runner in one process. For managers and people, never for an agent. */
export const PlainJudge = z.strictObject({
  /** For example `pytest`. */
  runner: z.string().max(50),
  outcome: z.enum(['green', 'red', 'unusable']),
  /** Tests on which the two judges differ. */
  differing: z.int().min(0),
  /** The first of them, both values side by side. */
  differences: z.array(z.strictObject({ id: TestId, wall: JudgedSide, plain: JudgedSide })).max(50),
});
export type PlainJudge = z.infer<typeof PlainJudge>;

/** How many tests of green code's suite, as they are written, were changed to expect something else, and were red then (decision 0065). */
export const CounterProofCount = z.strictObject({
  tests: z.int().min(0),
  changed: z.int().min(0),
  red: z.int().min(0),
});
export type CounterProofCount = z.infer<typeof CounterProofCount>;

/** One sandboxed command of the run. */
export const CommandRecord = z.strictObject({
  name: z.string(),
  outcome: z.string(),
  durationMs: z.number().min(0),
  cpuMs: z.number().min(0).nullable(),
  outputBytes: z.number().min(0),
});
export type CommandRecord = z.infer<typeof CommandRecord>;

/** What the locked suite notices of small changes of the code that it passed (gate.md part 11). */
export const MutationCheck = z.strictObject({
  /** Killed among killed, survived and raised; null when there is none of them. */
  score: z.number().min(0).max(1).nullable(),
  /** Changes that the source offers. */
  made: z.int().min(0),
  /** By a failed assertion of the suite. */
  killed: z.int().min(0),
  survived: z.int().min(0),
  /** Red without an assertion of the suite: the code raised, or checked itself. */
  raised: z.int().min(0),
  timedOut: z.int().min(0),
  /** Left out by the bound of number or time. */
  notRun: z.int().min(0),
  /** Why not all changes were tried, or none; absent where all were. */
  unfinished: z.string().max(300).optional(),
  /** `mutant_survived`, for managers and people; never for an agent. */
  survivors: z.array(Finding),
  /** Why the suite has to be written anew: exports of which no tried change was noticed, or that nothing could be tried. */
  faults: z.array(Finding).optional(),
});
export type MutationCheck = z.infer<typeof MutationCheck>;

export const GateReport = z.strictObject({
  version: z.literal(1),
  verdict: Verdict,
  /** Null for PASS. */
  fault: Fault.nullable(),
  /** `suite`: the code passes a person's examples and fails the suite (gate.md part 3). */
  suspect: z.literal('suite').nullable(),
  tier: GateTier,
  isolation: IsolationLevel,
  /** Versions and packages of the image; absent in records older than layers. */
  image: ImageFacts.optional(),
  subject: GateSubject,
  /** Hash of what gate.md part 7 lists; the cache is keyed by it. */
  key: ContentRef,
  levels: z.array(LevelResult),
  tests: z.array(TestResult),
  ids: z.strictObject({ locked: z.array(TestId), collected: z.array(TestId), ran: z.array(TestId) }),
  /** Filled for suites. */
  suiteTests: z.array(SuiteTest),
  /** Of a suite: the declared callables, whose calls are looked for when code is judged. */
  callables: z.array(z.string()).optional(),
  /** Of a suite. */
  calls: SuiteCalls.optional(),
  /** Of a suite: the tier that will judge its code. Of code: the one that was locked. */
  wall: WallChoice.optional(),
  /** Of code behind the wall: what the second judge said. Absent in one process, and in records older than two judges. */
  plain: PlainJudge.optional(),
  /** Of green code. Decides nothing, and what is changed is drawn: no part of the digest. Absent where no such run was made. */
  counterProof: CounterProofCount.optional(),
  /** Of green code: callables that no test called; the mutation check tries whether a test notices what they do. */
  uncalled: z.array(z.string()).optional(),
  /** Of code that passed; kept beside the report, because it decides nothing unless the contract asks for a score. */
  mutation: MutationCheck.optional(),
  stubs: z.array(StubRunResult),
  examples: z.array(ExampleResult),
  warnings: z.array(Finding),
  limits: GateLimits,
  commands: z.array(CommandRecord),
  timings: z.strictObject({ totalMs: z.number().min(0), sandboxMs: z.number().min(0) }),
  /** Over every field that two runs of the same inputs must share: not times, messages or commands. */
  digest: ContentRef,
});
export type GateReport = z.infer<typeof GateReport>;
