/** The repository's own tests as the plan of the session: its `verify.yaml`, or one that `gate init` makes of what it says of them. */
import { mkdir, rename, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { GateTrial } from '../../core/ports/gate-services.ts';
import { PROFILE_PATHS } from '../../schemas/verify-profile.ts';
import type { Surroundings } from './common.ts';
import { gateInit } from './gate/init.ts';

export interface PlanFrom {
  /** Path in the session; null where nothing judges at SEAL. */
  readonly file: string | null;
  readonly created: readonly string[];
  readonly trial: GateTrial | null;
  readonly notes: readonly string[];
}

/** Made and tried in `content/`, which holds exactly what was taken; then it lies beside the contracts, where no agent sees it. */
export async function planFrom(
  around: Surroundings,
  sessionDir: string,
  paths: readonly string[],
  isTried: boolean,
): Promise<PlanFrom> {
  const own = PROFILE_PATHS.find((path) => paths.includes(path));
  if (own !== undefined) return { file: `content/${own}`, created: [], trial: null, notes: [] };
  const content = join(sessionDir, 'content');
  const made = await gateInit(around, content, null, isTried);
  if (!made.ok) {
    const [first] = made.problems;
    const notes = [
      `No plan for the repository's own tests: ${first?.message ?? 'it could not be made'}. Write verify.yaml beside contracts.yaml (docs/gate-plan.md)`,
    ];
    return { file: null, created: [], trial: null, notes };
  }
  for (const path of made.value.created) {
    await mkdir(dirname(join(sessionDir, path)), { recursive: true });
    await rename(join(content, path), join(sessionDir, path));
  }
  if (!paths.some((path) => path.startsWith('.a7/'))) await rmdir(join(content, '.a7')).catch(() => null);
  const [file = null] = made.value.created;
  const { trial } = made.value;
  return { file, created: made.value.created, trial, notes: made.value.notes };
}
