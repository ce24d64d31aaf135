/** `init`: a folder that can be edited and built at once (issue words: contracts, schema, configuration, content, empty ledger). */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createContentRepo } from '../../adapters/git/content-repo.ts';
import { isMakeable } from '../../adapters/system/makeable.ts';
import { createIdentity, sessionPaths } from '../../adapters/store/session.ts';
import type { Failed, Result } from '../../core/ports/services.ts';
import { CONTRACTS_SCHEMA_PATH, contractsJsonSchema } from '../../schemas/contracts-json-schema.ts';
import { failed } from './common.ts';

/** Templates lie beside the sources and beside the build alike. */
export const TEMPLATES = fileURLToPath(new URL('../../examples/templates/init/', import.meta.url));
/** The project's line in the template, which is itself a document that can be read. */
const NAME_LINE = '  name: my-project';
/** Other templates, and where they go in the session. */
const FILES = [
  ['config.toml', '.a7/config.toml'],
  ['models.toml', '.a7/models.toml'],
  ['gitignore', '.gitignore'],
] as const;

/** What `init` writes beside the contracts. */
export const INIT_FILES = [
  'contracts.yaml',
  ...FILES.map(([, target]) => target),
  CONTRACTS_SCHEMA_PATH,
  'content/',
  'events.jsonl',
];

/** Makes a session in an empty or missing folder; never overwrites anything. */
export async function init(
  dir: string,
  project: string | null,
): Promise<Result<{ readonly dir: string; readonly created: readonly string[] }>> {
  const path = resolve(dir);
  const occupied = await occupiedProblem(dir, path);
  if (occupied !== null) return occupied;
  const template = await readFile(join(TEMPLATES, 'contracts.yaml'), 'utf8');
  await layFolder(path, named(template, project ?? basename(path)));
  const content = createContentRepo({
    workTree: sessionPaths(path).content,
    storeDir: sessionPaths(path).store,
  });
  await content.init();
  await content.close();
  return { ok: true, value: { dir: path, created: INIT_FILES } };
}

/** A session is made in a folder of its own. */
export async function occupiedProblem(dir: string, path: string): Promise<Failed | null> {
  if (!isMakeable(path))
    return failed(2, `Cannot init "${dir}": no folder can be made there`, 'Name a new folder on a disk');
  const there = await readdir(path).catch(() => [] as string[]);
  if (there.length === 0) return null;
  return failed(
    2,
    `Cannot init "${dir}": the folder is not empty (it holds ${there.slice(0, 3).join(', ')})`,
    'Name a new folder',
  );
}

/** All of a session but its repository. */
export async function layFolder(path: string, contracts: string): Promise<void> {
  const paths = sessionPaths(path);
  await mkdir(paths.a7, { recursive: true });
  await writeFile(paths.contracts, contracts, { flag: 'wx' });
  for (const [file, target] of FILES)
    await writeFile(join(path, target), await readFile(join(TEMPLATES, file)), { flag: 'wx' });
  await writeFile(join(path, CONTRACTS_SCHEMA_PATH), `${JSON.stringify(contractsJsonSchema(), null, 2)}\n`, {
    flag: 'wx',
  });
  await writeFile(paths.ledger, '', { flag: 'wx' });
  await createIdentity(path);
}

/** A template with the project's name in it. */
export function named(template: string, name: string): string {
  return template.replace(NAME_LINE, `  name: ${quoted(name)}`);
}

/** A name as a YAML scalar: bare where it reads as itself. */
function quoted(name: string): string {
  return /^[A-Za-z][\w.-]*$/.test(name) ? name : JSON.stringify(name);
}
