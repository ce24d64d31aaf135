/** Activities of an agent's turn: open, call, run tools. The judge has its own queue and its own factory. */
import type {
  CallModelResult,
  OpenAgentResult,
  RunAgentInput,
  RunToolsInput,
  RunToolsResult,
} from '../../schemas/agent-io.ts';
import { type CallModelInput, type CallModelPorts, callModel } from './call-model.ts';
import { type OpenedAndCalled, openAndCall } from './open-and-call.ts';
import { type OpenAgentPorts, openAgent } from './open-agent.ts';
import { type RunToolsPorts, runTools } from './run-tools.ts';

export type AgentPorts = CallModelPorts & OpenAgentPorts & RunToolsPorts;

export interface AgentActivities {
  openAgent(input: RunAgentInput): Promise<OpenAgentResult>;
  openAndCall(input: RunAgentInput): Promise<OpenedAndCalled>;
  callModel(input: CallModelInput): Promise<CallModelResult>;
  runTools(input: RunToolsInput): Promise<RunToolsResult>;
}

/** The activities over their ports. */
export function createAgentActivities(ports: AgentPorts): AgentActivities {
  return {
    openAgent: (input) => openAgent(ports, input),
    openAndCall: (input) => openAndCall(ports, input),
    callModel: (input) => callModel(ports, input),
    runTools: (input) => runTools(ports, input),
  };
}
