/** Reads `contracts.yaml`, `contracts.json` or the seed's flat form, and says every fault with its line. */
import { stat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { checkContracts } from '../../core/contract/check.ts';
import { toNormalForm } from '../../core/contract/flat-form.ts';
import { type ContractProblem, contractProblem } from '../../core/contract/problem.ts';
import { resolveContracts } from '../../core/contract/resolve.ts';
import { readFault } from '../../core/text/error-text.ts';
import { readNamedText } from '../system/named-file.ts';
import { formatPath, type LocatedProblem, schemaMessage } from '../../core/text/located-problem.ts';
import { Contracts, type ResolvedContract } from '../../schemas/contract.ts';
import { checkDocument, type DocumentPath, type SchemaProblem } from '../../schemas/problems.ts';
import { parseLocated, type Position } from './document.ts';

export type LoadedContracts =
  | {
      readonly ok: true;
      readonly contracts: Contracts;
      readonly resolved: readonly ResolvedContract[];
      /** Line and column of a path of `contracts` in the file as written. */
      readonly locate: (path: DocumentPath) => Position;
    }
  | { readonly ok: false; readonly problems: readonly LocatedProblem[] };

/** Far above 10,000 nodes with full contracts. */
const FILE_BYTES_MAX = 32 * 1024 * 1024;

/** Reads and checks a contracts file. Never throws for what the file holds or that it is missing. */
export async function loadContracts(path: string): Promise<LoadedContracts> {
  const text = await readText(path);
  if (!text.ok) return { ok: false, problems: [{ line: 1, column: 1, path: '', message: text.message }] };
  return parseContracts(text.text, basename(dirname(resolve(path))));
}

/** The same for a text. `name` is the project's name where the flat form gives none. */
export function parseContracts(text: string, name: string): LoadedContracts {
  const parsed = parseLocated(text);
  if (!parsed.ok)
    return { ok: false, problems: parsed.problems.map((problem) => ({ ...problem, path: '' })) };
  const normal = toNormalForm(parsed.document.value, name);
  const locate = (path: DocumentPath): Position => parsed.document.locate(normal.origin(path));
  const checked = checkDocument(Contracts, normal.value);
  const problems = checked.ok
    ? checkContracts(checked.value)
    : checked.problems.map((problem) => contractProblemOf(problem, normal.value));
  if (!checked.ok || problems.length > 0)
    return { ok: false, problems: located(problems, normal.origin, locate) };
  return { ok: true, contracts: checked.value, resolved: resolveContracts(checked.value), locate };
}

async function readText(path: string): Promise<{ ok: true; text: string } | { ok: false; message: string }> {
  try {
    const { size } = await stat(path);
    if (size > FILE_BYTES_MAX) {
      return {
        ok: false,
        message: `Cannot read "${path}": it must be at most ${String(FILE_BYTES_MAX)} bytes, current size is ${String(size)}`,
      };
    }
    return { ok: true, text: await readNamedText(path) };
  } catch (error) {
    return { ok: false, message: `Cannot read "${path}": ${readFault(error)}` };
  }
}

function contractProblemOf(problem: SchemaProblem, document: unknown): ContractProblem {
  const { subject, rest } = subjectOf(problem.path, document);
  const { message, suggestion } = schemaMessage(subject, rest, problem);
  return contractProblem(problem.path, message, suggestion);
}

/** `node "price.money"` and the path within it, or the first part of the path where no node with an id is around it. */
function subjectOf(path: DocumentPath, document: unknown): { subject: string; rest: DocumentPath } {
  const [list, index] = path;
  if (typeof index !== 'number') return { subject: 'the document', rest: path };
  const entries: unknown = (document as Record<string, unknown>)[String(list)];
  const entry: unknown = Array.isArray(entries) ? entries[index] : undefined;
  const id: unknown = typeof entry === 'object' && entry !== null && 'id' in entry ? entry.id : undefined;
  const name = list === 'nodes' ? 'node' : 'stage';
  const subject = typeof id === 'string' ? `${name} "${id}"` : formatPath(path.slice(0, 2));
  return { subject, rest: path.slice(2) };
}

function located(
  problems: readonly ContractProblem[],
  origin: (path: DocumentPath) => DocumentPath,
  locate: (path: DocumentPath) => Position,
): LocatedProblem[] {
  return problems
    .map(({ path, ...rest }) => ({ ...locate(path), path: formatPath(origin(path)), ...rest }))
    .sort((a, b) => a.line - b.line || a.column - b.column);
}
