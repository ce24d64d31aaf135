/** What a reviewer sees: the contract and the code with numbered lines. Never a suite, never what a gate said. */
import type { ResolvedContract } from '../../schemas/contract.ts';
import { contractView } from './contract-view.ts';

export interface CodeFile {
  readonly path: string;
  readonly text: string;
}

export interface ReviewView {
  readonly text: string;
  /** Lines of each shown file, by path. */
  readonly lines: ReadonlyMap<string, number>;
  /** Files for which there was no room. */
  readonly left: readonly string[];
}

/** Files are shown whole, in order, as long as they fit. */
export function reviewView(
  contract: ResolvedContract,
  files: readonly CodeFile[],
  charsMax: number,
): ReviewView {
  const parts = [contractView(contract)];
  const lines = new Map<string, number>();
  const left: string[] = [];
  let chars = 0;
  for (const { path, text } of files) {
    const rows = text.replace(/\n$/u, '').split('\n');
    const shown = `## ${path}\n${rows.map((row, index) => `${String(index + 1)}| ${row}`).join('\n')}`;
    if (chars + shown.length > charsMax) {
      left.push(path);
      continue;
    }
    chars += shown.length;
    parts.push(shown);
    lines.set(path, rows.length);
  }
  if (left.length > 0) parts.push(`Not shown, for lack of room: ${left.join(', ')}`);
  return { text: parts.join('\n\n'), lines, left };
}
