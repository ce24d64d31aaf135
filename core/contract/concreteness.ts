/**
 * The concreteness test of the seed: can a developer write the signatures without asking? A node is refused only where
 * the answer is plainly no: nothing declared, nothing promised, and a description that is a mere domain label.
 */
import type { ContractNode } from '../../schemas/contract.ts';

const LABEL_WORDS_MAX = 4;
const LABEL_NOUN =
  /\b(modules?|systems?|services?|engines?|handlers?|managers?|layers?|components?|utilit(?:y|ies)|utils?|helpers?|librar(?:y|ies)|logic|functionality|stuff|support|subsystems?|features?|framework|backend|frontend|infrastructure)\b/i;
const VAGUE_TAIL =
  /^(?:(?:for|of|with)\b.*|(?:that|which|to)\s+(?:handles?|manages?|supports?|provides?|deals?\s+with|does|do|implements?|takes?\s+care\s+of)\b.*)?$/i;
/** Longer than this, a text says something besides its label. */
const LABEL_CHARACTERS_MAX = 90;

/** True if a node of Mode B says nothing that a test could check. */
export function isVague(node: Pick<ContractNode, 'description' | 'interface' | 'examples'>): boolean {
  const { exports, guarantees, raises } = node.interface;
  const promised = exports.length + guarantees.length + raises.length + node.examples.length;
  return promised === 0 && isLabel(node.description);
}

function isLabel(description: string): boolean {
  const text = description
    .trim()
    .replace(/[.!]+$/, '')
    .replace(/^(?:an?|the)\s+/i, '');
  if (hasSignature(text)) return false;
  if (text.split(/\s+/).length <= LABEL_WORDS_MAX) return true;
  const noun = LABEL_NOUN.exec(text);
  if (noun === null || text.length > LABEL_CHARACTERS_MAX) return false;
  const before = text.slice(0, noun.index).trim();
  const after = text.slice(noun.index + noun[0].length).trim();
  return before.split(/\s+/).length <= LABEL_WORDS_MAX && VAGUE_TAIL.test(after);
}

/** `name(...)`, or an arrow between what goes in and what comes out. */
function hasSignature(text: string): boolean {
  return /[A-Za-z_]\w*\(|->|=>/.test(text);
}
