/** Work that passed is marked in the repository that it began in: a branch, a tag, a bundle or a patch, and nothing else. */
import { lstat, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import {
  checkedOutBranches,
  givePack,
  moveRef,
  isBundleOf,
  promotionBundle,
  pushRef,
} from '../../adapters/git/order-promotion.ts';
import { commitOf } from '../../adapters/git/named-commits.ts';
import { type FoundRepository } from '../../adapters/git/order-source.ts';
import { writeDurably } from '../../adapters/system/files.ts';
import { errorCode, readFault } from '../../core/text/error-text.ts';
import { typed } from '../../core/text/typed.ts';
import type { PromoteTo } from '../../core/ports/order-services.ts';
import type { Failed } from '../../core/ports/services.ts';
import { type Surroundings, failed } from './common.ts';

export interface Marking {
  readonly around: Surroundings;
  /** For example `order o-1a2b`. */
  readonly what: string;
  /** The command that marks, without where to. */
  readonly command: string;
  /** What begins it all again from the repository as it is. */
  readonly anew: string;
  /** Branch that is proposed, and that a bundle holds. */
  readonly branch: string;
  /** Where the commits lie. */
  readonly store: string;
  readonly repository: () => Promise<FoundRepository>;
  readonly base: string;
  /** On top of the base, oldest first; at least one. */
  readonly commits: readonly string[];
  readonly patch: () => Promise<Uint8Array | Failed>;
}

/** Null when it is done. @throws {SourceProblem} */
export async function markCommit(marking: Marking, to: PromoteTo): Promise<Failed | null> {
  const { store, base, commits } = marking;
  const tip = commits.at(-1) ?? base;
  if (to.kind === 'patch') {
    const patch = await marking.patch();
    if ('ok' in patch) return patch;
    const known = await readFile(resolve(to.name)).catch(() => null);
    return known?.equals(patch) === true ? null : writeNew(to, (file) => writeDurably(file, patch));
  }
  const { gitDir, kind } = await marking.repository();
  if (to.kind === 'bundle') return bundled(marking, gitDir, tip, to.name);
  const ref = `refs/${to.kind === 'branch' ? 'heads' : 'tags'}/${to.name}`;
  const old = await commitOf(gitDir, ref);
  if (old === tip) return null;
  const problem = await refProblem(marking, to, gitDir, old);
  if (problem !== null) return problem;
  await givePack(store, gitDir, commits, base);
  // There first: a ref that is here says that it is there.
  if (kind === 'url') await pushRef(gitDir, { ref, commit: tip, old }, marking.around.env);
  await moveRef(gitDir, ref, tip, old);
  return null;
}

async function bundled(
  { store, base, branch, what, command }: Marking,
  source: string,
  commit: string,
  name: string,
): Promise<Failed | null> {
  if ((await commitOf(source, base)) === null) return baseGone(what, command, base);
  if (await isBundleOf(source, resolve(name), commit)) return null;
  const scratch = await mkdtemp(join(tmpdir(), 'a7-promotion-'));
  try {
    return await writeNew({ kind: 'bundle', name }, (file) =>
      promotionBundle({ scratch, store, source, base, commit, name: branch, file }),
    );
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** A promotion adds: what lies where it would be written stays. */
async function writeNew(
  { kind, name }: PromoteTo,
  write: (file: string) => Promise<unknown>,
): Promise<Failed | null> {
  const file = resolve(name);
  const next = typed`--${kind} FILE, in a folder where you may write`;
  if ((await lstat(file).catch(() => null)) !== null)
    return failed(
      2,
      `Cannot promote to ${kind} "${name}": it is there already`,
      'Choose another name, or remove it',
    );
  try {
    await write(file);
    return null;
  } catch (error) {
    if (errorCode(error) === null) throw error;
    return failed(2, `Cannot promote to ${kind} "${name}": ${readFault(error)}`, next);
  }
}

/** A branch may go forward from the base or from an earlier mark of the same work; a tag never moves. */
async function refProblem(
  { what, command, anew, branch, base, commits }: Marking,
  to: PromoteTo,
  gitDir: string,
  old: string | null,
): Promise<Failed | null> {
  if (old !== null && (to.kind === 'tag' || (old !== base && !commits.includes(old)))) {
    const rule =
      to.kind === 'tag'
        ? 'it exists already'
        : `it moved to ${old.slice(0, 12)}, and the ${what.split(' ')[0] ?? 'work'} began at ${base.slice(0, 12)}`;
    return failed(
      3,
      `Cannot promote to ${to.kind} "${to.name}": ${rule}`,
      `${command} --branch ${branch}, then merge it; or ${anew}`,
    );
  }
  if (to.kind === 'branch' && (await checkedOutBranches(gitDir)).includes(to.name))
    return failed(
      3,
      `Cannot promote to branch "${to.name}": it is checked out, and its work tree would not follow`,
      `${command} --branch ${branch}, then git merge --ff-only`,
    );
  return (await commitOf(gitDir, base)) === null ? baseGone(what, command, base) : null;
}

function baseGone(what: string, command: string, base: string): Failed {
  return failed(
    2,
    `Cannot promote ${what}: its base ${base.slice(0, 12)} is not in the repository any more`,
    `${command} --patch FILE`,
  );
}
