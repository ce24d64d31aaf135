/** Parameters of a Python function. */
import type { SymbolParam } from '../../core/ports/symbols.ts';
import type { SyntaxNode } from './syntax.ts';

/** Parameters in order, separators resolved to kinds. */
export function pythonParams(list: SyntaxNode | null): SymbolParam[] {
  const params: SymbolParam[] = [];
  let isKeywordOnly = false;
  for (const node of list?.namedChildren() ?? []) {
    switch (node.kind()) {
      case 'positional_separator':
        for (const [index, param] of params.entries()) params[index] = { ...param, kind: 'positional_only' };
        break;
      case 'keyword_separator':
        isKeywordOnly = true;
        break;
      default: {
        const param = pythonParam(node, isKeywordOnly);
        if (param === null) break;
        if (param.kind === 'var_positional') isKeywordOnly = true;
        params.push(param);
      }
    }
  }
  return params;
}

function pythonParam(node: SyntaxNode, isKeywordOnly: boolean): SymbolParam | null {
  const annotation = node.field('type')?.text() ?? null;
  const kind = isKeywordOnly ? 'keyword_only' : 'positional';
  switch (node.kind()) {
    case 'identifier':
      return { name: node.text(), kind, optional: false, annotation };
    case 'default_parameter':
    case 'typed_default_parameter':
      return { name: node.field('name')?.text() ?? '', kind, optional: true, annotation };
    case 'typed_parameter': {
      const inner = node.child(0);
      const splat = inner === null ? null : splatParam(inner, annotation);
      return splat ?? { name: inner?.text() ?? '', kind, optional: false, annotation };
    }
    default:
      return splatParam(node, annotation);
  }
}

function splatParam(node: SyntaxNode, annotation: string | null): SymbolParam | null {
  const name = node.text().replace(/^\*+/u, '');
  if (node.kind() === 'list_splat_pattern')
    return { name, kind: 'var_positional', optional: true, annotation };
  if (node.kind() === 'dictionary_splat_pattern')
    return { name, kind: 'var_keyword', optional: true, annotation };
  return null;
}
