/** What an exported function is declared to give, where that is one plain type: an object that acts like one is refused behind the wall. */
import { declaredName, exportedName } from '../contract/declaration.ts';
import type { ResolvedContract } from '../../schemas/contract.ts';

export type ReturnType = 'number' | 'string' | 'boolean' | 'bigint' | 'array';

const RESULT = /^\s*(?::|=>)\s*(?:(number|string|boolean|bigint)|[\w.]+\[\]|(?:Readonly)?Array<\w+>)\s*$/u;

/** By the name of each exported JavaScript or TypeScript function whose type is known; a name that is declared twice is not. */
export function returnTypes(node: ResolvedContract): Readonly<Record<string, ReturnType>> {
  const found = new Map<string, ReturnType | null>();
  for (const text of node.interface.exports) {
    const declared = declaredName(node.language, text);
    if (declared?.kind !== 'function') continue;
    const match = RESULT.exec(behindParameters(text.trim().replace(/;$/u, '')));
    const type = match === null ? null : ((match[1] as ReturnType | undefined) ?? 'array');
    const name = exportedName(declared);
    found.set(name, found.has(name) ? null : type);
  }
  const known = [...found].filter((entry): entry is [string, ReturnType] => entry[1] !== null);
  return Object.fromEntries(known);
}

/** What follows the first list of parameters: a result may be a function, whose own result is not the function's. */
function behindParameters(text: string): string {
  let depth = 0;
  for (let at = text.indexOf('('); at >= 0 && at < text.length; at += 1) {
    const character = text.charAt(at);
    if ('([{'.includes(character)) depth += 1;
    else if (')]}'.includes(character)) depth -= 1;
    if (depth === 0) return text.slice(at + 1);
  }
  return '';
}
