/** Faults of a person's document with their place, and the words for those that a schema finds. */
import type { DocumentPath, SchemaProblem } from '../../schemas/problems.ts';
import { suggestNearest } from './nearest.ts';

export interface LocatedProblem {
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
  /** For people, for example `nodes[3].interface.exports[0]`; empty where the text itself cannot be read. */
  readonly path: string;
  /** Action, rule and value. */
  readonly message: string;
  /** What to write instead, where that can be known. */
  readonly suggestion?: string;
}

/** `contracts.yaml:12:5: <message>. <suggestion>`, one line a problem. */
export function formatProblems(file: string, problems: readonly LocatedProblem[]): string {
  return problems
    .map(({ line, column, message, suggestion }) => {
      const hint = suggestion === undefined ? '' : `. ${suggestion}`;
      return `${file}:${line}:${column}: ${message}${hint}`;
    })
    .join('\n');
}

/** `nodes[3].interface.exports[0]`; empty path: `the document`. */
export function formatPath(path: DocumentPath): string {
  if (path.length === 0) return 'the document';
  return path
    .map((part, index) => {
      if (typeof part === 'number') return `[${part}]`;
      return index === 0 ? part : `.${part}`;
    })
    .join('');
}

/** The sentence for a schema's fault: `subject` is what cannot be used, `rest` the path of the fault within it. */
export function schemaMessage(
  subject: string,
  rest: DocumentPath,
  { path, rule, knownFields }: SchemaProblem,
): { message: string; suggestion?: string } {
  const field = rest.length === 0 ? 'it' : `"${formatPath(rest)}"`;
  if (knownFields === undefined) return { message: `Cannot use ${subject}: ${field} ${rule}` };
  const suggestion =
    suggestNearest(String(path.at(-1)), knownFields) ?? `Known fields are: ${knownFields.join(', ')}`;
  return { message: `Cannot use ${subject}: ${field} is not a known field`, suggestion };
}
