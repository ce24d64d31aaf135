/** Statements about verdicts as `attest verify` reads them: hostile until their signature holds. */
import { z } from 'zod';

const Digest = z.record(z.string().max(40), z.string().max(200));
const Resource = z.looseObject({
  name: z.string().max(300),
  uri: z.string().max(500).optional(),
  digest: Digest.optional(),
  annotations: z.record(z.string().max(100), z.string().max(300)).optional(),
});

export const Statement = z.looseObject({
  _type: z.literal('https://in-toto.io/Statement/v1'),
  subject: z
    .array(z.looseObject({ name: z.string().max(300).optional(), digest: Digest }))
    .min(1)
    .max(100),
  predicateType: z.literal('https://in-toto.io/attestation/test-result/v0.1'),
  predicate: z.looseObject({
    result: z.enum(['PASSED', 'WARNED', 'FAILED']),
    configuration: z.array(Resource).max(100),
    passedTests: z.array(z.string().max(2000)).max(100_000).optional(),
  }),
});
export type Statement = z.infer<typeof Statement>;
