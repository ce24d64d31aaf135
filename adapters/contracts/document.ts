/** A YAML or JSON text as a value, with the place of everything in it. */
import { type Document, isMap, isNode, isPair, isSeq, LineCounter, parseDocument } from 'yaml';
import { errorMessage } from '../../core/text/error-text.ts';
import type { DocumentPath } from '../../schemas/problems.ts';

export interface Position {
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
}

export interface TextProblem extends Position {
  readonly message: string;
  readonly suggestion?: string;
}

export interface LocatedDocument {
  readonly value: unknown;
  /** Place of a field's name, of a list's entry, or of the nearest thing around what does not exist. */
  readonly locate: (path: DocumentPath) => Position;
}

/** Enough for any person's file; bounds what a file of references can blow up to. */
const ALIASES_MAX = 1000;

/** Parses the text. Syntax errors, repeated names and what JSON could not say (dates, sets, tags) are problems. */
export function parseLocated(
  text: string,
):
  | { readonly ok: true; readonly document: LocatedDocument }
  | { readonly ok: false; readonly problems: TextProblem[] } {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
  // Only the first: the others mostly follow from it.
  const [fault] = [...document.errors, ...document.warnings];
  if (fault !== undefined)
    return { ok: false, problems: [textProblem(fault.message, placeOf(lines, fault.pos[0]))] };
  try {
    const value: unknown = document.toJS({ maxAliasCount: ALIASES_MAX });
    return { ok: true, document: { value, locate: (path) => locate(document, lines, path) } };
  } catch (error) {
    const message = `Cannot read the document: ${errorMessage(error)}`;
    return { ok: false, problems: [{ line: 1, column: 1, message }] };
  }
}

function textProblem(message: string, place: Position): TextProblem {
  const problem = { ...place, message: `Cannot read the document: ${firstLine(message)}` };
  const suggestion = suggestionFor(message);
  return suggestion === null ? problem : { ...problem, suggestion };
}

/** Nearly every syntax error in a contract is a declaration or a sentence with `: ` in it. */
function suggestionFor(message: string): string | null {
  if (
    /Nested mappings|Implicit map key|Implicit keys|Flow (map|sequence)|Unexpected scalar|Missing , or/.test(
      message,
    )
  ) {
    return 'Put text that contains ": ", "[", "{" or "#" in quotes';
  }
  if (/Map keys must be unique/.test(message)) return 'Keep one of the two';
  if (/[Tt]abs/.test(message)) return 'Indent with spaces';
  return null;
}

function firstLine(text: string): string {
  return (text.split('\n')[0] ?? '').replace(/[.:]$/, '');
}

function locate(document: Document, lines: LineCounter, path: DocumentPath): Position {
  let at: unknown = document.contents;
  let offset = offsetOf(at) ?? 0;
  for (const part of path) {
    const child = childOf(at, part);
    if (child === null) break;
    offset = child.offset ?? offset;
    at = child.value;
  }
  return placeOf(lines, offset);
}

function childOf(node: unknown, part: string | number): { value: unknown; offset: number | null } | null {
  if (isSeq(node)) {
    const item: unknown = typeof part === 'number' ? node.items[part] : undefined;
    return item === undefined ? null : { value: item, offset: offsetOf(item) };
  }
  if (!isMap(node)) return null;
  const pair = node.items.find((item) => isPair(item) && keyText(item.key) === String(part));
  return pair === undefined ? null : { value: pair.value, offset: offsetOf(pair.key) };
}

function keyText(key: unknown): string {
  return key instanceof Object && 'value' in key ? String(key.value) : String(key);
}

function offsetOf(node: unknown): number | null {
  return isNode(node) ? (node.range?.[0] ?? null) : null;
}

function placeOf(lines: LineCounter, offset: number): Position {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(1, line), column: Math.max(1, col) };
}
