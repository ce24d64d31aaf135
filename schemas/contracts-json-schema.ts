/** The published JSON schema of `contracts.yaml`, from the zod schema, for completion and checks in editors. */
import { z } from 'zod';
import { Contracts } from './contract.ts';

/** Where `init` puts the schema in a session, and what the first line of `contracts.yaml` names. */
export const CONTRACTS_SCHEMA_PATH = '.a7/contracts.schema.json';

/** JSON schema (draft 7) of what a person may write: fields with a default are optional. */
export function contractsJsonSchema(): Record<string, unknown> {
  return {
    ...z.toJSONSchema(Contracts, { target: 'draft-7', io: 'input' }),
    title: 'a7-rt contracts',
    description: 'A project, its stages in the order they are built, and its nodes with their contracts.',
  };
}
