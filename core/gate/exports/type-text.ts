/** Type annotations of Python and TypeScript as unions of named types. What is beyond plain builtin types is one unknown. */

export interface TypeAtom {
  /** Null for a type that is not known here. */
  readonly name: string | null;
  readonly args: readonly TypeText[];
}

export type TypeText = readonly TypeAtom[];

const UNKNOWN: TypeAtom = { name: null, args: [] };
const ALIASES: Readonly<Record<string, string>> = {
  List: 'list',
  Dict: 'dict',
  Set: 'set',
  FrozenSet: 'frozenset',
  Tuple: 'tuple',
  Text: 'str',
};
const KNOWN = new Set(
  'int float complex bool str bytes None dict list set frozenset tuple number string boolean bigint undefined null void Array ReadonlyArray Map Promise Record'.split(
    ' ',
  ),
);
/** `Set` is Python's `typing.Set` in square brackets and TypeScript's in angle brackets. */
const ECMA_SET = 'EcmaSet';
const NESTING_MAX = 8;

/** The types that an annotation names; never empty. */
export function parseType(annotation: string, depth = 0): TypeText {
  const text = annotation
    .trim()
    .replace(/^(['"])(.*)\1$/su, '$2')
    .trim();
  if (depth > NESTING_MAX || text === '') return [UNKNOWN];
  const parts = splitTop(text.replace(/^\|/u, ''), '|');
  if (parts.length > 1) return parts.flatMap((part) => parseType(part, depth + 1));
  if (/=>|[{}()&?]|^(keyof|typeof|readonly|unique|infer|asserts)\b/u.test(text)) return [UNKNOWN];
  if (text.endsWith('[]')) return [{ name: 'Array', args: [parseType(text.slice(0, -2), depth + 1)] }];
  const match = /^(?:typing\.|builtins\.|t\.)?(\w+)\s*(?:\[(.*)\]|<(.*)>)?$/su.exec(text);
  if (match === null) return [UNKNOWN];
  const [, written = '', square, angle] = match;
  const args = splitTop(square ?? angle ?? '', ',').filter((part) => part.trim() !== '');
  if (written === 'Optional') return [...parseType(args[0] ?? '', depth + 1), { name: 'None', args: [] }];
  if (written === 'Union') return args.flatMap((part) => parseType(part, depth + 1));
  if (written === 'Set' && angle !== undefined)
    return [{ name: ECMA_SET, args: args.map((part) => parseType(part, depth + 1)) }];
  const name = ALIASES[written] ?? written;
  if (!KNOWN.has(name)) return [UNKNOWN];
  return [
    { name, args: args.map((part) => (part.trim() === '...' ? [UNKNOWN] : parseType(part, depth + 1))) },
  ];
}

/** Parts between separators that lie in no bracket. */
function splitTop(text: string, separator: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    if ('[<({'.includes(character)) depth += 1;
    else if ('])}'.includes(character) || (character === '>' && text.charAt(index - 1) !== '=')) depth -= 1;
    else if (character === separator && depth === 0) {
      parts.push(text.slice(start, index));
      start = index + 1;
    }
  }
  return [...parts, text.slice(start)];
}
