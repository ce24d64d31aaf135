/** A job of a CI workflow as one cell of its matrix runs it: its condition, what it runs on, and its steps one by one. */
import type { DocumentPath } from '../../../schemas/problems.ts';
import type { PlanSource } from '../../../schemas/gate-limits.ts';
import { limitsOf } from '../resolve-commands.ts';
import { onlyLooks } from './command-kind.ts';
import { readUses } from './actions.ts';
import { type CiContext, conditionHolds, expandedText } from './expressions.ts';
import { type Frame, frameOf, within } from './frame.ts';
import { withHandedOn } from './handed-on.ts';
import { readBeside } from './needs-service.ts';
import { accounted, type ReadJob, reusable, usedAction } from './ingest-uses.ts';
import {
  account,
  type Fields,
  fieldsOf,
  type Ingested,
  joined,
  type Reading,
  refusedPart,
  sourceOf,
  textOf,
} from './ingested.ts';
import { baseContext, foreignSystem, labelOf } from './job-context.ts';
import { type Cell, cellText } from './matrix.ts';
import { readAsRun, skippedBy } from './skipped.ts';

/** A job as one cell of its matrix runs it. */
export function ingestCell(
  reading: Reading,
  name: string,
  job: Fields,
  cell: Cell,
  readJob: ReadJob,
): Ingested {
  const { workflow } = reading;
  const path = ['jobs', name];
  const source = sourceOf(workflow, path);
  const what = `job "${name}"`;
  const context = { ...baseContext(reading), matrix: cell };
  const skipped = skippedBy(reading, job, context, what, source);
  if (skipped !== null) return skipped;
  if (job['uses'] !== undefined) return reusable(reading, job, context, what, source, readJob);
  const system = foreignSystem(labelOf(job['runs-on'], workflow, context));
  if (system !== null)
    return refusedPart(
      what,
      `it runs on ${system}, the clean room is Linux`,
      sourceOf(workflow, [...path, 'runs-on']),
    );
  const { steps } = job;
  if (!Array.isArray(steps)) return refusedPart(what, 'it has no list of steps', source);
  const frame = frameOf(workflow, [fieldsOf(workflow.value), job], context);
  const container = containerOf(job['container'], source);
  let here = frame;
  const parts = steps.map((step: unknown, index) => {
    const part = ingestStep(reading, here, [...path, 'steps', index], fieldsOf(step));
    here = withHandedOn(here, reading.workflow, fieldsOf(step), part);
    return part;
  });
  return withBuilds(joined([readAsRun(reading, job, context, what, source), ...container, ...parts]));
}

/**
 * Steps of a job share a checkout in CI, and each of ours has a fresh one: what an earlier command may have written is written
 * again before each later one. What is known to look at files only is not repeated.
 */
function withBuilds({ steps, account: told }: Ingested): Ingested {
  const builds: string[][] = [];
  const carried = steps.map((step) => {
    if (step.kind !== 'test_command') return step;
    const before = builds.slice(-BEFORE_MAX);
    if (step.count.by === 'none' && !onlyLooks(step.argv.at(-1) ?? '')) builds.push(step.argv);
    return before.length === 0 ? step : { ...step, before, limits: limitsOf(null)(BUILD_SECONDS) };
  });
  return { steps: carried, account: told };
}

const BEFORE_MAX = 20;
/** Wall time of a command with builds before it. */
const BUILD_SECONDS = 300;

function containerOf(container: unknown, source: PlanSource): Ingested[] {
  if (container === undefined) return [];
  const image = textOf(container) ?? textOf(fieldsOf(container)['image']) ?? '';
  const [, tool, version] = /(?:^|\/)(python|node|golang|rust):v?(\d+(?:\.\d+){0,2})/u.exec(image) ?? [];
  if (tool === undefined || version === undefined)
    return [
      refusedPart(
        `container ${image}`,
        'an image of its own is not in the clean room; name what is needed of it under environment.dependencies',
        source,
      ),
    ];
  const name = tool === 'golang' ? 'go' : (tool as 'python' | 'node' | 'rust');
  return [
    {
      steps: [{ kind: 'runtime', level: 'L1', source, tool: name, version }],
      account: [account('REPLACED', `container ${image}`, `by a look for ${name} ${version}`, source)],
    },
  ];
}

function ingestStep(reading: Reading, outer: Frame, path: DocumentPath, step: Fields): Ingested {
  const { workflow, local } = reading;
  const source = sourceOf(workflow, path);
  const [run, uses] = [textOf(step['run']), textOf(step['uses'])];
  const what = textOf(step['name']) ?? uses ?? run?.trim().split('\n')[0] ?? 'step';
  const frame = within(outer, workflow, step);
  const cell = onlyIn(reading, step, frame.context);
  if (cell !== null) return ofOtherCell(reading, outer, path, step, cell);
  const skipped = skippedBy(reading, step, frame.context, what, source);
  // An action that judges nothing is dropped whatever its condition; a check is never dropped for one that is unknown.
  if (
    skipped !== null &&
    (uses === null || readUses(uses, {}, source).outcome === 'REFUSED' || skipped.steps.length === 0)
  )
    return skipped;
  const told = readAsRun(reading, step, frame.context, what, source);
  if (run === null) return joined([told, usedAction(reading, frame, step, uses ?? '', source, ingestStep)]);
  const expanded = expandedText(run, workflow.evaluate, frame.context);
  const problem = frame.problem ?? (expanded.isKnown ? null : expanded.why);
  if (problem !== null) return refusedPart(what, problem, source);
  const text = expanded.isKnown ? String(expanded.value) : '';
  const { folder, variables, shell, checkout } = frame;
  const around = { source, folder, variables, shell, checkout };
  const script = folder === null ? local.script : () => null;
  return joined([told, accounted(readBeside(text, what, frame.services, { ...around, script }), source)]);
}

/** A cell that does not judge and alone runs this step; null where the judging one does, or none. */
function onlyIn(
  { workflow, otherCells = [] }: Reading,
  { if: condition }: Fields,
  context: CiContext,
): Cell | null {
  if (condition === undefined) return null;
  const holds = (matrix: unknown): boolean => {
    const decided = conditionHolds(condition, workflow.evaluate, { ...context, matrix });
    return !decided.isKnown || decided.holds;
  };
  return holds(context['matrix']) ? null : (otherCells.find((cell) => holds(cell)) ?? null);
}

/** Tests and what only looks at files are judged where the others are; what prepares that cell stays there. */
function ofOtherCell(reading: Reading, outer: Frame, path: DocumentPath, step: Fields, cell: Cell): Ingested {
  const { otherCells: _, ...inner } = reading;
  const there = { ...outer, context: { ...outer.context, matrix: cell } };
  const part = ingestStep(inner, there, path, step);
  const isCheck = part.steps.every(
    (each) => each.kind === 'test_command' && (each.count.by !== 'none' || onlyLooks(each.argv.at(-1) ?? '')),
  );
  const only = `CI runs it only as ${cellText(cell)}`;
  const told = part.account.map((each) =>
    isCheck && each.outcome === 'KEPT'
      ? { ...each, why: `${each.why}; ${only}` }
      : { ...each, outcome: 'DROPPED' as const, why: `${only}, which is left to the CI service` },
  );
  return { steps: isCheck ? part.steps : [], account: told };
}
