/** Messages of the workflows (design part 6). Clients use the names; nothing that must be in the ledger has a validator. */
import { defineQuery, defineSignal } from '@temporalio/workflow';
import type { HumanInput } from '../schemas/ledger.ts';

/** A person's halt, text, slash command, answer or action. Durable at once; repeated ids are ignored. */
export const inputSignal = defineSignal<[HumanInput]>('input');

/** The board of a moving stage as Markdown. */
export const boardQuery = defineQuery<string>('board');
