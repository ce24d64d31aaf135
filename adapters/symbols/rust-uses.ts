/** Names that `pub use` exports. */
import type { SourceSymbol } from '../../core/ports/symbols.ts';
import { symbol, type SyntaxNode } from './syntax.ts';

/** Open for `pub use other::*`. */
export function rustUses(node: SyntaxNode): { readonly symbols: SourceSymbol[]; readonly isOpen: boolean } {
  const text = node
    .text()
    .replace(/^pub\s+use\s+/u, '')
    .replace(/;$/u, '');
  const names = text
    .split(/[{},]/u)
    .map((part) => part.trim())
    .filter((part) => part !== '' && !part.endsWith('::'));
  return {
    symbols: names.flatMap((part) => {
      const alias = /\bas\s+(\w+)$/u.exec(part)?.[1];
      const last = part.split('::').at(-1)?.trim() ?? '';
      return last === '*'
        ? []
        : [
            symbol(alias ?? last, 'opaque', node, {
              decorators: ['import'],
              origin: { module: part, name: last },
            }),
          ];
    }),
    isOpen: text.includes('*'),
  };
}
