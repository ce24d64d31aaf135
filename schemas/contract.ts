/** `contracts.yaml` as a person writes it (design part 10), and the resolved contract that every other part reads. */
import { z } from 'zod';
import { BlackBoxCheck } from './black-box.ts';
import { IsolationDemand } from './gate-plan.ts';
import { Language, NodeId, ProtocolWeight, StageId } from './ids.ts';
import { RunDimension } from './run-dimension.ts';

/** `ValueError`, `PriceError(ValueError)`, or with the message that a suite may compare (gate.md part 2). */
export const RaiseEntry = z.union(
  [
    z.string().min(1),
    z.strictObject({
      type: z.string().min(1),
      when: z.string().optional(),
      message: z.string().optional(),
    }),
  ],
  { error: 'must be a name like "ValueError" or {type, when, message}' },
);
export type RaiseEntry = z.infer<typeof RaiseEntry>;

/** A person's example: it judges suite and code alike and is visible to both agents (gate.md part 3). */
export const Example = z.union(
  [
    z.strictObject({ call: z.string().min(1), returns: z.json() }),
    z.strictObject({ call: z.string().min(1), raises: z.string().min(1) }),
  ],
  { error: 'must have "call" and one of "returns" and "raises", for example {call: "f(1)", returns: 2}' },
);
export type Example = z.infer<typeof Example>;

export const ContractInterface = z.strictObject({
  /** `.pyi` or `.d.ts` statements; empty means Mode B. */
  exports: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'One declaration each, as in a .pyi or .d.ts file. Empty: the test author finds them (Mode B).',
    ),
  /** Import statements that the declarations need. */
  imports: z.array(z.string().min(1)).default([]),
  raises: z
    .array(RaiseEntry)
    .default([])
    .describe('Errors that callers may see: a name, Name(Base), or {type, when, message}.'),
  guarantees: z.array(z.string().min(1)).default([]).describe('Promises about behaviour, each testable.'),
  assumptions: z.array(z.string().min(1)).default([]).describe('What must hold around the node.'),
  /** Exports that do nothing observable (gate.md part 3). */
  inert: z.array(z.string().min(1)).default([]),
});
export type ContractInterface = z.infer<typeof ContractInterface>;

/** An L2 check that no agent sees: a command in the gated tree, without its suite, and what must hold afterwards. */
export const Fixture = BlackBoxCheck.extend({ name: z.string().min(1).max(200) });
export type Fixture = z.infer<typeof Fixture>;

/** How far a contract may raise the limits of its rooms. */
export const LIMIT_MAXIMA = {
  wallMs: 3_600_000,
  testTimeoutMs: 600_000,
  memoryMb: 16_384,
  processes: 1024,
} as const;

/** What a gate run is given beyond the defaults (UTC, C.UTF-8, fixed hash seed). */
export const GateEnvironment = z.strictObject({
  variables: z
    .record(
      z.string().regex(/^[A-Z][A-Z0-9_]*$/, 'must be A-Z, 0-9 and _, for example "APP_MODE"'),
      z.string(),
    )
    .default({}),
  /** Default UTC, and then the second run of a suite has another one; a named one is kept. */
  time_zone: z.string().optional(),
  /** What both runs of a suite must have alike, because the code depends on it by its contract. */
  fixed: z.array(RunDimension).optional().describe('What the second run of the suite may not vary.'),
  /** Time of the whole suite; default 60,000. */
  wall_ms: z.int().positive().max(LIMIT_MAXIMA.wallMs).optional(),
  memory_mb: z.int().positive().max(LIMIT_MAXIMA.memoryMb).optional(),
  /** Time of one test; default 10,000. */
  test_timeout_ms: z.int().positive().max(LIMIT_MAXIMA.testTimeoutMs).optional(),
  /** Processes and threads of a room together; default 64. */
  max_processes: z.int().min(16).max(LIMIT_MAXIMA.processes).optional(),
});
export type GateEnvironment = z.infer<typeof GateEnvironment>;

export const ViewSpec = z.strictObject({
  target_fidelity: z.enum(['summary', 'outline', 'full']).default('full'),
  struct_dep_fidelity: z.enum(['none', 'signature']).default('signature'),
});
export type ViewSpec = z.infer<typeof ViewSpec>;

/** One node as written. Fields of the seed's flat form are accepted by the loader and mapped to these. */
export const ContractNode = z.strictObject({
  id: NodeId,
  stage: StageId,
  type: z.enum(['feature', 'glue', 'test']).default('feature'),
  description: z
    .string()
    .min(1)
    .describe('What the node does, so that the signatures could be written without asking.'),
  interface: ContractInterface.prefault({}),
  structural_deps: z.array(NodeId).default([]).describe('Nodes whose code this one imports.'),
  assumption_deps: z
    .array(NodeId)
    .default([])
    .describe('Nodes whose behaviour this one relies on without importing them.'),
  examples: z
    .array(Example)
    .default([])
    .describe('Calls and their results, seen by both agents; they judge suite and code alike.'),
  fixtures: z.array(Fixture).default([]).describe('Black-box checks that no agent sees.'),
  /** Globs of files the node owns; default by language from the id (gate.md part 1). */
  files: z.array(z.string().min(1)).optional(),
  /** Globs of its suite, or `none`: gated at L0 and capped at provisional. */
  tests: z
    .union([z.array(z.string().min(1)), z.literal('none')], { error: 'must be a list of globs or "none"' })
    .optional(),
  requires: z.array(z.string().min(1)).default([]),
  environment: GateEnvironment.prefault({}),
  wall: z.enum(['default', 'required', 'in_process']).default('default'),
  isolation: IsolationDemand.optional().describe(
    'The least isolation that the sandbox must have proven; nothing runs below it.',
  ),
  protocol_weight: ProtocolWeight.default('lean'),
  max_retries: z.int().min(0).max(20).default(3).describe('Redispatches before the node is given up.'),
  view_spec: ViewSpec.prefault({}),
  min_mutation_score: z.number().min(0).max(1).optional(),
  require_review: z
    .boolean()
    .optional()
    .describe('Hold the commit of its code until what a reviewer found is answered.'),
});
export type ContractNode = z.infer<typeof ContractNode>;

export const StageSpec = z.strictObject({
  id: StageId,
  name: z.string().optional(),
  kind: z.enum(['pure', 'io']).default('io'),
});
export type StageSpec = z.infer<typeof StageSpec>;

export const Project = z.strictObject({
  name: z.string().min(1).max(100),
  description: z.string().default(''),
  language: Language.default('python'),
  requires: z.array(z.string().min(1)).default([]),
  scaffold: z
    .literal('repository')
    .optional()
    .describe("Begun by `init --from`: no settings are laid beside the repository's own files."),
  source_root: z
    .enum(['src', 'lib', 'python'])
    .optional()
    .describe('Folder that Python modules lie below and are imported from: src/shop/money.py is shop.money.'),
});
export type Project = z.infer<typeof Project>;

/** The whole `contracts.yaml`. Stages build in the order written. */
export const Contracts = z.strictObject({
  version: z.literal(1),
  project: Project,
  stages: z.array(StageSpec).min(1),
  nodes: z.array(ContractNode).min(1).max(10_000),
});
export type Contracts = z.infer<typeof Contracts>;

/** A contract after `seed`: every default filled in, files resolved, checked against all others. */
export const ResolvedContract = ContractNode.extend({
  language: Language,
  /** A: exports declared by a person, or a node of type `test`; B: they emerge from `test_contract`. */
  mode: z.enum(['A', 'B']),
  files: z.array(z.string().min(1)),
  tests: z.union([z.array(z.string().min(1)), z.literal('none')]),
  /** Preferred source file, for example `price/money.py`. */
  contentFile: z.string().min(1),
  /** Folder that modules are imported from, for example `src`; absent: the root of the project. */
  sourceRoot: z.string().min(1).optional(),
  /** How other code imports it, for example `from price.money import ...`. */
  importLine: z.string().min(1),
  /** Its stage is `kind: pure`: code that asks the world for anything is FAIL. Absent: of an io stage, or seeded before this was judged. */
  pure: z.literal(true).optional(),
});
export type ResolvedContract = z.infer<typeof ResolvedContract>;
