/** `config --init`: a folder `.a7` whose files say what may be set; what is there already is kept. */
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { homeFolder } from '../../adapters/temporal/home.ts';
import type { Result } from '../../core/ports/services.ts';
import { type Surroundings, failed } from './common.ts';
import { TEMPLATES } from './init.ts';

const KEY_MODE = 0o600;

/** `key` null: no key is written. A key that is there is replaced, because that is what was asked for. */
export async function configInit(
  around: Surroundings,
  dir: string,
  key: string | null,
): Promise<Result<{ readonly created: readonly string[]; readonly kept: readonly string[] }>> {
  const folder = resolve(dir) === homeFolder(around.env) ? resolve(dir) : join(resolve(dir), '.a7');
  if (key !== null && !/^[\x21-\x7e]+$/.test(key))
    return failed(
      2,
      'Cannot write the key: it must be one word of printable characters',
      'a7-rt config --init --with-key - reads it from standard input',
    );
  await mkdir(folder, { recursive: true });
  const created: string[] = [];
  const kept: string[] = [];
  const shown = (path: string): string => relative(process.cwd(), path) || path;
  for (const name of ['config.toml', 'models.toml']) {
    const path = join(folder, name);
    const has = await isThere(path);
    if (!has) await writeFile(path, await readFile(join(TEMPLATES, name)), { flag: 'wx' });
    (has ? kept : created).push(shown(path));
  }
  if (key !== null) created.push(...(await writeKey(folder, key)).map(shown));
  return { ok: true, value: { created, kept } };
}

/** The key, and beside it what keeps git from taking it. */
async function writeKey(folder: string, key: string): Promise<string[]> {
  const path = join(folder, 'key');
  const ignore = join(folder, '.gitignore');
  const written = [path];
  if (!(await isThere(ignore))) {
    await writeFile(ignore, 'key\n', { flag: 'wx' });
    written.push(ignore);
  }
  // The mode first: a file that was there may be readable for all.
  if (await isThere(path)) await chmod(path, KEY_MODE);
  await writeFile(path, `${key}\n`, { mode: KEY_MODE });
  return written;
}

async function isThere(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null)) !== null;
}
