/** The plan of a seed as people read it: each node, why, what becomes of its work, and what that may cost. */
import { formatMicroUsd } from '../../core/model/cost.ts';
import type { PlannedChange, SeedPlanReport } from '../../core/ports/services.ts';
import { counted } from '../../core/text/plural.ts';
import { table } from './text.ts';

const EFFECTS = {
  nothing: 'all stays',
  verdict: 'suite and code stay, and are judged again',
  suite: 'a new suite; the code is judged by it',
  all: 'suite and code are made anew',
} as const;
const PATHS_SHOWN = 8;

/** One row a node, then stages and files. */
export function seedPlanText(plan: SeedPlanReport): string {
  const left = new Set(plan.nodes.flatMap(({ from }) => from ?? []));
  const shown = plan.nodes.filter(({ id, what }) => what !== 'removed' || !left.has(id));
  const rows = shown.map((node) => [
    node.id,
    node.what,
    node.because.join(', '),
    effectOf(node),
    costText(node.cost),
  ]);
  const calls = plan.nodes.reduce((sum, node) => sum + (node.cost?.calls ?? 0), 0);
  return [
    table(['NODE', 'CHANGE', 'WHAT', 'ITS WORK', 'MAY COST'], rows, 'No node changes.'),
    ...plan.stages.map((text) => `stage ${text}`),
    ...withdrawnLines(plan.withdrawn),
    ...(calls > 0
      ? [`In all about ${counted(calls, 'call')}, as such work took before; the cap of a stage holds.`]
      : []),
  ].join('\n');
}

function effectOf({ what, voids, restores, status, importsMoved }: PlannedChange): string {
  if (restores) return 'what was made for this contract before counts again';
  if (what === 'added') return 'is made';
  if (what === 'moved') return 'is made anew under its new id; its former files leave the branch';
  if (what === 'removed') return status === 'grounded' ? 'leaves the branch' : 'is forgotten';
  const moved =
    importsMoved === true && voids !== 'all' ? '; code that names a former path is made anew' : '';
  return `${EFFECTS[voids]}${moved}`;
}

function costText(cost: PlannedChange['cost']): string {
  if (cost === null) return 'nothing';
  if (cost.calls === 0) return 'not known yet';
  return cost.costMicroUsd === null
    ? counted(cost.calls, 'call')
    : `${counted(cost.calls, 'call')}, ${formatMicroUsd(cost.costMicroUsd)}`;
}

function withdrawnLines(paths: readonly string[]): string[] {
  if (paths.length === 0) return [];
  const more = paths.length > PATHS_SHOWN ? `, and ${String(paths.length - PATHS_SHOWN)} more` : '';
  return [`leave the branch: ${paths.slice(0, PATHS_SHOWN).join(', ')}${more}`];
}
