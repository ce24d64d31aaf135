/** What an exported function is declared to give, where that is one plain type: an object that acts like one is refused behind the wall. */
import { declaredName } from '../contract/declaration.ts';
import type { ResolvedContract } from '../../schemas/contract.ts';

export type ReturnType = 'number' | 'string' | 'boolean' | 'bigint' | 'array';

const RESULT = /(?:\)\s*:|=>)\s*(?:(number|string|boolean|bigint)|[\w.]+\[\]|(?:Readonly)?Array<\w+>)\s*$/u;

/** By the name of each exported JavaScript or TypeScript function whose type is known; a name that is declared twice is not. */
export function returnTypes(node: ResolvedContract): Readonly<Record<string, ReturnType>> {
  const found = new Map<string, ReturnType | null>();
  for (const text of node.interface.exports) {
    const declared = declaredName(node.language, text);
    if (declared?.kind !== 'function') continue;
    const match = RESULT.exec(text.trim().replace(/;$/u, '').trimEnd());
    const type = match === null ? null : ((match[1] as ReturnType | undefined) ?? 'array');
    found.set(declared.name, found.has(declared.name) ? null : type);
  }
  const known = [...found].filter((entry): entry is [string, ReturnType] => entry[1] !== null);
  return Object.fromEntries(known);
}
