/** The CI service's own parser and expressions, from one bundled file, loaded when the first workflow is read. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type * as Library from './parser-entry.ts';

/** Beside the build, or below `dist` where the sources run. */
const PLACES = ['../../bundle/workflow-parser.cjs', '../../dist/bundle/workflow-parser.cjs'];

let loaded: typeof Library | null = null;

/** @throws where the build was not made */
export function workflowLibrary(): typeof Library {
  if (loaded !== null) return loaded;
  const files = PLACES.map((place) => fileURLToPath(new URL(place, import.meta.url)));
  const file = files.find((each) => existsSync(each));
  if (file === undefined)
    throw new Error('Cannot read CI workflows: the build is incomplete; run "npm run build"');
  loaded = createRequire(import.meta.url)(file) as typeof Library;
  return loaded;
}
