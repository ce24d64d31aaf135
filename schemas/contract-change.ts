/** What a later seed does to one node: which evidence it voids, and under which names evidence is kept. */
import { z } from 'zod';
import { ContentRef } from './ids.ts';

/**
 * nothing: all stays. verdict: code and suite stay and are judged again before any model is asked. suite: a new suite is
 * written, and the code that is there judged by it. all: suite and code are made anew.
 */
export const Voids = z.enum(['nothing', 'verdict', 'suite', 'all']);
export type Voids = z.infer<typeof Voids>;

export const NodeChange = z.strictObject({
  voids: Voids,
  /** Names of the evidence before and after, by content; null: there was no such node, or there is none any more. */
  former: ContentRef.nullable(),
  evidence: ContentRef.nullable(),
});
export type NodeChange = z.infer<typeof NodeChange>;
