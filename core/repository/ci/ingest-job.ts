/** A job of a CI workflow: the cells of its matrix, and what those that judge do. */
import type { PlanSource } from '../../../schemas/gate-limits.ts';
import type { CiContext } from './expressions.ts';
import { ingestCell } from './ingest-cell.ts';
import {
  account,
  fieldsOf,
  type Ingested,
  joined,
  type Reading,
  refusedPart,
  sourceOf,
  textOf,
} from './ingested.ts';
import { baseContext, foreignSystem, labelOf } from './job-context.ts';
import { besideCell } from './judging-cells.ts';
import { type Cell, cellText, chosenCell, matrixCells } from './matrix.ts';
import type { Workflow } from './workflow.ts';

/** One job. */
export function ingestJob(reading: Reading, name: string, value: unknown): Ingested {
  const { workflow } = reading;
  const path = ['jobs', name];
  const job = fieldsOf(value);
  const source = sourceOf(workflow, path);
  const what = `job "${name}"`;
  const outer = baseContext(reading);
  const cells = matrixOf(job['strategy'], workflow, outer);
  if (cells === null)
    return refusedPart(
      what,
      'its matrix is computed while CI runs',
      sourceOf(workflow, [...path, 'strategy']),
    );
  const label = (cell: Cell): string => labelOf(job['runs-on'], workflow, { ...outer, matrix: cell });
  const linux = cells.filter((cell) => foreignSystem(label(cell)) === null);
  const chosen = chosenCell(linux.length === 0 ? cells : linux, label) ?? {};
  const { beside, judged } = besideCell(linux, chosen, job);
  if (beside.length >= CELLS_JUDGED_MAX)
    return refusedPart(
      what,
      `its matrix does ${String(beside.length + 1)} different things, more than the ${String(CELLS_JUDGED_MAX)} that are taken over; write those that shall judge`,
      sourceOf(workflow, [...path, 'strategy']),
    );
  const judging = [chosen, ...beside];
  const otherCells = linux.filter((cell) => !judged.includes(cell));
  const parts = judging.map((cell) => ingestCell({ ...reading, otherCells }, name, job, cell, ingestJob));
  const isRun = parts.some(({ account: rows }) =>
    rows.some(({ outcome }) => outcome === 'KEPT' || outcome === 'REPLACED'),
  );
  const named = cells.length > 1 && isRun ? [cellsTold(what, cells, judging, source)] : [];
  return once(joined([{ steps: [], account: named }, ...parts]));
}

/** Things that the cells of one job do; a search with 60 inputs is none that a gate repeats for each change. */
const CELLS_JUDGED_MAX = 16;
const CELLS_NAMED_MAX = 10;

function cellsTold(
  what: string,
  cells: readonly Cell[],
  judging: readonly Cell[],
  source: PlanSource,
): Ingested['account'][number] {
  const left = cells.filter((cell) => !judging.includes(cell)).map((cell) => cellText(cell));
  const more = left.length - CELLS_NAMED_MAX;
  const rest = [...left.slice(0, CELLS_NAMED_MAX), ...(more > 0 ? [`${String(more)} more`] : [])].join('; ');
  const as = judging.map((cell) => cellText(cell)).join(', and as ');
  const why = `judged as ${as}${rest === '' ? '' : `; the other cells are left to the CI service: ${rest}`}`;
  return account('REPLACED', `${what}: matrix of ${String(cells.length)} cells`, why, source);
}

/** What two cells do alike is done once. */
function once({ steps, account: told }: Ingested): Ingested {
  const first = <T>(list: readonly T[]): T[] => {
    const seen = new Set<string>();
    return list.filter((each) => {
      const key = JSON.stringify(each);
      return !seen.has(key) && seen.add(key).size > 0;
    });
  };
  return { steps: first(steps), account: first(told) };
}

/** An axis may be a list that an expression holds as it stands: `${{ fromJSON('["3.11"]') }}`. */
function matrixOf(strategy: unknown, { evaluate }: Workflow, context: CiContext): readonly Cell[] | null {
  const { matrix } = fieldsOf(strategy);
  if (matrix === undefined) return [{}];
  const valueOf = (given: unknown): unknown => {
    const expression = /^\$\{\{([\s\S]*)\}\}$/u.exec(textOf(given)?.trim() ?? '')?.[1];
    const decided = expression === undefined ? null : evaluate(expression.trim(), context);
    return decided?.isKnown === true ? decided.value : given;
  };
  const whole = fieldsOf(valueOf(matrix));
  if (Object.keys(whole).length === 0) return null;
  return matrixCells(
    Object.fromEntries(Object.entries(whole).map(([name, values]) => [name, valueOf(values)])),
  );
}
