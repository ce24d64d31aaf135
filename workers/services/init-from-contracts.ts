/** `contracts.yaml` of a session that begins as a repository: its language, and an example in a folder that is there. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chosenPlace, nodeLanguage } from '../../core/contract/from-repository.ts';
import { chosenProfile } from './gate/init-project.ts';
import type { Failed } from '../../core/ports/services.ts';
import { failed } from './common.ts';
import { named, TEMPLATES } from './init.ts';

/** @param manifest text of the repository's `package.json`, null where it has none */
export async function contractsFrom(
  project: string,
  paths: readonly string[],
  manifest: string | null,
): Promise<{ readonly text: string; readonly notes: readonly string[] } | Failed> {
  const found = nodeLanguage(chosenProfile(paths), paths);
  if (found === null)
    return failed(
      2,
      'Cannot take the repository: nodes are built in Python, JavaScript and TypeScript, and it shows none of them',
      'a7-rt submit --repo DIR --task "..." gives a coding agent a task in any repository',
    );
  const { language, notes } = found;
  const file = language === 'python' ? 'contracts-from-python.yaml' : 'contracts-from-javascript.yaml';
  const template = await readFile(join(TEMPLATES, file), 'utf8');
  const isModule = manifest !== null && /"type"\s*:\s*"module"/u.test(manifest);
  const [plain, always] = language === 'typescript' ? ['ts', 'mts'] : ['js', 'mjs'];
  const { sourceRoot, folder } = chosenPlace(language, paths);
  const text = named(template, project)
    .replace('language: javascript', `language: ${language}`)
    .replace(
      '\n  #SOURCE_ROOT',
      sourceRoot === null ? '' : `\n  source_root: ${sourceRoot} # modules are imported from there`,
    )
    .replaceAll('BELOW/', sourceRoot === null ? '' : `${sourceRoot}/`)
    .replaceAll('PACKAGE', folder)
    .replaceAll('ENDING', isModule ? plain : always);
  return { text, notes };
}
