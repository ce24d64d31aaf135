/** Checks of values by a JSON schema that a project brings. */
import { z } from 'zod';

export interface SchemaFault {
  readonly path: readonly (string | number)[];
  readonly rule: string;
}

export type SchemaChecker = (value: unknown) => readonly SchemaFault[];

/** A checker of this schema, or why there can be none. */
export function schemaChecker(schema: unknown): SchemaChecker | string {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema))
    return 'a JSON schema must be an object';
  try {
    const parsed = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
    return (value) => {
      const result = parsed.safeParse(value);
      if (result.success) return [];
      return result.error.issues.map((issue) => ({
        path: issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part)),
        rule: issue.message,
      }));
    };
  } catch (error) {
    return error instanceof Error ? error.message : 'it cannot be read';
  }
}
