/** Examples whose values are not of the declared types: results, and arguments that are written out. */
import { declaredName } from '../declaration.ts';
import { exampleProblems } from '../example-check.ts';
import { canBe, closingAt } from '../example-types.ts';
import type { LintFinding } from './finding.ts';
import type { Names } from './names.ts';

type Value = Parameters<typeof canBe>[1];

export function lintExamples(names: Names, at: readonly ['nodes', number]): LintFinding[] {
  const { node, reachable } = names;
  const results = exampleProblems(node, reachable).map(({ index, field, reason, suggestion }) => ({
    code: field === 'raises' ? ('undefined_raise' as const) : ('example_type' as const),
    nodeId: node.id,
    path: [...at, 'examples', index, field],
    message: `example "${node.examples[index]?.call ?? ''}": ${reason}`,
    suggestion,
  }));
  const given = node.examples.flatMap((example, index) => {
    // A person may show what is refused by passing it.
    const reason = 'raises' in example ? null : wrongArgument(names, example.call);
    return reason === null
      ? []
      : [
          {
            code: 'example_type' as const,
            nodeId: node.id,
            path: [...at, 'examples', index, 'call'],
            message: `example "${example.call}": ${reason}`,
            suggestion: 'Pass a value of the declared type, or correct the declaration',
          },
        ];
  });
  return [...results, ...given];
}

function wrongArgument({ node }: Names, call: string): string | null {
  const name = /^(?:await\s+)?([A-Za-z_$][\w$]*)\(/u.exec(call.trim())?.[1];
  const declared = node.interface.exports.filter((each) => {
    const found = declaredName(node.language, each);
    return found?.kind === 'function' && found.name === name;
  });
  const [declaration] = declared;
  if (declared.length !== 1 || declaration === undefined) return null;
  const types = parts(inside(declaration)).map((part) =>
    /^[\w$]+\??\s*:\s*([^=]+?)(?:\s*=.*)?$/su.exec(part.trim()),
  );
  const values = parts(inside(call));
  for (const [position, text] of values.entries()) {
    const value = literal(text.trim());
    const type = types[position]?.[1];
    if (
      value === undefined ||
      type === undefined ||
      /^\s*\*/u.test(parts(inside(declaration))[position] ?? '')
    )
      continue;
    if (!canBe(type, value)) return `${text.trim()} is passed where ${type} is declared`;
  }
  return null;
}

function inside(text: string): string {
  const open = text.indexOf('(');
  return text.slice(open + 1, closingAt(text, open));
}

/** At commas outside of brackets and quotes. */
function parts(text: string): string[] {
  const found: string[] = [];
  let [depth, quote, part] = [0, '', ''];
  for (const char of text) {
    if (quote !== '') quote = char === quote ? '' : quote;
    else if (`'"\``.includes(char)) quote = char;
    else if ('([{<'.includes(char)) depth += 1;
    else if (')]}>'.includes(char)) depth -= 1;
    if (char === ',' && depth === 0 && quote === '') {
      found.push(part);
      part = '';
    } else part += char;
  }
  return part.trim() === '' ? found : [...found, part];
}

/** What is written out as one plain value; undefined for anything else. */
function literal(text: string): Value | undefined {
  if (/^[bru]?'[^']*'$|^[ru]?"[^"]*"$/u.test(text)) return text.startsWith('b') ? undefined : text;
  if (/^-?\d[\d_]*$/u.test(text)) return Number(text.replaceAll('_', ''));
  if (/^-?\d[\d_]*\.\d+$/u.test(text)) return Number(text) + (Number.isInteger(Number(text)) ? 0.5 : 0);
  if (/^(?:True|False|true|false)$/u.test(text)) return /^t/iu.test(text);
  if (/^(?:None|null|undefined)$/u.test(text)) return null;
  if (text === '[]') return [];
  return text === '{}' ? {} : undefined;
}
