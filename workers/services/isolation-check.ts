/** Contracts that demand more isolation than this machine's sandbox proved: refused before anything runs (G10). */
import { isolationProblem } from '../../core/gate/isolation.ts';
import type { Failed } from '../../core/ports/services.ts';
import type { ResolvedContract } from '../../schemas/contract.ts';
import type { ProjectPlan } from '../../schemas/stored-book.ts';
import type { Machine } from '../machine.ts';
import { failed } from './common.ts';

/** Null when every demand is met; else exit code 4, naming node, demand, proven level and the acts that were not held. */
export function isolationLack(
  action: 'seed' | 'run',
  contracts: readonly Pick<ResolvedContract, 'id' | 'isolation'>[],
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
  return null;
}
