/** Whether the programs that a plan starts are in the image. Shell lines and files of the repository are not looked into. */
import { runOrder, type RepositoryRooms } from '../../../activities/repository/room.ts';
import { limitsOf } from '../../../core/repository/resolve-commands.ts';
import type { Check } from '../../../core/ports/services.ts';
import type { GatePlan } from '../../../schemas/gate-plan.ts';

const LOOK_SECONDS = 30;

/** One check for all programs, or one for each that is missing. */
export async function programChecks(rooms: RepositoryRooms, plan: GatePlan): Promise<Check[]> {
  const programs = [...new Set(plan.steps.flatMap(programOf))];
  if (programs.length === 0) return [];
  const end = await runOrder(rooms, {
    level: 'L1',
    name: 'programs',
    argv: ['sh', '-c', 'for p in "$@"; do command -v "$p" >/dev/null || echo "$p"; done', 'sh', ...programs],
    stdin: '',
    inputs: [],
    limits: limitsOf(null)(LOOK_SECONDS),
    collectWork: false,
    withSetup: false,
  });
  const { outcome, stdout } = end.result;
  if (outcome.kind !== 'exited')
    return [
      { name: 'programs', ok: false, detail: 'the room to look in was lost', nextStep: 'a7-rt doctor' },
    ];
  const missing = stdout.text.split('\n').filter((name) => name !== '');
  if (missing.length === 0)
    return [
      { name: 'programs', ok: true, detail: `${programs.join(', ')} are in the image`, nextStep: null },
    ];
  return missing.map((name) => ({
    name: 'programs',
    ok: false,
    detail: `"${name}" is not in image ${rooms.image}`,
    nextStep: 'Use a program of the image, or name its package under environment.dependencies.debian',
  }));
}

function programOf(step: GatePlan['steps'][number]): string[] {
  if (!('argv' in step)) return [];
  const [program] = step.argv;
  return program === undefined || program.includes('/') ? [] : [program];
}
