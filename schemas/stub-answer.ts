/** What the stub programs in the sandbox answer, as JSON on standard output (gate.md parts 2 and 3). The answer is parsed with limits. */
import { z } from 'zod';

/** One export as the declarations describe it; methods are `Class.method`. */
export const StubExport = z.strictObject({
  name: z.string().min(1).max(300),
  kind: z.enum(['function', 'method', 'class', 'dataclass', 'enum', 'exception', 'constant', 'alias']),
  callable: z.boolean(),
  async: z.boolean(),
  inert: z.boolean(),
  clauseId: z.string().max(20),
});
export type StubExport = z.infer<typeof StubExport>;

/** What of an interface does not work: where in its list, and what to write instead. */
export const StubProblem = z.strictObject({
  where: z.string().max(100),
  index: z.int().min(0).nullable(),
  line: z.int().min(0).nullable(),
  reason: z.string().max(4000),
  suggestion: z.string().max(4000).nullable(),
});
export type StubProblem = z.infer<typeof StubProblem>;

export const StubAnswer = z.discriminatedUnion('ok', [
  z.strictObject({
    ok: z.literal(true),
    files: z.strictObject({ raise: z.string(), none: z.string(), wrong: z.string() }),
    exports: z.array(StubExport).max(2000),
  }),
  z.strictObject({ ok: z.literal(false), problems: z.array(StubProblem).min(1).max(500) }),
]);
export type StubAnswer = z.infer<typeof StubAnswer>;
