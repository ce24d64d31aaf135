/** `run_lint`: syntax of the agent's own files, read without running them. */
import type { Session } from '../../core/ports/session.ts';
import type { SymbolsPort } from '../../core/ports/symbols.ts';
import { matchesAnyGlob } from '../../core/globs.ts';
import { ownGlobs } from '../../core/projection/paths.ts';
import type { AgentCoordinates } from '../../schemas/agent-io.ts';
import type { ResolvedContract } from '../../schemas/contract.ts';
import { contractOf } from '../shared/trees.ts';

const LINES_SHOWN_MAX = 20;

/** One line a file: lines that do not parse, or that it is fine. */
export async function lintText(
  symbols: SymbolsPort,
  session: Session,
  at: AgentCoordinates,
  tree: string,
  paths: readonly string[] | null,
): Promise<string> {
  const contract = await contractOf(session, at.nodeId);
  const wanted = paths ?? (await ownPaths(session, contract, tree));
  if (wanted.length === 0) return 'Nothing to check: you have no files yet.';
  const lines = await Promise.all(wanted.map((path) => lintFile(symbols, session, contract, tree, path)));
  return lines.join('\n');
}

async function ownPaths(
  session: Session,
  contract: ResolvedContract,
  tree: string,
): Promise<readonly string[]> {
  const globs = ownGlobs(contract);
  const entries = await session.trees.listTree(tree);
  return entries.map((entry) => entry.path).filter((path) => matchesAnyGlob(globs, path));
}

async function lintFile(
  symbols: SymbolsPort,
  session: Session,
  contract: ResolvedContract,
  tree: string,
  path: string,
): Promise<string> {
  const bytes = await session.trees.readFile(tree, path);
  if (bytes === null) return `${path}: no such file`;
  if (!symbols.languages.includes(contract.language))
    return `${path}: ${contract.language} cannot be checked here`;
  const { errorLines } = symbols.module(contract.language, path, bytes.toString('utf8'));
  if (errorLines.length === 0) return `${path}: no syntax errors`;
  return `${path}: syntax error at line ${errorLines.slice(0, LINES_SHOWN_MAX).map(String).join(', ')}`;
}
