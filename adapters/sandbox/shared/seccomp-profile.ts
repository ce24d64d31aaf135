/** The one list of system calls that both backends apply: Docker reads it as it is, bubblewrap as a compiled filter. */
import { z } from 'zod';

const Uint = z.number().int().min(0);

/** One argument's condition; `SCMP_CMP_MASKED_EQ` means (argument & value) = valueTwo. */
export const SeccompArgument = z.strictObject({
  index: z.int().min(0).max(5),
  value: Uint,
  valueTwo: Uint.optional(),
  op: z.enum(['SCMP_CMP_EQ', 'SCMP_CMP_MASKED_EQ']),
});
export type SeccompArgument = z.infer<typeof SeccompArgument>;

export const SeccompRule = z.strictObject({
  names: z.array(z.string().min(1)).min(1),
  action: z.enum(['SCMP_ACT_ALLOW', 'SCMP_ACT_ERRNO']),
  errnoRet: Uint.optional(),
  args: z.array(SeccompArgument).optional(),
  comment: z.string().optional(),
});
export type SeccompRule = z.infer<typeof SeccompRule>;

/** The part of Docker's profile format that we use; a profile with anything else is refused when it is read. */
export const SeccompProfile = z.strictObject({
  defaultAction: z.literal('SCMP_ACT_ERRNO'),
  defaultErrnoRet: Uint,
  architectures: z.array(z.string()).min(1),
  syscalls: z.array(SeccompRule).min(1),
});
export type SeccompProfile = z.infer<typeof SeccompProfile>;
