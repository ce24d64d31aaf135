/** Mutants of a source file: every place that an operator of its language can change, one change each. */
import type { Mutant } from '../../core/ports/mutants.ts';
import type { Language } from '../../schemas/ids.ts';
import { ecmaChanges, isEcmaSilent } from './ecma-mutations.ts';
import { isPythonSilent, pythonChanges } from './python-mutations.ts';
import { errorLines, lineOf, oneLine, parseRoot, type SyntaxNode } from './syntax.ts';

const CHANGE_MAX = 80;
const SOURCE_MAX = 200_000;

/** All mutants in the order of the source; none of a file that does not parse or is too large. */
export function mutantsOf(language: Language, file: string, text: string): readonly Mutant[] {
  if (text.length > SOURCE_MAX || language === 'go' || language === 'rust') return [];
  const isPython = language === 'python';
  const grammar = language === 'javascript' ? 'JavaScript' : file.endsWith('.tsx') ? 'Tsx' : 'TypeScript';
  const root = parseRoot(isPython ? 'python' : grammar, text);
  if (errorLines(root).length > 0) return [];
  const definitions = definitionsOf(root);
  const found: Mutant[] = [];
  const walk = (node: SyntaxNode): void => {
    if (isPython ? isPythonSilent(node) : isEcmaSilent(node)) return;
    for (const change of isPython ? pythonChanges(node) : ecmaChanges(node)) {
      const line = lineOf(change.node);
      found.push({
        file,
        line,
        operator: change.operator,
        change: `${shown(change.node.text())} to ${shown(change.by)}`,
        text: root.commitEdits([change.node.replace(change.by)]),
        serves: servedBy(definitions, line),
        raises: change.raises ?? null,
      });
    }
    for (const child of node.children()) walk(child);
  };
  walk(root);
  return found.filter((mutant) => mutant.text !== text);
}

function shown(text: string): string {
  const line = oneLine(text);
  return JSON.stringify(line.length > CHANGE_MAX ? `${line.slice(0, CHANGE_MAX)}…` : line);
}

interface Definition {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

function definitionsOf(root: SyntaxNode): Definition[] {
  return root.namedChildren().flatMap((statement) =>
    namesOf(statement).map((name) => {
      const { start, end } = statement.range();
      return { name, from: start.line + 1, to: end.line + 1, text: statement.text() };
    }),
  );
}

function definedName(statement: SyntaxNode): string {
  const definition = statement.field('definition');
  const name = definition === null ? null : definition.field('name');
  return name === null ? '' : name.text();
}

/** Names that a module-level statement binds, in any of the languages. */
function namesOf(statement: SyntaxNode): string[] {
  const name = statement.field('name')?.text();
  if (name !== undefined) return [name];
  switch (statement.kind()) {
    case 'decorated_definition':
      return [definedName(statement)].filter((each) => each !== '');
    case 'export_statement':
    case 'lexical_declaration':
    case 'variable_declaration':
    case 'expression_statement':
      return statement.namedChildren().flatMap(namesOf);
    case 'assignment':
      return [/^[A-Za-z_]\w*/u.exec(statement.text())?.[0] ?? ''].filter((each) => each !== '');
    default:
      return [];
  }
}

/** The definition that holds the line, and then, wave by wave, those that mention one that was found. */
function servedBy(definitions: readonly Definition[], line: number): string[] {
  const served = definitions.filter(({ from, to }) => from <= line && line <= to).map(({ name }) => name);
  for (let index = 0; index < served.length; index += 1) {
    const mention = new RegExp(`(?<![\\w$])${(served[index] ?? '').replaceAll('$', '\\$')}(?![\\w$])`, 'u');
    for (const { name, text } of definitions)
      if (!served.includes(name) && mention.test(text)) served.push(name);
  }
  return served;
}
