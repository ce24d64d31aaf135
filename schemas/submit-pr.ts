/** Input of `submit_pr`: what an agent hands in (seed 001, gate.md parts 2 and 3). */
import { z } from 'zod';

/** Characters that `pr_note` should keep to (seed 001); reaching it is said, not refused. */
export const PR_NOTE_SOFT_MAX_CHARS = 500;
/** Characters that `pr_note` may have. */
export const PR_NOTE_MAX_CHARS = 1_000;

/** Every tool takes it, for the audit log (seed 001). */
export const intent = z.string().max(500).optional().describe('Why, in a few words.');
export const path = z.string().min(1).max(1_000).describe('Relative path, for example "price/money.py".');
export const SubmittedInterface = z.strictObject({
  exports: z
    .array(z.string().min(1).max(4_000))
    .max(500)
    .describe('Each export as one declaration, for example "def parse_money(text: str) -> int: ...".'),
  assumptions: z
    .array(z.string().max(2_000))
    .max(100)
    .optional()
    .describe('What the environment must provide.'),
  raises: z.array(z.string().max(500)).max(100).optional().describe('Exceptions, as Name or Name(Base).'),
  guarantees: z.array(z.string().max(2_000)).max(100).optional().describe('Behaviour that is promised.'),
});
export type SubmittedInterface = z.infer<typeof SubmittedInterface>;

/** Which tests cover one clause of the contract (gate.md part 3). */
export const ClauseCover = z.strictObject({
  clause: z.string().min(1).max(300).describe('Clause id as the contract view shows it, for example "G1".'),
  tests: z
    .array(z.string().min(1).max(1_000))
    .min(1)
    .max(500)
    .describe('Test names, a test file, or "*" for the whole suite.'),
});
export type ClauseCover = z.infer<typeof ClauseCover>;

export const Suspension = z.strictObject({
  type: z
    .enum(['near', 'far', 'void'])
    .describe(
      'near: a dependency is missing one step; far: a person must answer; void: the task contradicts itself.',
    ),
  detail: z.string().min(1).max(2_000).describe('What is missing, and what would help.'),
});
export type Suspension = z.infer<typeof Suspension>;

/** The whole form of seed 001. A role is shown the part that only it can know ({@link SHOWN_SUBMIT_PR}). */
export const SubmitPrInput = z.strictObject({
  status: z
    .enum(['grounded', 'provisional', 'near', 'suspended'])
    .optional()
    .describe(
      'Your claim; the gate decides. grounded (default): done. provisional, near: done in part. suspended: you cannot go on.',
    ),
  interface: SubmittedInterface.optional().describe(
    'What your work offers; it must agree with the contract.',
  ),
  files: z.array(path).max(500).optional().describe('Files you wrote. Default: all that changed.'),
  pr_note: z
    .string()
    .max(PR_NOTE_MAX_CHARS)
    .optional()
    .describe(
      `Note to the manager: at most ${PR_NOTE_MAX_CHARS} characters, better ${PR_NOTE_SOFT_MAX_CHARS}.`,
    ),
  test_contract: z
    .string()
    .max(16_000)
    .optional()
    .describe('Test author, Mode B: the builder sees only this text.'),
  covers: z.array(ClauseCover).max(500).optional().describe('Test author: which tests cover which clause.'),
  suspension: Suspension.optional().describe('Needed with status suspended.'),
  intent,
});
export type SubmitPrInput = z.infer<typeof SubmitPrInput>;

/** `suspend`: giving the task back is a tool of its own, so that no finished work is given up by a field filled in. */
export const SuspendInput = z.strictObject({ ...Suspension.shape, intent });
export type SuspendInput = z.infer<typeof SuspendInput>;

/** Who is shown which form of `submit_pr`: what the harness knows already is not asked for. */
export type SubmitForm = 'code' | 'suite' | 'suite_and_interface' | 'findings';

export const SHOWN_SUBMIT_PR = {
  code: SubmitPrInput.pick({ pr_note: true }),
  suite: SubmitPrInput.pick({ covers: true, pr_note: true }).required({ covers: true }),
  suite_and_interface: SubmitPrInput.pick({ test_contract: true, covers: true, pr_note: true }).required({
    test_contract: true,
    covers: true,
  }),
  findings: SubmitPrInput.pick({ pr_note: true, files: true }).required({ pr_note: true }),
} as const satisfies Record<SubmitForm, z.ZodType>;
