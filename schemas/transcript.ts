/** One link of a transcript: immutable, content-addressed, pointing at the link before it (design part 7). */
import { z } from 'zod';
import { ContentRef } from './ids.ts';
import { ChatMessage } from './model.ts';

export const TranscriptLink = z.strictObject({
  version: z.literal(1),
  prev: ContentRef.nullable(),
  turn: z.int().min(0),
  messages: z.array(ChatMessage).min(1),
});
export type TranscriptLink = z.infer<typeof TranscriptLink>;
