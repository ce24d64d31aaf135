/** Settings of agents and gates that activities need; they come from configuration, never from a tree. */
import type { RunLimits } from '../../schemas/runtime.ts';

export interface AgentSettings {
  readonly limits: RunLimits;
}
