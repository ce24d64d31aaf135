/** Documents and JSON schemas that a project brings. Nothing is fetched: a schema that names another by address is refused. */
import { Ajv, type ErrorObject } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { DocumentTools, SchemaChecker } from '../../core/repository/schema-files.ts';
import { errorMessage } from '../../core/text/error-text.ts';
import { parseLocated } from './document.ts';

/** Reads JSON and YAML, and checks by draft 7 or, where `$schema` says so, 2019-09 and 2020-12. */
export const documentTools: DocumentTools = {
  read(text) {
    const parsed = parseLocated(text);
    if (parsed.ok) return { ok: true, value: parsed.document.value };
    const [fault] = parsed.problems;
    return { ok: false, line: fault?.line ?? 1, message: fault?.message ?? 'it cannot be read' };
  },
  checker,
};

// Keywords that no draft knows are refused: a misspelt rule would hold for everything. Formats are not checked.
const OPTIONS = {
  strictSchema: true,
  strictTypes: false,
  strictTuples: false,
  strictRequired: false,
  validateFormats: false,
  allErrors: true,
} as const;

function checker(schema: unknown): SchemaChecker | string {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema))
    return 'a JSON schema must be an object';
  const draft = '$schema' in schema && typeof schema.$schema === 'string' ? schema.$schema : '';
  try {
    const ajv = /20(19-09|20-12)/.test(draft) ? new Ajv2020(OPTIONS) : new Ajv(OPTIONS);
    const validate = ajv.compile(schema);
    return (value) => (validate(value) ? [] : (validate.errors ?? []).map(faultOf));
  } catch (error) {
    return errorMessage(error);
  }
}

function faultOf({ instancePath, message, params }: ErrorObject): ReturnType<SchemaChecker>[number] {
  const extra: unknown = (params as Record<string, unknown>)['additionalProperty'];
  const named = typeof extra === 'string' ? ` ("${extra}")` : '';
  return { pointer: instancePath, rule: `${message ?? 'does not fit'}${named}` };
}
