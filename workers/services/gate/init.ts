/** `gate init`: a plan that works as it is. Nothing is overwritten. */
import { lstat, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { detectProfile } from '../../../core/repository/detect-profile.ts';
import { exactPins, PIN_FILES, type PinFiles } from '../../../core/repository/exact-pins.ts';
import { profileTemplate, VERIFY_SCHEMA_PATH } from '../../../core/repository/template.ts';
import type { Result } from '../../../core/ports/services.ts';
import { PROFILE_PATHS, type ProfileName, verifyJsonSchema } from '../../../schemas/verify-profile.ts';
import { type Surroundings, failed } from '../common.ts';
import { withRepository } from './plan-of.ts';

const PIN_FILE_BYTES_MAX = 16 * 1024 * 1024;

/** @param profile null: what the repository's files show. */
export async function gateInit(
  around: Surroundings,
  repo: string,
  profile: ProfileName | null,
): Promise<Result<{ readonly created: readonly string[] }>> {
  return withRepository(repo, around.env, async (repository) => {
    for (const path of PROFILE_PATHS) {
      if ((await lstat(join(repository.root, path)).catch(() => null)) !== null)
        return failed(
          2,
          `Cannot write a gate plan: "${path}" exists`,
          `Edit it; a7-rt gate check --repo ${repo} checks it`,
        );
    }
    const listing = await repository.list({ kind: 'work_tree', revision: null });
    const paths = listing.entries.map((entry) => entry.path);
    const chosen = profile ?? detectProfile(paths);
    if (chosen === null) {
      return failed(
        2,
        'Cannot choose a profile: the repository shows no language',
        `a7-rt gate init --repo ${repo} --profile python|node|go|rust|polyglot`,
      );
    }
    const [file] = PROFILE_PATHS;
    const pins = exactPins(await pinFiles(repository.root));
    await writeFile(join(repository.root, file), profileTemplate(chosen, paths, pins), { flag: 'wx' });
    const schemaFile = join(repository.root, VERIFY_SCHEMA_PATH);
    await mkdir(dirname(schemaFile), { recursive: true });
    const isNew = await writeFile(schemaFile, `${JSON.stringify(verifyJsonSchema(), null, 2)}\n`, {
      flag: 'wx',
    })
      .then(() => true)
      .catch(() => false);
    return { ok: true, value: { created: isNew ? [file, VERIFY_SCHEMA_PATH] : [file] } };
  });
}

/** Regular files of the folder itself; what is none, or too large, counts as not there. */
async function pinFiles(root: string): Promise<PinFiles> {
  const texts = await Promise.all(
    PIN_FILES.map(async (name) => {
      const found = await lstat(join(root, name)).catch(() => null);
      const isRead = found !== null && found.isFile() && found.size <= PIN_FILE_BYTES_MAX;
      return [name, isRead ? await readFile(join(root, name), 'utf8') : undefined] as const;
    }),
  );
  return Object.fromEntries(texts.filter(([, text]) => text !== undefined));
}
