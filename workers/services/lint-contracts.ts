/** `lint-contracts`, and the same findings as notes of `seed`. */
import { stat } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { type LoadedContracts, loadContracts } from '../../adapters/contracts/load.ts';
import { lintContracts } from '../../core/contract/lint.ts';
import type { LintReport, Result } from '../../core/ports/services.ts';
import { failedWith } from './common.ts';

/** Above this, `seed` leaves the lint to its own command: some rules look at every pair of nodes. */
const AT_SEED_MAX = 2_000;

/** Findings of a contracts file, or of that of a session. */
export async function lintFile(path: string): Promise<Result<LintReport>> {
  const isFolder = (await stat(path).catch(() => null))?.isDirectory() === true;
  const file = resolve(isFolder ? join(path, 'contracts.yaml') : path);
  const shown = relative(process.cwd(), file) || file;
  const loaded = await loadContracts(file);
  if (!loaded.ok) {
    const problems = loaded.problems.map(({ line, column, message, suggestion }) => ({
      message,
      place: `${shown}:${String(line)}:${String(column)}`,
      ...(suggestion === undefined ? {} : { suggestion }),
    }));
    return failedWith(2, problems, `edit ${shown}`);
  }
  const findings = lintContracts(loaded.resolved).map(({ code, nodeId, path: at, message, suggestion }) => {
    const { line, column } = loaded.locate(at);
    return { code, nodeId, message, suggestion, place: `${shown}:${String(line)}:${String(column)}` };
  });
  return { ok: true, value: { nodes: loaded.resolved.length, findings } };
}

/** One line a finding. */
export function lintNotes({ resolved, locate }: Extract<LoadedContracts, { ok: true }>): readonly string[] {
  if (resolved.length > AT_SEED_MAX)
    return [`${String(resolved.length)} contracts were not linted: a7-rt lint-contracts does it`];
  return lintContracts(resolved).map(({ nodeId, path, message, suggestion }) => {
    const { line } = locate(path);
    return `${nodeId} (line ${String(line)}): ${message}. ${suggestion}`;
  });
}
