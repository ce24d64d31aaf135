/** Activities of the sandbox queue: an agent's completion attempts, and gates that no agent asked for. */
import type { JudgeInput, JudgeResult } from '../../schemas/agent-io.ts';
import type {
  ProjectCheckInput,
  RegateInput,
  SealCheckInput,
  SealCheckResult,
} from '../../schemas/stage-io.ts';
import type { GateOutcome, ProjectOutcome } from '../../schemas/stage.ts';
import { checkSealNode } from './check-seal.ts';
import { checkSealProject } from './check-seal-project.ts';
import { judgeAttempt } from './judge-attempt.ts';
import type { JudgePorts } from './ports.ts';
import { regate } from './regate.ts';

export interface JudgeActivities {
  judgeAttempt(input: JudgeInput): Promise<JudgeResult>;
  regate(input: RegateInput): Promise<GateOutcome>;
  checkSealNode(input: SealCheckInput): Promise<SealCheckResult>;
  checkSealProject(input: ProjectCheckInput): Promise<ProjectOutcome>;
}

/** The sandboxed activities over their ports. */
export function createJudgeActivities(ports: JudgePorts): JudgeActivities {
  return {
    judgeAttempt: (input) => judgeAttempt(ports, input),
    regate: (input) => regate(ports, input),
    checkSealNode: (input) => checkSealNode(ports, input),
    checkSealProject: (input) => checkSealProject(ports, input),
  };
}
