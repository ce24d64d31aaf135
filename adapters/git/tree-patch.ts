/** The difference of two trees of one store as a patch. No attribute, driver or setting of anybody decides how it looks. */
import { git } from './git-process.ts';
import { assertOid } from './loose-objects.ts';

const PATCH_CHARS_MAX = 16 * 1024 * 1024;

/** A patch that `git apply` takes; a longer one is cut, and says so at its end. */
export async function treePatch(gitDir: string, before: string, after: string): Promise<string> {
  const args = [
    'diff-tree',
    '-p',
    '-r',
    '--no-ext-diff',
    '--no-textconv',
    '--no-renames',
    '--full-index',
    '--binary',
  ];
  const patch = await git({ gitDir }, [...args, assertOid(before), assertOid(after)]);
  return patch.length <= PATCH_CHARS_MAX
    ? patch
    : `${patch.slice(0, PATCH_CHARS_MAX)}\n# cut: the patch has ${String(patch.length)} characters\n`;
}
