/** One name a step, the same for every attempt, so that an attempt finds and removes its predecessors (port contract S1). */
import { createHash } from 'node:crypto';
import type { SandboxRequest } from '../../../core/ports/sandbox.ts';

const READABLE_MAX = 60;

/** For example `a7-rt.verify-price.money-3.5f1c0e9a2b7d4c61`: readable key, then a hash over owner and key. */
export function roomName(request: Pick<SandboxRequest, 'key' | 'owner'>): string {
  const hash = createHash('sha256').update(`${request.owner}\0${request.key}`).digest('hex').slice(0, 16);
  return `a7-rt.${request.key.slice(0, READABLE_MAX)}.${hash}`;
}
