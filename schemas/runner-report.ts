/**
 * What a runner inside the sandbox writes, one JSON object a line, into `/out/report.jsonl` (gate.md parts 4 and 5).
 * The file is hostile: it is read with limits and parsed line by line with these schemas.
 */
import { z } from 'zod';
import { Counterexample } from './gate-wall.ts';

/** Identity of a test: file, enclosing groups, name, and the ordinal among equals (from 0). Never a display name of the framework. */
export const TestId = z.strictObject({
  file: z.string().max(500),
  nesting: z.array(z.string().max(500)).max(20),
  name: z.string().max(1000),
  ordinal: z.int().min(0).max(100_000),
});
export type TestId = z.infer<typeof TestId>;

/** A place in the tree: path relative to the work folder, line from 1. */
export const Frame = z.strictObject({ file: z.string().max(500), line: z.int().min(0).max(10_000_000) });
export type Frame = z.infer<typeof Frame>;

/** Why a test, a set-up or a collection was not green. `assertion` is true only for a failed assertion of the suite. */
export const Failure = z.strictObject({
  exceptionType: z.string().max(300),
  message: z.string().max(4000),
  assertion: z.boolean(),
  /** Innermost last; only files below the work folder. */
  frames: z.array(Frame).max(50),
});
export type Failure = z.infer<typeof Failure>;

/** A file that was loaded as code while a repository's tests ran. */
export const LoadedFile = z.strictObject({
  /** Module name; empty where the language has none. */
  name: z.string().max(500),
  /** Relative to the work folder, or absolute where it lies outside. */
  path: z.string().max(1000),
  /** 64 hex digits of sha256; null where it was not read. */
  hash: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable(),
});
export type LoadedFile = z.infer<typeof LoadedFile>;

/** What code of a pure stage may not ask for. */
export const Impurity = z.enum(['file', 'network', 'process', 'clock', 'randomness', 'output']);
export type Impurity = z.infer<typeof Impurity>;

/** A line of the builder's that asked for such a thing. */
export const ImpureCall = Frame.extend({
  what: Impurity,
  /** What was called, for example `time.time`. */
  name: z.string().max(100),
  /** The function of a library that the line called, where that is another one; else null. */
  by: z.string().max(100).nullable(),
});
export type ImpureCall = z.infer<typeof ImpureCall>;

export const RunnerLine = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('start'),
    nonce: z.string().max(100),
    runner: z.string().max(50),
    version: z.string().max(50),
  }),
  z.strictObject({ kind: z.literal('collected'), ids: z.array(TestId).max(20_000) }),
  z.strictObject({ kind: z.literal('collect_error'), file: z.string().max(500), failure: Failure }),
  z.strictObject({
    kind: z.literal('test'),
    id: TestId,
    outcome: z.enum(['passed', 'failed', 'skipped', 'xfailed', 'xpassed', 'todo', 'error']),
    /** Phase that decided: the call itself, or its set-up or tear-down. */
    phase: z.enum(['setup', 'call', 'teardown']),
    failure: Failure.nullable(),
    /** Names of declared exports that the test reached; filled on stubs only. */
    reached: z.array(z.string().max(300)).max(500),
    /**
     * Declared exports that the test itself called or read in a run that judges code: `name`, `Class` for what was built or read,
     * `Class.member` for methods and properties. Told by the trusted side of the wall; absent where the run cannot tell.
     */
    called: z.array(z.string().max(300)).max(500).optional(),
    /** How often it called an export; told on stubs only. */
    calls: z.int().min(0).optional(),
    durationMs: z.number().min(0),
    /** Written by the trusted side of the wall only. */
    counterexample: Counterexample.optional(),
  }),
  /** An error outside any test: late uncaught exception, unhandled rejection, refused construct (nested test, only, hook in conftest). */
  z.strictObject({
    kind: z.literal('late_error'),
    reason: z.enum(['uncaught', 'refused', 'internal']),
    failure: Failure,
  }),
  /** A repository's own suite: what was loaded, and whether the tests started programs of their own. */
  z.strictObject({
    kind: z.literal('loaded'),
    files: z.array(LoadedFile).max(1000),
    children: z.boolean(),
  }),
  /**
   * Objects that a test file builds and never gives to the code, though a call came after: their places among all that it builds, with
   * the numbers of their classes. They are what the suite expects, and a second run builds them in another process.
   */
  z.strictObject({
    kind: z.literal('apart'),
    file: z.string().max(500),
    places: z.array(z.tuple([z.int().min(0), z.int().min(0)])).max(10_000),
  }),
  /** Told in plain runs of nodes of a pure stage. */
  ImpureCall.extend({ kind: z.literal('impure') }),
  z.strictObject({
    kind: z.literal('end'),
    nonce: z.string().max(100),
    collected: z.int().min(0),
    ran: z.int().min(0),
  }),
]);
export type RunnerLine = z.infer<typeof RunnerLine>;

/** A further run on the stub `wrong`, where the first one leaves a doubt about an honest suite. */
export const StubVariant = z.strictObject({
  /** Every wrong value is another one. */
  second: z.boolean(),
  /** What the language gives to every declaration is missing: arguments not checked, bases dropped, an object made once, no promise. */
  loose: z.boolean(),
  /** Constructors fail in tests. */
  closed: z.boolean(),
  /** These give nothing, while all others give wrong values. */
  silent: z.array(z.string()),
  /** Tests go on after failed assertions and errors: the run tells what they call, and nothing is judged by its outcomes. */
  through: z.boolean(),
  /** These raise what only those catch who catch everything. */
  raising: z.array(z.string()),
});
export type StubVariant = z.infer<typeof StubVariant>;

/** What a runner is told, as JSON on standard input before it loads anything of the suite or the builder. */
export const RunnerConfig = z.strictObject({
  nonce: z.string(),
  mode: z.enum(['collect', 'run']),
  /** Test files relative to the work folder, already filtered to `test_*.py`, `*_test.py`, `*.test.*`, `*.spec.*`. */
  testFiles: z.array(z.string()),
  /** Where to write, for example `/out/report.jsonl`. */
  reportPath: z.string(),
  /** Set on stubs: names that the stub declares and the tests reach are recorded. */
  stub: z.enum(['raise', 'none', 'wrong']).nullable(),
  /** How the stub `wrong` differs in this run. Default: not at all. */
  variant: StubVariant.optional(),
  testTimeoutMs: z.int().positive(),
  /** Where the tree lies. Default `/work`. */
  workDir: z.string().default('/work'),
  /** Of a pure stage: the builder's files, in which nothing may ask for files, network, processes, clock, chance or output. Absent: not watched. */
  pure: z.array(z.string()).optional(),
  /** Every file of the suite, helpers included: a failed assertion counts only in one of these. Default: `testFiles`. */
  suiteFiles: z.array(z.string()).default([]),
  /** These run after all others, where the runner can do so. Default none. */
  last: z.array(TestId).default([]),
  /** Runs the tests in the reverse order. Default false. */
  reversed: z.boolean().default(false),
  /** A suite with more tests is refused instead of run. Default: any number. */
  testsMax: z.int().positive().optional(),
  /** Behind the JavaScript wall failed tests run once more, alone, for what a builder may be told of them. Default true. */
  alone: z.boolean().default(true),
  /** Absolute folder that the tree is moved to first. Default: it stays. */
  moveTo: z.string().nullable().default(null),
});
export type RunnerConfig = z.infer<typeof RunnerConfig>;
