/** A command on given inputs and what must hold afterwards: fixtures (L2) of a contract or a plan, execution checks (L3) of a plan. */
import { z } from 'zod';

/** A text is given to `sh -c`, a list is started as it is. */
export const CommandLine = z.union([z.string().min(1), z.array(z.string()).min(1)], {
  error: 'must be a command line or a list of words, for example "make test" or [make, test]',
});
export type CommandLine = z.infer<typeof CommandLine>;

/** Names a command in reports. */
export const CheckName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9 _.-]{0,59}$/, 'must be 1 to 60 letters, digits, spaces, "_", "." or "-"');

/** Wall time of one command. */
export const TimeoutSeconds = z.number().positive().max(3600);

export const Expectation = z.strictObject({
  exit_code: z.int().min(0).max(255).default(0),
  stdout: z.string().optional().describe('The whole standard output.'),
  stdout_contains: z.array(z.string().min(1)).default([]),
  stderr_contains: z.array(z.string().min(1)).default([]),
  json: z.json().optional().describe('Standard output, read as JSON, must equal this.'),
  files: z.record(z.string(), z.string()).default({}).describe('Files afterwards, with their whole text.'),
  files_absent: z.array(z.string().min(1)).default([]),
});
export type Expectation = z.infer<typeof Expectation>;

/** A command on given inputs, and what must hold afterwards. */
export const BlackBoxCheck = z.strictObject({
  name: CheckName,
  command: CommandLine,
  stdin: z.string().optional(),
  files: z.record(z.string(), z.string()).default({}).describe('Input files, laid over the checkout.'),
  expect: Expectation.prefault({}),
  timeout_s: TimeoutSeconds.optional(),
});
export type BlackBoxCheck = z.infer<typeof BlackBoxCheck>;
