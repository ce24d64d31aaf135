/** Contracts that demand more isolation than this machine's sandbox proved: refused before anything runs (G10). */
import { isolationProblem } from '../../core/gate/isolation.ts';
import type { Failed } from '../../core/ports/services.ts';
import type { ResolvedContract } from '../../schemas/contract.ts';
import type { ProjectPlan } from '../../schemas/stored-book.ts';
import type { Machine } from '../machine.ts';
import { TWO_USERS } from '../../core/ports/sandbox.ts';
import { failed } from './common.ts';

/** Null when every demand is met; else exit code 4, naming node, demand, proven level and the acts that were not held. */
export function isolationLack(
  action: 'seed' | 'run',
  contracts: readonly Pick<ResolvedContract, 'id' | 'isolation' | 'wall'>[],
  { proof }: Pick<Machine, 'proof'>,
  project: ProjectPlan | null = null,
): Failed | null {
  const open = proof.acts.filter((act) => !act.held).map((act) => act.act);
  const ofProject = isolationProblem(project?.plan.isolation, proof, open);
  if (ofProject !== null)
    return failed(4, `Cannot ${action}: ${project?.file ?? ''} is refused, ${ofProject}`, 'a7-rt doctor');
  for (const { id, isolation } of contracts) {
    const problem = isolationProblem(isolation, proof, open);
    if (problem !== null)
      return failed(4, `Cannot ${action}: node "${id}" is refused, ${problem}`, 'a7-rt doctor');
  }
  return wallLack(action, contracts, proof.backend, open);
}

/** Suite and code are two users of one room: where there is one, a builder would be paid for work that nobody can judge. */
function wallLack(
  action: string,
  contracts: readonly Pick<ResolvedContract, 'id' | 'wall'>[],
  backend: string,
  open: readonly string[],
): Failed | null {
  const walled = contracts.find(({ wall }) => wall !== 'in_process');
  if (walled === undefined || !open.includes(TWO_USERS)) return null;
  return failed(
    4,
    `Cannot ${action}: node "${walled.id}" is judged behind the glass wall (wall: ${walled.wall}), and ${backend} cannot ${TWO_USERS} here`,
    'run it as root or with a Docker engine, or write "wall: in_process" into the contracts',
  );
}
