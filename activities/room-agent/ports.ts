/** What an agent's program in its room is wired with. */
import type { AgentPrograms, ModelDoors } from '../../core/ports/agent-driver.ts';
import type { ModelDirectory } from '../../core/ports/model-directory.ts';
import type { SandboxFile, SandboxPort } from '../../core/ports/sandbox.ts';
import type { Session, Sessions } from '../../core/ports/session.ts';
import type { SessionCalls, SessionCallsRequest } from '../../core/ports/session-calls.ts';

export interface RoomAgentPorts {
  readonly sessions: Sessions;
  readonly models: ModelDirectory;
  readonly programs: AgentPrograms;
  readonly doors: ModelDoors;
  readonly sandbox: SandboxPort;
  readonly imageOf: (session: Session) => Promise<string>;
  readonly doorProgram: SandboxFile;
  readonly openCalls: (request: SessionCallsRequest) => Promise<SessionCalls>;
  readonly nowMs: () => number;
}
