/** Activities of agents that are programs: a turn is one run in a room. They belong to workers that have rooms. */
import type { AgentTurnInput, AgentTurnResult } from '../../schemas/agent-turn.ts';
import type { RoomAgentPorts } from './ports.ts';
import { runAgentTurn } from './run-turn.ts';

export interface RoomAgentActivities {
  runAgentTurn(input: AgentTurnInput): Promise<AgentTurnResult>;
}

/** The activities over their ports. */
export function createRoomAgentActivities(ports: RoomAgentPorts): RoomAgentActivities {
  return { runAgentTurn: (input) => runAgentTurn(ports, input) };
}
