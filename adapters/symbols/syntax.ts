/** Parsers and small readers of syntax nodes. `registerDynamicLanguage` counts once in a process: every language is registered here. */
import { parse, registerDynamicLanguage, type SgNode } from '@ast-grep/napi';
import go from '@ast-grep/lang-go';
import python from '@ast-grep/lang-python';
import rust from '@ast-grep/lang-rust';
import type { SourceSymbol } from '../../core/ports/symbols.ts';

export type SyntaxNode = SgNode;

const SIGNATURE_MAX = 2000;

let isRegistered = false;

/** Root node of a text. Kinds of languages are ast-grep's names: `python`, `JavaScript`, `TypeScript`, `Tsx`. */
export function parseRoot(language: string, text: string): SyntaxNode {
  if (!isRegistered) {
    registerDynamicLanguage({ python, go, rust });
    isRegistered = true;
  }
  return parse(language, text).root();
}

/** Lines (from 1) that do not parse: error nodes, and leaves that the parser had to invent. */
export function errorLines(root: SyntaxNode): number[] {
  const lines = new Set<number>();
  const open: SyntaxNode[] = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const isInvented =
      node.isLeaf() && node.text() === '' && node !== root && !EMPTY_LEAVES.has(String(node.kind()));
    if (node.kind() === 'ERROR' || isInvented) lines.add(lineOf(node));
    else open.push(...node.children());
  }
  return [...lines].toSorted((left, right) => left - right);
}

/** Leaves that are rightly empty. */
const EMPTY_LEAVES = new Set([
  'block',
  'module',
  'program',
  'string_content',
  'string_fragment',
  'template_chars',
  'automatic_semicolon',
]);

/** From 1. */
export function lineOf(node: SyntaxNode): number {
  return node.range().start.line + 1;
}

/** Text in one line, bounded. */
export function oneLine(text: string): string {
  const joined = text.replace(/\s+/gu, ' ').trim();
  return joined.length > SIGNATURE_MAX ? `${joined.slice(0, SIGNATURE_MAX)}…` : joined;
}

/** Text of a node up to its body, in one line. */
export function headText(node: SyntaxNode, body: SyntaxNode | null): string {
  if (body === null) return oneLine(node.text());
  const whole = node.text();
  const bodyText = body.text();
  return oneLine(whole.endsWith(bodyText) ? whole.slice(0, whole.length - bodyText.length) : whole);
}

/** Nodes below, in the order of the text. What `isBorder` accepts is neither given nor entered. */
export function descendants(
  node: SyntaxNode,
  isWanted: (kind: string) => boolean,
  isBorder: (kind: string) => boolean = () => false,
): SyntaxNode[] {
  return node.namedChildren().flatMap((child) => {
    const kind = String(child.kind());
    if (isBorder(kind)) return [];
    const below = descendants(child, isWanted, isBorder);
    return isWanted(kind) ? [child, ...below] : below;
  });
}

/** First line of every word of a text. */
export function wordLines(text: string): ReadonlyMap<string, number> {
  const lines = new Map<string, number>();
  for (const [index, line] of text.split('\n').entries())
    for (const [word] of line.matchAll(/[\p{L}_$][\p{L}\p{N}_$]*/gu))
      if (!lines.has(word)) lines.set(word, index + 1);
  return lines;
}

/** True when a direct child is the keyword. */
export function hasKeyword(node: SyntaxNode, keyword: string): boolean {
  return node.children().some((child) => child.kind() === keyword);
}

/** A symbol with the given details; what the syntax does not show is empty or null. */
export function symbol(
  name: string,
  kind: SourceSymbol['kind'],
  node: SyntaxNode,
  details: Partial<SourceSymbol> = {},
): SourceSymbol {
  return {
    name,
    kind,
    line: lineOf(node),
    isAsync: false,
    params: null,
    returns: null,
    bases: [],
    decorators: [],
    members: [],
    openMembers: false,
    access: null,
    settable: false,
    origin: null,
    mayReturnPromise: false,
    signature: oneLine(node.text()),
    ...details,
  };
}
