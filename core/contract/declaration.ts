/**
 * The names that declarations bind, and whether a text is one call: enough for import lines and early messages. Whether
 * a declaration parses and imports is decided in a sandbox (gate.md part 2).
 */
import type { Language } from '../../schemas/ids.ts';

export interface DeclaredName {
  readonly name: string;
  readonly kind: 'function' | 'class' | 'value';
  /** Only `export default` of JavaScript and TypeScript has this; a default export without a name is called `default`. */
  readonly isDefault?: true;
}

const PYTHON: readonly (readonly [RegExp, DeclaredName['kind']])[] = [
  [/^(?:@[^\n]*\n\s*)*(?:async\s+)?def\s+([A-Za-z_]\w*)\s*[([]/, 'function'],
  [/^(?:@[^\n]*\n\s*)*class\s+([A-Za-z_]\w*)/, 'class'],
  [/^([A-Za-z_]\w*)\s*[:=]/, 'value'],
];

const SCRIPT: readonly (readonly [RegExp, DeclaredName['kind']])[] = [
  [/^(?:export\s+)?(?:declare\s+)?(?:async\s+)?function\s*\*?\s*([A-Za-z_$][\w$]*)/, 'function'],
  [/^(?:export\s+)?(?:declare\s+)?(?:abstract\s+)?class\s+([A-Za-z_$][\w$]*)/, 'class'],
  [/^(?:export\s+)?(?:declare\s+)?(?:const\s+)?enum\s+([A-Za-z_$][\w$]*)/, 'class'],
  [
    /^(?:export\s+)?(?:declare\s+)?(?:const|let|var)\s+([A-Za-z_$][\w$]*)\s*:\s*(?:<[^>]*>\s*)?\([\s\S]*=>/,
    'function',
  ],
  [/^(?:export\s+)?(?:declare\s+)?(?:const|let|var)\s+([A-Za-z_$][\w$]*)/, 'value'],
];

const GO: readonly (readonly [RegExp, DeclaredName['kind']])[] = [
  [/^func\s+(?:\([^)]*\)\s*)?([A-Za-z_]\w*)/, 'function'],
  [/^type\s+([A-Za-z_]\w*)/, 'class'],
  [/^(?:var|const)\s+([A-Za-z_]\w*)/, 'value'],
];

const RUST: readonly (readonly [RegExp, DeclaredName['kind']])[] = [
  [/^(?:pub\s+)?(?:const\s+|async\s+|unsafe\s+)*fn\s+([A-Za-z_]\w*)/, 'function'],
  [/^(?:pub\s+)?(?:struct|enum|trait|type)\s+([A-Za-z_]\w*)/, 'class'],
  [/^(?:pub\s+)?(?:const|static)\s+([A-Za-z_]\w*)/, 'value'],
];

const FORMS: Readonly<Record<Language, typeof PYTHON>> = {
  python: PYTHON,
  javascript: SCRIPT,
  typescript: SCRIPT,
  go: GO,
  rust: RUST,
};

/** What one export string declares, or null where its form is unknown here. */
export function declaredName(language: Language, declaration: string): DeclaredName | null {
  const written = declaration.trim();
  const text = FORMS[language] === SCRIPT ? written.replace(DEFAULT, '') : written;
  const isDefault = text !== written;
  for (const [pattern, kind] of FORMS[language]) {
    const name = pattern.exec(text)?.[1];
    if (name !== undefined) return { name, kind, ...(isDefault ? { isDefault } : {}) };
  }
  if (!isDefault || !UNNAMED.test(text)) return null;
  return { name: 'default', kind: /^(?:abstract\s+)?class/.test(text) ? 'class' : 'function', isDefault };
}

const DEFAULT = /^export\s+default\s+/;
const UNNAMED = /^(?:(?:async\s+)?function\s*\*?\s*[(<]|(?:abstract\s+)?class\s*(?:\{|extends\b))/;

/** Names that the declarations have, once each; a TypeScript `interface` or `type` has none at run time. */
export function declaredNames(language: Language, declarations: readonly string[]): string[] {
  return [...new Set(declarations.flatMap((text) => declaredName(language, text)?.name ?? []))];
}

/** The same by which a module gives them away: `default` for a default export. */
export function exportedNames(language: Language, declarations: readonly string[]): string[] {
  const found = declarations.flatMap((text) => declaredName(language, text) ?? []);
  return [...new Set(found.map(exportedName))];
}

/** The name under which a module gives one of them away. */
export function exportedName({ name, isDefault }: DeclaredName): string {
  return isDefault === true ? 'default' : name;
}

/** The name in the declaration of the default export, or null: the code may give it another one, or none. */
export function defaultExportName(language: Language, declarations: readonly string[]): string | null {
  const names = declarations.flatMap((text) => declaredName(language, text) ?? []);
  return names.find(({ isDefault }) => isDefault)?.name ?? null;
}

const CLOSERS: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };

/** Why a text is not the shape of one call on one line, such as `parse('1')` or `Money(1).add(2)`; or null. */
export function callProblem(call: string): string | null {
  const text = call.trim();
  if (text.includes('\n')) return 'must be on one line';
  if (!/^(?:(?:await|new)\s+)*[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*\s*\(/.test(text)) {
    return 'must begin with a name and "("';
  }
  const open: string[] = [];
  let quote: string | null = null;
  for (let i = 0; i < text.length; i += 1) {
    const character = text.charAt(i);
    if (quote !== null) {
      if (character === '\\') i += 1;
      else if (character === quote) quote = null;
    } else if ('\'"`'.includes(character)) quote = character;
    else if ('([{'.includes(character)) open.push(character);
    else if (character in CLOSERS && open.pop() !== CLOSERS[character])
      return `has a "${character}" that closes nothing`;
    else if (character === ';' && open.length === 0) return 'must be one expression, without ";"';
  }
  if (quote !== null) return `has a text that ${quote} does not close`;
  if (open.length > 0) return `has a "${open.join('')}" that is not closed`;
  return /(?:\)|\]|\.[A-Za-z_$][\w$]*)$/.test(text) ? null : 'must end with ")"';
}
