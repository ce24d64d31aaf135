/**
 * Imports the three stubs of a JavaScript contract once (gate.md part 2), because its values are evaluated then.
 * Standard input: {contentFile, isCommonJs, sources: {raise, none, wrong}, workDir?}; standard output: {problems: [{stub, reason}]}.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { acceptTypes } from '../shared/types.mjs';

const request = JSON.parse(readFileSync(0, 'utf8'));
const folder = dirname(join(request.workDir ?? '/work', request.contentFile));
acceptTypes(request.contentFile);
mkdirSync(folder, { recursive: true });

const ending = request.isCommonJs ? 'cjs' : request.contentFile.endsWith('ts') ? 'mts' : 'mjs';
const problems = [];
for (const [stub, source] of Object.entries(request.sources)) {
  const path = join(folder, `a7-check-${stub}.${ending}`);
  writeFileSync(path, source);
  try {
    await import(pathToFileURL(path).href);
  } catch (error) {
    const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    problems.push({ stub, reason: reason.slice(0, 1000) });
  }
}
process.stdout.write(`\n${JSON.stringify({ problems })}\n`, () => process.exit(0));
