/** More memory and disk for a plan whose trial ran out of them, step by step. Example: no disk for a linker at 2048 MB gives 8192. */
import type { RepositoryFindingCode } from '../../../schemas/repository-report.ts';
import type { Understood } from './understood.ts';

/** Memory of commands where the usual 1024 MB, or the step before, are too few. */
const MEMORY_STEPS_MB = [4096, 8192];
/** What commands may write where the usual 256 MB, or the step before, are too few: compilers write much. */
const DISK_STEPS_MB = [2048, 8192];
/** Memory beside what is written, which lies in memory, and counts there, too. */
const OWN_MEMORY_MB = 2048;

type Room = Pick<Understood, 'memoryMb' | 'diskMb'>;

/** Null where no limit was hit, or the last step was not enough. @param codes of what was found */
export function roomier(now: Room, codes: ReadonlySet<RepositoryFindingCode>): Room | null {
  const memoryMb = codes.has('memory_limit') ? after(MEMORY_STEPS_MB, now.memoryMb) : null;
  const diskMb = codes.has('disk_limit') ? after(DISK_STEPS_MB, now.diskMb) : null;
  if (memoryMb === null && diskMb === null) return null;
  const forDisk = diskMb === null ? 0 : diskMb + OWN_MEMORY_MB;
  return {
    memoryMb: Math.max(memoryMb ?? now.memoryMb ?? 0, forDisk),
    diskMb: diskMb ?? now.diskMb,
  };
}

function after(steps: readonly number[], now: number | null): number | null {
  return steps.find((each) => each > (now ?? 0)) ?? null;
}
