/** Keys of what an agent's steps store: application coordinates, the same on every attempt and server (design part 4). */
import type { AgentCoordinates } from '../../schemas/agent-io.ts';

/** `stage/node/dispatch`: everything that one dispatch stores. */
export function dispatchKey(at: AgentCoordinates): string {
  return `${at.stageId}/${at.nodeId}/${at.dispatchId}`;
}

/** `stage/node/dispatch/turn`. */
export function turnKey(at: AgentCoordinates, turn: number): string {
  return `${dispatchKey(at)}/t${String(turn)}`;
}

/** Ref below which a dispatch keeps its trees. */
export function shadowRef(at: AgentCoordinates, name: string): string {
  return `refs/a7/shadow/${at.dispatchId}/${name}`;
}
