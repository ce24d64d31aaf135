/** `gate run --install-hook`: every commit is judged before it is made. A hook of somebody else is never overwritten. */
import { chmod, lstat, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hooksFolder } from '../../../adapters/git/hooks-folder.ts';
import type { Result } from '../../../core/ports/services.ts';
import { type Surroundings, failed } from '../common.ts';
import { withRepository } from './plan-of.ts';

const MARK = '# a7-rt gate: judges what is staged in a clean room';

/** Writes `pre-commit`; an older one of ours is replaced. */
export async function installHook(
  around: Surroundings,
  repo: string,
  program: string,
): Promise<Result<{ readonly path: string; readonly replaced: boolean }>> {
  if (/[\\/]_npx[\\/]/.test(program)) {
    return failed(
      2,
      `Cannot install the hook: this program runs from a folder of npx ("${program}"), which npm empties when it likes`,
      'npm install --global a7-rt, or install it in a folder of yours; then a7-rt gate run --install-hook',
    );
  }
  return withRepository(repo, around.env, async (repository) => {
    const folder = await hooksFolder(repository);
    const line = `${quoted(program)} gate run --repo . --staged`;
    if (folder.kind === 'configured') {
      return failed(
        2,
        `Cannot install the hook: git takes this repository's hooks from "${folder.path}" (core.hooksPath)`,
        `Add to its pre-commit: node ${line}`,
      );
    }
    const path = join(folder.path, 'pre-commit');
    const there = await lstat(path).catch(() => null);
    const isOurs = there?.isFile() === true && (await readFile(path, 'utf8')).includes(MARK);
    if (there !== null && !isOurs) {
      return failed(
        2,
        `Cannot install the hook: "${path}" is not ours and stays as it is`,
        `Add to it: node ${line} || exit 1`,
      );
    }
    await mkdir(folder.path, { recursive: true });
    await writeFile(path, hookText(program, process.execPath));
    await chmod(path, 0o755);
    return { ok: true, value: { path, replaced: isOurs } };
  });
}

function hookText(program: string, node: string): string {
  return `#!/bin/sh
${MARK}; a commit that does not pass is refused.
# Once: git commit --no-verify. For good: remove this file.
A7=${quoted(program)}
NODE=${quoted(node)}
[ -x "$NODE" ] || NODE=node
if [ ! -f "$A7" ]; then
  echo "a7-rt: cannot judge this commit: $A7 is gone. Install the hook again, or remove $0" >&2
  exit 1
fi
exec "$NODE" "$A7" gate run --repo . --staged
`;
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
