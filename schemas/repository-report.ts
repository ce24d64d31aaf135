/** The report of a repository's gate: what was judged, by which plan, and the verdict of three values (G3). */
import { z } from 'zod';
import { GateLevel } from './gate-limits.ts';
import { ContentRef, ObjectId } from './ids.ts';
import { Fault, HitLimit, IsolationLevel, Verdict } from './report.ts';
import { Frame } from './runner-report.ts';

export const RepositoryFindingCode = z.enum([
  // L0: the tree
  'snapshot_refused',
  'required_missing',
  'forbidden_file',
  'naming',
  'file_too_large',
  'binary_too_large',
  'schema_violated',
  'command_disallowed',
  // L0: what a work order allows
  'gate_file_changed',
  'path_not_allowed',
  'entry_refused',
  'tests_removed',
  'follows_suite',
  'answered_beside',
  'tests_weakened',
  'too_much_changed',
  'no_change',
  // The plan
  'plan_empty',
  'plan_refused',
  'isolation_refused',
  'schema_unusable',
  'proof_missing',
  'nothing_ran',
  'too_few_tests',
  'dependencies_unresolved',
  'package_over_tree',
  'runtime_missing',
  // Running
  'setup_failed',
  'command_failed',
  'test_failed',
  'collection_error',
  'late_error',
  'skipped',
  'xpassed',
  'id_vanished',
  'file_without_tests',
  'foreign_module',
  'tree_not_judged',
  'fixture_failed',
  'execution_failed',
  'early_exit',
  'report_missing',
  'report_second',
  'report_broken',
  'wall_limit',
  'memory_limit',
  'output_limit',
  'process_limit',
  'disk_limit',
  'platform_lost',
  'platform_wall',
]);
export type RepositoryFindingCode = z.infer<typeof RepositoryFindingCode>;

/** One thing the gate found, with all that a repair needs (seed 003, module G). */
export const RepositoryFinding = z.strictObject({
  code: RepositoryFindingCode,
  level: GateLevel,
  text: z.string().max(2000),
  /** Name of the plan's step; null for a check of files. */
  step: z.string().nullable(),
  /** Where in the repository; null where there is no such place. */
  place: Frame.nullable(),
  /** A bounded piece of what the command printed, or of a test's message. */
  excerpt: z.string().max(4000).nullable(),
  expected: z.string().max(2000).nullable(),
  actual: z.string().max(2000).nullable(),
  limit: HitLimit.nullable(),
  nextStep: z.string().max(500).nullable(),
});
export type RepositoryFinding = z.infer<typeof RepositoryFinding>;

/** One command as it went. `tests` is null where none are counted. */
export const RepositoryCommand = z.strictObject({
  level: GateLevel,
  name: z.string(),
  /** For people; the plan has the words. */
  command: z.string(),
  outcome: z.string(),
  tests: z
    .strictObject({ passed: z.int().min(0), failed: z.int().min(0), skipped: z.int().min(0) })
    .nullable(),
  durationMs: z.number().min(0),
  cpuMs: z.number().min(0).nullable(),
  log: z.string(),
});
export type RepositoryCommand = z.infer<typeof RepositoryCommand>;

export const RepositoryLevel = z.strictObject({
  level: GateLevel,
  status: z.enum(['passed', 'failed', 'invalid', 'not_run']),
  /** Checks of this level in the plan. */
  checks: z.int().min(0),
  findings: z.array(RepositoryFinding).max(1000),
});
export type RepositoryLevel = z.infer<typeof RepositoryLevel>;

export const RepositorySubject = z.strictObject({
  kind: z.enum(['work_tree', 'staged', 'commit']),
  /** The judged tree: what is left out or followed is not as the repository has it. */
  tree: ObjectId,
  /** The judged commit, or the one that work tree and index are based on; null before the first. */
  commit: ObjectId.nullable(),
  files: z.int().min(0),
  planHash: ContentRef,
  /** File and place that the plan was read from, for example `verify.yaml of the index`. */
  planFrom: z.string(),
  image: z.string(),
  verifierVersion: z.string(),
});
export type RepositorySubject = z.infer<typeof RepositorySubject>;

export const RepositoryReport = z.strictObject({
  version: z.literal(1),
  verdict: Verdict,
  /** Null for PASS. `builder`: who made the change. `manager`: a person must look at the plan. */
  fault: Fault.nullable(),
  tier: z.literal('in_process'),
  isolation: IsolationLevel,
  subject: RepositorySubject,
  levels: z.array(RepositoryLevel),
  commands: z.array(RepositoryCommand),
  /** Said, but no finding: links that were followed, paths that were left out, a plan that differs from the base's. */
  notes: z.array(z.string()),
  timings: z.strictObject({ totalMs: z.number().min(0), sandboxMs: z.number().min(0) }),
  /** Over every field that two runs of the same inputs must share. */
  digest: ContentRef,
});
export type RepositoryReport = z.infer<typeof RepositoryReport>;
