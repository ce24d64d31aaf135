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

/** The first call of the example and those behind it, `Grid(2).cell(1, 2)`: each against the declaration of its name. */
function wrongArgument({ node }: Names, call: string): string | null {
  let rest = call.trim().replace(/^(?:await|new)\s+/u, '');
  let owner: string | null = null;
  for (;;) {
    const [head = '', name = ''] = /^\.?([A-Za-z_$][\w$]*)\(/u.exec(rest) ?? [];
    if (head === '') return null;
    const found: Declared = owner === null ? declarationOf(node, name) : methodOf(owner, name);
    const reason = found.signature === null ? null : wrongPart(found.signature, rest);
    if (reason !== null) return reason;
    owner = found.owner;
    const end = closingAt(rest, head.length - 1);
    if (owner === null || end === -1) return null;
    rest = rest.slice(end + 1);
  }
}

interface Declared {
  /** From the name on; null where it is not declared, or more than once. */
  readonly signature: string | null;
  /** The class whose members the result has. */
  readonly owner: string | null;
}

const NOT_DECLARED: Declared = { signature: null, owner: null };

function declarationOf({ language, interface: { exports } }: Names['node'], name: string): Declared {
  const named = exports.filter((each) => declaredName(language, each)?.name === name);
  const [only] = named;
  if (named.length !== 1 || only === undefined) return NOT_DECLARED;
  if (declaredName(language, only)?.kind === 'function') return { signature: only, owner: null };
  if (!/\bclass\b/u.test(only)) return NOT_DECLARED;
  const made = methodOf(only, language === 'python' ? '__init__' : 'constructor');
  return { signature: made.signature, owner: only };
}

/** A method of a class declaration, without `self`. */
function methodOf(declaration: string, name: string): Declared {
  const starts = [...declaration.matchAll(new RegExp(`(?:^|[\\s;{])${name}\\s*\\(`, 'gu'))];
  const [only] = starts;
  if (starts.length !== 1 || only === undefined) return NOT_DECLARED;
  const signature = declaration.slice(only.index + only[0].indexOf(name));
  return { signature: signature.replace(/\(\s*(?:self|cls)\s*(?:,\s*|(?=\)))/u, '('), owner: null };
}

function wrongPart(declaration: string, call: string): string | null {
  const declared = parts(inside(declaration));
  const types = declared.map((part) => /^[\w$]+\??\s*:\s*([^=]+?)(?:\s*=.*)?$/su.exec(part.trim()));
  for (const [position, text] of parts(inside(call)).entries()) {
    const value = literal(text.trim());
    const type = types[position]?.[1];
    if (value === undefined || type === undefined || /^\s*\*/u.test(declared[position] ?? '')) continue;
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
