/** What a room that judges a suite hands over: how each step in it ended (`sandbox/runner/python/suite/suite_room.py`). Texts are base64. */
import { z } from 'zod';

export const SuiteStepEnd = z.strictObject({
  name: z.string(),
  exitCode: z.int().min(0),
  ms: z.number().min(0),
  cpuMs: z.number().min(0),
  report: z.base64(),
  stdout: z.base64(),
  stderr: z.base64(),
});
export type SuiteStepEnd = z.infer<typeof SuiteStepEnd>;

export const SuiteStepEnds = z.array(SuiteStepEnd);
