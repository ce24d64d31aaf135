/** What jest's `--json` tells of tests that failed; anything else in it is left alone. */
import { z } from 'zod';

const Test = z.looseObject({
  status: z.string(),
  fullName: z.string().catch(''),
  failureMessages: z.array(z.string()).catch([]),
});

export const JestResults = z.looseObject({
  testResults: z.array(
    z.looseObject({
      status: z.string().catch(''),
      /** Why a file could not be loaded, or all failures of it as text. */
      message: z.string().catch(''),
      assertionResults: z.array(Test).catch([]),
    }),
  ),
});
