/**
 * What is wrong with a document, in words for the person who wrote it. One problem per fault, in the order of the
 * document; whoever read the text adds line and column, and the nearest known name as a suggestion.
 */
import { z } from 'zod';

export type DocumentPath = readonly (string | number)[];

export interface SchemaProblem {
  readonly path: DocumentPath;
  /** `must be ...`, or `unknown field`; completes a sentence that names the path. */
  readonly rule: string;
  /** For an unknown field: the last part of `path` is its name, and these are the names that exist there. */
  readonly knownFields?: readonly string[];
}

export type CheckedDocument<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problems: SchemaProblem[] };

/** Parses a value and, where it does not fit, says each fault once. */
export function checkDocument<S extends z.ZodType>(schema: S, value: unknown): CheckedDocument<z.output<S>> {
  const result = schema.safeParse(value);
  if (result.success) return { ok: true, value: result.data };
  return { ok: false, problems: result.error.issues.flatMap((issue) => describe(schema, issue, [], value)) };
}

type Issue = z.core.$ZodIssue;

function describe(root: z.ZodType, issue: Issue, prefix: DocumentPath, value: unknown): SchemaProblem[] {
  const path = [...prefix, ...issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part))];
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({
        path: [...path, key],
        rule: 'unknown field',
        knownFields: fieldsAt(root, path),
      }));
    case 'invalid_type':
      return [{ path, rule: mismatch(article(issue.expected), valueAt(value, path)) }];
    case 'invalid_value':
      return [{ path, rule: mismatch(oneOf(issue.values), valueAt(value, path)) }];
    case 'too_small':
      return [{ path, rule: smallRule(issue) }];
    case 'too_big':
      return [{ path, rule: bigRule(issue) }];
    case 'invalid_key':
      return issue.issues.map((inner) => ({ path, rule: `name ${inner.message}` }));
    case 'invalid_format':
    case 'invalid_union':
    case 'not_multiple_of':
    case 'invalid_element':
    case 'custom':
      return [{ path, rule: `${issue.message}${currentValue(path, value)}` }];
  }
}

function mismatch(wanted: string, current: unknown): string {
  if (current === undefined) return `is missing; it must be ${wanted}`;
  return `must be ${wanted}, current value is ${shown(current)}`;
}

function smallRule(issue: Extract<Issue, { code: 'too_small' }>): string {
  const least = String(issue.minimum);
  if (issue.origin === 'string')
    return least === '1' ? 'must not be empty' : `must have at least ${least} characters`;
  if (issue.origin === 'array') return `must have at least ${least} ${least === '1' ? 'entry' : 'entries'}`;
  return `must be ${issue.inclusive === true ? 'at least' : 'more than'} ${least}`;
}

function bigRule(issue: Extract<Issue, { code: 'too_big' }>): string {
  const most = String(issue.maximum);
  if (issue.origin === 'string') return `must have at most ${most} characters`;
  if (issue.origin === 'array') return `must have at most ${most} entries`;
  return `must be ${issue.inclusive === true ? 'at most' : 'less than'} ${most}`;
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a group of fields',
  record: 'a group of fields',
};

function article(expected: string): string {
  return TYPE_NAMES[expected] ?? expected;
}

function oneOf(values: readonly unknown[]): string {
  const names = values.map((value) => shown(value));
  return names.length === 1 ? names.join('') : `one of ${names.join(', ')}`;
}

/** A key pasted into the wrong field must not reach a terminal or a log. */
const SECRET_FIELD = /(^|_)key(_|$)|secret|password/i;

function currentValue(path: DocumentPath, value: unknown): string {
  return SECRET_FIELD.test(String(path.at(-1))) ? '' : `, current value is ${shown(valueAt(value, path))}`;
}

const SHOWN_MAX = 60;

function shown(value: unknown): string {
  const text = JSON.stringify(value) as string | undefined;
  if (text === undefined) return 'missing';
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}...` : text;
}

function valueAt(value: unknown, path: DocumentPath): unknown {
  return path.reduce<unknown>(
    (at, part) =>
      typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[String(part)] : undefined,
    value,
  );
}

/** Names of the fields that a schema has at a path, through lists, options and defaults. */
function fieldsAt(root: z.ZodType, path: DocumentPath): string[] {
  let schema: unknown = unwrap(root);
  for (const part of path) schema = unwrap(step(schema, part));
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}

function step(schema: unknown, part: string | number): unknown {
  if (schema instanceof z.ZodArray) return schema.element;
  if (schema instanceof z.ZodRecord) return schema.valueType;
  if (schema instanceof z.ZodObject) return (schema.shape as Record<string, unknown>)[String(part)];
  return undefined;
}

function unwrap(schema: unknown): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) {
    return unwrap(schema.unwrap());
  }
  return schema;
}
