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
      /** What its price can come to beyond its bytes. */
      readonly bound: { readonly maxOutputTokens: number; readonly hiddenTokens: number };
      readonly dropped: readonly string[];
    };

interface Path {
  readonly protocol: ModelProtocol;
  readonly upstream: string;
}

interface Model {
  readonly id: string;
  readonly maxOutputTokens: number;
}

/** What may go out of a body, or why it may not. */
export function weighBody(bytes: Buffer, path: Path, model: Model): Weighed {
  try {
    return weigh(bytes, path, model);
  } catch (error) {
    // Numbers that JSON cannot hold, nesting that no stack holds.
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
    return { kind: 'refused', message: `The body cannot be written anew: ${error.message}` };
  }
}

function weigh(bytes: Buffer, { protocol, upstream }: Path, model: Model): Weighed {
  let json: unknown;
  try {
    json = JSON.parse(bytes.toString('utf8'));
  } catch {
    return { kind: 'refused', message: 'The body is no JSON' };
  }
  const read = doorBody(json, protocol, model);
  if (read.kind === 'refused') return read;
  const { body, maxOutputTokens, hiddenTokens, dropped } = read;
  const question = `${upstream}\n${canonicalJson(questionOf(body))}`;
  const hash = createHash('sha256').update(question).digest('hex');
  const bound = { maxOutputTokens, hiddenTokens };
  return { kind: 'call', hash, text: JSON.stringify(body), bound, dropped: dropped.map(shortName) };
}

function shortName(name: string): string {
  return name.slice(0, 100);
}
