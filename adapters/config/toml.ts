/** A TOML text as a value, with the line of what a schema finds wrong in it. */
import { parse, TomlError } from 'smol-toml';
import { errorMessage } from '../../core/text/error-text.ts';
import { formatPath, type LocatedProblem, schemaMessage } from '../../core/text/located-problem.ts';
import { checkDocument, type DocumentPath } from '../../schemas/problems.ts';
import type { z } from 'zod';

export type ParsedToml<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problems: LocatedProblem[] };

/** Parses and checks. `subject` begins each message, for example `the configuration`. */
export function parseToml<S extends z.ZodType>(
  text: string,
  schema: S,
  subject: string,
): ParsedToml<z.output<S>> {
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    const place =
      error instanceof TomlError ? { line: error.line, column: error.column } : { line: 1, column: 1 };
    const reason = errorMessage(error).replace(/^Invalid TOML document: /, '');
    return { ok: false, problems: [{ ...place, path: '', message: `Cannot read ${subject}: ${reason}` }] };
  }
  const checked = checkDocument(schema, value);
  if (checked.ok) return checked;
  const problems = checked.problems.map((problem) => ({
    line: lineOf(text, problem.path),
    column: 1,
    path: formatPath(problem.path),
    ...schemaMessage(subject, problem.path, problem),
  }));
  return { ok: false, problems: problems.sort((a, b) => a.line - b.line) };
}

/** Line of the deepest part of the path that is written as a table or a key; 1 if none is. */
function lineOf(text: string, path: DocumentPath): number {
  let table: string[] = [];
  let best = { depth: 0, line: 1 };
  text.split('\n').forEach((content, index) => {
    const header = /^\s*\[\[?\s*([^\]]+?)\s*\]\]?/.exec(content)?.[1];
    if (header !== undefined) table = keyParts(header);
    const key = header === undefined ? /^\s*([A-Za-z0-9_."'-]+)\s*=/.exec(content)?.[1] : undefined;
    if (header === undefined && key === undefined) return;
    const written = key === undefined ? table : [...table, ...keyParts(key)];
    const depth = written.length;
    if (depth > best.depth && written.every((part, at) => part === String(path[at])))
      best = { depth, line: index + 1 };
  });
  return best.line;
}

function keyParts(key: string): string[] {
  return [...key.matchAll(/"([^"]*)"|'([^']*)'|([A-Za-z0-9_-]+)/g)].map(
    (match) => match[1] ?? match[2] ?? match[3] ?? '',
  );
}
