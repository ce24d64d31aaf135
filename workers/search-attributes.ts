/** Search attributes that a stage starts with, and adding all of them to a server that lacks them (design part 11). */
import { type Connection } from '@temporalio/client';
import { SearchAttributeType, type SearchAttributePair, defineSearchAttributeKey } from '@temporalio/common';
import { SEARCH_ATTRIBUTES } from '../schemas/search-attributes.ts';

/** Names of all attributes. */
export const SEARCH_ATTRIBUTE_NAMES: readonly string[] = Object.values(SEARCH_ATTRIBUTES);
/** `INDEXED_VALUE_TYPE_KEYWORD` of the server's API. */
const KEYWORD_TYPE = 2;

/** Attributes of a stage's workflow. */
export function stageAttributes(sessionId: string, stageId: string): SearchAttributePair[] {
  return [
    {
      key: defineSearchAttributeKey(SEARCH_ATTRIBUTES.session, SearchAttributeType.KEYWORD),
      value: sessionId,
    },
    { key: defineSearchAttributeKey(SEARCH_ATTRIBUTES.stage, SearchAttributeType.KEYWORD), value: stageId },
  ];
}

/** Attributes of an order's workflow. */
export function orderAttributes(orderId: string, workspace: string): SearchAttributePair[] {
  const pair = (name: string, value: string): SearchAttributePair => ({
    key: defineSearchAttributeKey(name, SearchAttributeType.KEYWORD),
    value,
  });
  return [pair(SEARCH_ATTRIBUTES.order, orderId), pair(SEARCH_ATTRIBUTES.workspace, workspace)];
}

/** Adds what is missing; false where the server does not allow it: runs work without. */
export async function addSearchAttributes(connection: Connection, namespace: string): Promise<boolean> {
  try {
    const present = await connection.operatorService.listSearchAttributes({ namespace });
    const missing = SEARCH_ATTRIBUTE_NAMES.filter((name) => !(name in present.customAttributes));
    const searchAttributes = Object.fromEntries(missing.map((name) => [name, KEYWORD_TYPE]));
    if (missing.length > 0)
      await connection.operatorService.addSearchAttributes({ namespace, searchAttributes });
    return true;
  } catch {
    return false;
  }
}
