/** What `runAgent` and the activity of an agent's program pass to each other. */
import { z } from 'zod';
import { AgentChoice } from './agent-choice.ts';
import { AgentCoordinates, UnknownCall } from './agent-io.ts';
import { ContentRef, ObjectId } from './ids.ts';
import { CallRested, CapReached } from './model.ts';
import { Usage } from './runtime.ts';

export const AgentTurnInput = z.strictObject({
  at: AgentCoordinates,
  agent: AgentChoice,
  turn: z.int().min(1),
  head: ContentRef,
  tree: ObjectId,
  /** Calls of its model. */
  callsMax: z.int().min(1),
  /** Longest running time. */
  wallMs: z.int().positive(),
});
export type AgentTurnInput = z.infer<typeof AgentTurnInput>;

/** What the end of an agent's program means for its task. */
export const AgentTurnMeaning = z.discriminatedUnion('kind', [
  /** A completion attempt: the gate judges the tree. */
  z.strictObject({ kind: z.literal('handed_in') }),
  /** What it handed in cannot be read: an attempt that is refused without a gate. */
  z.strictObject({ kind: z.literal('unreadable'), reasons: z.array(z.string()) }),
  z.strictObject({
    kind: z.literal('suspended'),
    type: z.enum(['near', 'far', 'void']),
    detail: z.string(),
  }),
  z.strictObject({
    kind: z.literal('over'),
    end: z.discriminatedUnion('kind', [
      CallRested,
      CapReached,
      z.strictObject({ kind: z.literal('wild'), reason: z.string() }),
    ]),
  }),
]);
export type AgentTurnMeaning = z.infer<typeof AgentTurnMeaning>;

export const AgentTurnResult = z.strictObject({
  /** What it handed in, as a message that calls `submit_pr`. */
  answerRef: ContentRef,
  tree: ObjectId,
  head: ContentRef,
  usage: Usage,
  elapsedMs: z.int().min(0),
  means: AgentTurnMeaning,
  unknownCalls: z.array(UnknownCall),
  /** Program and version, for example `codex 0.169.0`. */
  program: z.string(),
});
export type AgentTurnResult = z.infer<typeof AgentTurnResult>;
