/** Fields, lists and texts of data whose form nobody promised: what is of another form counts as not there. */

export type Fields = Readonly<Record<string, unknown>>;

/** As the name says; empty, or null, for anything else. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

/** As the name says; empty, or null, for anything else. */
export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

/** As the name says; empty, or null, for anything else. */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
