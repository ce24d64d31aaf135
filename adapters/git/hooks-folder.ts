/** Where git looks for the hooks of a repository. Only asked when a person wants one installed: their settings count. */
import { resolve } from 'node:path';
import { execa } from 'execa';
import type { UserRepository } from '../../core/ports/user-repository.ts';
import { git } from './git-process.ts';

export type HooksFolder =
  | { readonly kind: 'own'; readonly path: string }
  /** `core.hooksPath` leads elsewhere, for example to a folder that the project tracks. */
  | { readonly kind: 'configured'; readonly path: string };

/** The folder `hooks` of the repository, or the one that a setting names. */
export async function hooksFolder({ root, gitDir }: UserRepository): Promise<HooksFolder> {
  const configured = await execa('git', ['config', '--get', 'core.hooksPath'], { cwd: root, reject: false });
  const path = configured.exitCode === 0 ? configured.stdout.trim() : '';
  if (path !== '') return { kind: 'configured', path };
  const common = (await git({ gitDir, workTree: root }, ['rev-parse', '--git-common-dir'])).trim();
  return { kind: 'own', path: resolve(root, common, 'hooks') };
}
