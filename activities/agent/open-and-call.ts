/** Activity `openAndCall`: a dispatch opens and makes its first model call, as one step of the server. */
import type { CallModelResult, OpenAgentResult, RunAgentInput } from '../../schemas/agent-io.ts';
import { type CallModelPorts, callModel } from './call-model.ts';
import { type OpenAgentPorts, openAgent } from './open-agent.ts';

export interface OpenedAndCalled {
  readonly opened: OpenAgentResult;
  readonly called: CallModelResult;
}

/** Each half stores its own result under its own key, as two steps do: a repeated step finds what was done. */
export async function openAndCall(
  ports: OpenAgentPorts & CallModelPorts,
  input: RunAgentInput,
): Promise<OpenedAndCalled> {
  const opened = await openAgent(ports, input);
  const { head, turn = FIRST_TURN } = opened;
  return { opened, called: await callModel(ports, { at: input.at, turn, head }) };
}

const FIRST_TURN = 1;
