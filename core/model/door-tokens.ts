/** Tokens of a question that its bytes do not bound: pictures, documents, and what an endpoint writes around messages and tools. Pure. */
import type { ModelProtocol } from '../ports/agent-driver.ts';
import { isRecord } from '../text/is-record.ts';
import { DEPTH_MAX, HOLDERS } from './door-parts.ts';

/** Around a message or a tool. */
const FRAME_TOKENS = 16;
/** What an endpoint says to its model about tools, and about each that has a type of the endpoint's own. */
const TOOLS_TOKENS = 500;
const TYPED_TOOL_TOKENS = 1_000;
/** The dearest reading of one picture, however few bytes it has. */
const PICTURE_TOKENS: Readonly<Record<ModelProtocol, number>> = {
  anthropic: 5_000,
  chat: 50_000,
  responses: 50_000,
};
/** A few kilobytes of PDF hold as many pages as a context takes. */
const DOCUMENT_TOKENS = 1_000_000;

const PICTURES = new Set(['image', 'image_url', 'input_image']);
const DOCUMENTS = new Set(['document', 'file', 'input_file']);
const PLAIN_TOOLS = new Set([undefined, 'function', 'custom', 'namespace']);

/** The most tokens beyond one a byte. */
export function hiddenTokens(body: Readonly<Record<string, unknown>>, protocol: ModelProtocol): number {
  const tools = Array.isArray(body['tools']) ? (body['tools'] as unknown[]) : [];
  const said = ['system', 'messages', 'input'].map((name) => partTokens(body[name], protocol, 0));
  return said.reduce((sum, each) => sum + each, toolTokens(tools));
}

function toolTokens(tools: readonly unknown[]): number {
  if (tools.length === 0) return 0;
  const typed = tools.filter(
    (tool) => isRecord(tool) && !PLAIN_TOOLS.has(tool['type'] as string | undefined),
  );
  return TOOLS_TOKENS + FRAME_TOKENS * tools.length + TYPED_TOOL_TOKENS * typed.length;
}

function partTokens(value: unknown, protocol: ModelProtocol, depth: number): number {
  if (depth > DEPTH_MAX) return 0;
  if (Array.isArray(value)) {
    let sum = 0;
    for (const each of value as unknown[]) sum += partTokens(each, protocol, depth + 1);
    return sum;
  }
  if (!isRecord(value)) return 0;
  const { source } = value;
  const within = [...HOLDERS.map((name) => value[name]), isRecord(source) ? source['content'] : undefined];
  return within.reduce<number>(
    (sum, each) => sum + partTokens(each, protocol, depth + 1),
    ownTokens(value, protocol),
  );
}

function ownTokens(
  { type, role, source }: Readonly<Record<string, unknown>>,
  protocol: ModelProtocol,
): number {
  const frame = role === undefined ? 0 : FRAME_TOKENS;
  if (typeof type !== 'string') return frame;
  if (PICTURES.has(type)) return frame + PICTURE_TOKENS[protocol];
  // A document of words is bounded by its bytes.
  const isWords = isRecord(source) && source['type'] !== 'base64';
  return DOCUMENTS.has(type) && !isWords ? frame + DOCUMENT_TOKENS : frame;
}
