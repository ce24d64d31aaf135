/** The statement at a line, and the test or helper around it, as written. */
import type { SuiteWords } from '../../core/gate/suite/contradiction.ts';
import type { Language } from '../../schemas/ids.ts';
import { parseRoot, type SyntaxNode } from './syntax.ts';

const STATEMENT = /_statement$|_declaration$|^(?:assignment|lexical_declaration)$/u;
const FUNCTION =
  /^(?:function_definition|function_declaration|arrow_function|function_expression|method_definition)$/u;

/** @param line from 1. Null where nothing stands there, or the language is not read. */
export function statementAt(language: Language, text: string, line: number): SuiteWords | null {
  if (language === 'go' || language === 'rust') return null;
  const grammar = language === 'python' ? 'python' : language === 'javascript' ? 'JavaScript' : 'TypeScript';
  let statement: SyntaxNode | null = null;
  let around: SyntaxNode | null = null;
  const walk = (node: SyntaxNode): void => {
    const { start, end } = node.range();
    if (start.line > line - 1 || end.line < line - 1) return;
    const kind = String(node.kind());
    if (STATEMENT.test(kind)) statement = node;
    if (FUNCTION.test(kind)) around = node;
    for (const child of node.namedChildren()) walk(child);
  };
  walk(parseRoot(grammar, text));
  const found = statement as SyntaxNode | null;
  if (found === null) return null;
  return { statement: found.text(), around: (around as SyntaxNode | null)?.text() ?? found.text() };
}
