/** Facts about committed files for boards and views (seed 001, node `metadata`). */
import { createHash } from 'node:crypto';
import type { Session } from '../../core/ports/session.ts';
import { matchesAnyGlob } from '../../core/globs.ts';
import { testGlobs } from '../../core/projection/paths.ts';
import type { ResolvedContract } from '../../schemas/contract.ts';
import type { CommitFacts } from '../../schemas/stage.ts';

const PREVIEW_MAX_CHARS = 500;
const IMPORT_LINE = /^\s*(?:import\s|from\s+\S+\s+import\s)/;
const IMPORTS_SHOWN = 12;

/** Counts, hash and previews of the node's own files in `tree`. */
export async function commitFacts(
  session: Session,
  contract: ResolvedContract,
  tree: string,
  part: 'code' | 'suite',
): Promise<CommitFacts> {
  const globs = part === 'code' ? contract.files : testGlobs(contract);
  const entries = (await session.trees.listTree(tree)).filter((entry) => matchesAnyGlob(globs, entry.path));
  const texts = await Promise.all(
    entries.map(async (entry) => (await session.trees.readBlob(entry.oid)).toString('utf8')),
  );
  const all = texts.join('\n');
  const names = contract.interface.exports.map((text) => text.split('\n', 1)[0] ?? '');
  const imports = all
    .split('\n')
    .filter((line) => IMPORT_LINE.test(line))
    .slice(0, IMPORTS_SHOWN);
  return {
    files: entries.map((entry) => entry.path),
    tokens: all.split(/\s+/).filter((word) => word !== '').length,
    lines: texts.reduce((sum, text) => sum + text.split('\n').length - (text.endsWith('\n') ? 1 : 0), 0),
    contentHash: createHash('sha256')
      .update(entries.map((entry) => `${entry.oid} ${entry.path}\n`).join(''))
      .digest('hex'),
    firstExportPreview: (names[0] ?? '').slice(0, PREVIEW_MAX_CHARS),
    plumbingSummary:
      `Exports: ${names.length === 0 ? 'none' : names.join('; ')} | Imports: ${imports.map((line) => line.trim()).join('; ') || 'none'}`.slice(
        0,
        1000,
      ),
  };
}
