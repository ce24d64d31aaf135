/** The steps of a gate plan that need no node: what `verify.yaml`, a CI workflow or a language's default resolves to. */
import { z } from 'zod';
import { GateLimits, PlanSource } from './gate-limits.ts';

const part = { source: PlanSource };
const Argv = z.array(z.string()).min(1);
const Globs = z.array(z.string());

export const RuntimeTool = z.enum(['python', 'node', 'go', 'rust']);
export type RuntimeTool = z.infer<typeof RuntimeTool>;

/** What must hold after a command. Fields that are null or empty ask for nothing. */
export const RunExpectation = z.strictObject({
  exitCode: z.int().min(0).max(255),
  stdout: z.string().nullable(),
  stdoutContains: z.array(z.string()),
  stderrContains: z.array(z.string()),
  /** JSON text of the expected value, in canonical form. */
  json: z.string().nullable(),
  files: z.record(z.string(), z.string()),
  filesAbsent: z.array(z.string()),
});
export type RunExpectation = z.infer<typeof RunExpectation>;

const blackBox = {
  ...part,
  name: z.string(),
  argv: Argv,
  stdin: z.string(),
  /** Laid over the checkout; no agent ever sees them. */
  files: z.record(z.string(), z.string()),
  expect: RunExpectation,
  limits: GateLimits,
};

/** How tests are counted: by our reporter inside, or by lines of the command's output. */
export const TestCount = z.discriminatedUnion('by', [
  z.strictObject({
    by: z.literal('reporter'),
    runner: z.enum(['pytest', 'node_test']),
    paths: z.array(z.string()),
    /** Further words: options of pytest, or of node (`--import`). What they deselect is told as skipped. */
    args: z.array(z.string()).optional(),
  }),
  z.strictObject({ by: z.literal('format'), format: z.enum(['go_json', 'libtest', 'tap', 'jest_json']) }),
  /** A line of the output with `{count}` in it. */
  z.strictObject({ by: z.literal('line'), line: z.string() }),
  /** A check: its exit code is all, and it counts as no test. */
  z.strictObject({ by: z.literal('none') }),
  /** A test command that shows nothing: refused, never run. */
  z.strictObject({ by: z.literal('nothing_said') }),
]);
export type TestCount = z.infer<typeof TestCount>;

export const RepositoryStep = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('required_files'), level: z.literal('L0'), ...part, globs: Globs }),
  z.strictObject({ kind: z.literal('forbidden_globs'), level: z.literal('L0'), ...part, globs: Globs }),
  z.strictObject({
    kind: z.literal('naming'),
    level: z.literal('L0'),
    ...part,
    globs: Globs,
    style: z.enum(['snake_case', 'kebab-case', 'camelCase', 'PascalCase']).nullable(),
    names: Globs,
  }),
  z.strictObject({
    kind: z.literal('file_sizes'),
    level: z.literal('L0'),
    ...part,
    fileBytesMax: z.int().positive(),
    binaryBytesMax: z.int().positive(),
    binariesAllowed: Globs,
  }),
  z.strictObject({
    kind: z.literal('schema_files'),
    level: z.literal('L0'),
    ...part,
    globs: Globs,
    /** Path in the repository; null where the schema is written out. */
    schemaPath: z.string().nullable(),
    /** JSON text; null where it lies in the repository. */
    schemaText: z.string().nullable(),
  }),
  z.strictObject({
    kind: z.literal('disallowed_commands'),
    level: z.literal('L0'),
    ...part,
    commands: z.array(z.string()),
  }),
  z.strictObject({
    kind: z.literal('runtime'),
    level: z.literal('L1'),
    ...part,
    tool: RuntimeTool,
    /** `3.11`, or `>=3.11`; null: any version. */
    version: z.string().nullable(),
  }),
  z.strictObject({
    kind: z.literal('dependencies'),
    level: z.literal('L1'),
    ...part,
    python: z.array(z.string()),
    node: z.array(z.string()),
    debian: z.array(z.string()),
    go: z.array(z.string()).optional(),
    rust: z.array(z.string()).optional(),
  }),
  /** Runs before each command, in the same fresh checkout. */
  z.strictObject({ kind: z.literal('setup'), level: z.literal('L1'), ...part, name: z.string(), argv: Argv }),
  z.strictObject({
    kind: z.literal('test_command'),
    level: z.literal('L1'),
    ...part,
    name: z.string(),
    /** Empty for a reporter: its runner is started. */
    argv: z.array(z.string()),
    count: TestCount,
    /** Commands before it, after set-up, in the same fresh checkout: the build that its tests rest on. */
    before: z.array(Argv).optional(),
    /** Beside those of the plan. */
    variables: z.record(z.string(), z.string()).optional(),
    minTests: z.int().min(1),
    maxSkipped: z.int().min(0),
    exitCode: z.int().min(0).max(255),
    limits: GateLimits,
  }),
  z.strictObject({ kind: z.literal('fixture'), level: z.literal('L2'), ...blackBox }),
  z.strictObject({ kind: z.literal('execution'), level: z.literal('L3'), ...blackBox }),
  /** What the plan asks for and nothing here can give, for example a network: it refuses the plan. */
  z.strictObject({ kind: z.literal('refused'), level: z.literal('L0'), ...part, reason: z.string() }),
]);
export type RepositoryStep = z.infer<typeof RepositoryStep>;

export type RepositoryStepOf<K extends RepositoryStep['kind']> = Extract<RepositoryStep, { kind: K }>;
