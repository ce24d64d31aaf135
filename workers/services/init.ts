/** `init`: a folder that can be edited and built at once (issue words: contracts, schema, configuration, content, empty ledger). */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createContentRepo } from '../../adapters/git/content-repo.ts';
import { createIdentity, sessionPaths } from '../../adapters/store/session.ts';
import type { Result } from '../../core/ports/services.ts';
import { CONTRACTS_SCHEMA_PATH, contractsJsonSchema } from '../../schemas/contracts-json-schema.ts';
import { failed } from './common.ts';

/** Templates lie beside the sources and beside the build alike. */
export const TEMPLATES = fileURLToPath(new URL('../../examples/templates/init/', import.meta.url));
/** The project's line in the template, which is itself a document that can be read. */
const NAME_LINE = '  name: my-project';
/** Template and where it goes in the session. */
const FILES = [
  ['contracts.yaml', 'contracts.yaml'],
  ['config.toml', '.a7/config.toml'],
  ['models.toml', '.a7/models.toml'],
  ['gitignore', '.gitignore'],
] as const;

/** Makes a session in an empty or missing folder; never overwrites anything. */
export async function init(
  dir: string,
  project: string | null,
): Promise<Result<{ readonly dir: string; readonly created: readonly string[] }>> {
  const path = resolve(dir);
  const there = await readdir(path).catch(() => [] as string[]);
  if (there.length > 0) {
    return failed(
      2,
      `Cannot init "${dir}": the folder is not empty (it holds ${there.slice(0, 3).join(', ')})`,
      'Name a new folder',
    );
  }
  const paths = sessionPaths(path);
  await mkdir(paths.a7, { recursive: true });
  const name = project ?? basename(path);
  for (const [file, target] of FILES) {
    const text = (await readFile(join(TEMPLATES, file), 'utf8')).replace(
      NAME_LINE,
      `  name: ${quoted(name)}`,
    );
    await writeFile(join(path, target), text, { flag: 'wx' });
  }
  await writeFile(join(path, CONTRACTS_SCHEMA_PATH), `${JSON.stringify(contractsJsonSchema(), null, 2)}\n`, {
    flag: 'wx',
  });
  await writeFile(paths.ledger, '', { flag: 'wx' });
  const content = createContentRepo({ workTree: paths.content, storeDir: paths.store });
  await content.init();
  await content.close();
  await createIdentity(path);
  const created = [...FILES.map(([, target]) => target), CONTRACTS_SCHEMA_PATH, 'content/', 'events.jsonl'];
  return { ok: true, value: { dir: path, created } };
}

/** A name as a YAML scalar: bare where it reads as itself. */
function quoted(name: string): string {
  return /^[A-Za-z][\w.-]*$/.test(name) ? name : JSON.stringify(name);
}
