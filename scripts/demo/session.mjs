// A fresh session with the sample's contracts.
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { markFolder } from './folders.mjs';
import { SAMPLE_DIR } from './options.mjs';

/** `init`, the sample's contracts in place of the template's, `seed`. */
export async function prepareSession(commands, { dir }, model) {
  await commands.show(['init', dir]);
  markFolder(dir);
  copyFileSync(join(SAMPLE_DIR, 'contracts.yaml'), join(dir, 'contracts.yaml'));
  if (model.modelsFile !== null) copyFileSync(model.modelsFile, join(dir, '.a7', 'models.toml'));
  await commands.show(['seed', dir]);
}
