/** One body from bytes to what may go out: read, checked, made anew and hashed in one piece of work, whose time is counted. */
import { createHash } from 'node:crypto';
import { doorBody, questionOf } from '../../core/model/door-body.ts';
import type { ModelProtocol } from '../../core/ports/agent-driver.ts';
import { canonicalJson } from '../../core/text/canonical.ts';

export type Weighed =
  | { readonly kind: 'refused'; readonly message: string }
  | {
      readonly kind: 'call';
      /** Of path and question: the same for the same question of a later attempt. */
      readonly hash: string;
      readonly text: string;
      readonly maxOutputTokens: number;
      readonly dropped: readonly string[];
    };

export function weighBody(
  bytes: Buffer,
  { protocol, upstream }: { readonly protocol: ModelProtocol; readonly upstream: string },
  bound: { readonly id: string; readonly maxOutputTokens: number },
): Weighed {
  let json: unknown;
  try {
    json = JSON.parse(bytes.toString('utf8'));
  } catch {
    return { kind: 'refused', message: 'The body is no JSON' };
  }
  const read = doorBody(json, protocol, bound);
  if (read.kind === 'refused') return read;
  const { body, maxOutputTokens, dropped } = read;
  const question = `${upstream}\n${canonicalJson(questionOf(body))}`;
  const hash = createHash('sha256').update(question).digest('hex');
  return { kind: 'call', hash, text: JSON.stringify(body), maxOutputTokens, dropped };
}
