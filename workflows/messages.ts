/** Messages of the workflows (design part 6). Clients use the names; nothing that must be in the ledger has a validator. */
import { defineQuery, defineSignal } from '@temporalio/workflow';

/** A person's halt, text, slash command, answer or action. Durable at once; repeated ids are ignored. Whatever people type arrives here. */
export const inputSignal = defineSignal<[unknown]>('input');

/** The board of a moving stage as Markdown. */
export const boardQuery = defineQuery<string>('board');
