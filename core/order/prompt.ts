/** The task as every agent reads it: intent, definition of done, constraints, the last failure (seed 003, operating contract). */
import { describePlan } from '../repository/describe-plan.ts';
import type { GatePlan } from '../../schemas/gate-plan.ts';
import type { WorkOrder } from '../../schemas/order.ts';

const POINTERS_MAX = 12;
/** Of a rule's list: whoever has to keep a rule is told the whole of it. */
const NAMES_SHOWN_MAX = 100;
const POINTERS =
  /^(?:README|CONTRIBUTING|AGENTS|CLAUDE|package\.json|pyproject\.toml|setup\.py|go\.mod|Cargo\.toml|Makefile|docs\/)/i;

export interface PromptInput {
  readonly order: WorkOrder;
  readonly plan: GatePlan;
  readonly iteration: number;
  /** Text of the last verification; null in the first iteration. */
  readonly feedback: string | null;
  readonly advice: readonly string[];
  readonly paths: readonly string[];
  readonly wallMs: number;
  /** How the agent leaves its notes; null where a tool takes them. */
  readonly notesPath: string | null;
}

/** The whole prompt of one iteration. */
export function promptOf(input: PromptInput): string {
  const { order, iteration, feedback, advice, notesPath } = input;
  return [
    '# Task',
    '',
    order.task.trim(),
    '',
    '# Definition of done',
    '',
    'A clean room that you cannot reach judges a snapshot of this folder when you stop. It runs:',
    '',
    ...planLines(input.plan),
    '',
    'Only its verdict counts. `a7-check` runs these commands here and prints what they give, as often as you like; repair what fails before you stop.',
    '',
    '# Constraints',
    '',
    ...constraintLines(input),
    '',
    ...(advice.length === 0 ? [] : ['# Advice from a person', '', ...advice.map((text) => `- ${text}`), '']),
    ...(feedback === null
      ? []
      : [
          `# Iteration ${String(iteration - 1)} did not pass`,
          '',
          feedback.trim(),
          '',
          'The folder is as you left it then. Repair it.',
          '',
        ]),
    ...(notesPath === null
      ? []
      : ['# Before you stop', '', `Write what you changed and why, in a few lines, to ${notesPath}.`, '']),
  ].join('\n');
}

/** The plan in words; of fixtures no more than that there are some. */
export function planLines(plan: GatePlan): string[] {
  const parts = describePlan(plan, NAMES_SHOWN_MAX).filter(({ level }) => level !== 'L2');
  const fixtures = plan.steps.filter((step) => step.level === 'L2').length;
  return [
    ...parts.map(({ level, what, detail }) => `- ${level} ${what}: ${detail}`),
    ...(fixtures === 0
      ? []
      : [`- L2: ${String(fixtures)} black-box checks of the program's output that you are not shown`]),
  ];
}

function constraintLines({ order, paths, wallMs }: PromptInput): string[] {
  const { policy } = order;
  const pointers = paths.filter((path) => POINTERS.test(path)).slice(0, POINTERS_MAX);
  return [
    '- Work only in this folder. There is no network but the way to your model.',
    '- Change as little as the task needs; no refactoring beside it.',
    '- Do not change what judges: the gate profile, CI files, conftest.py, runner settings, scripts that the commands above name.',
    '- Do not delete tests, and do not reach into what runs them: they run once more with failures planted in them, and have to fail.',
    ...(policy.gateEdits.length === 0 ? [] : [`- Allowed all the same: ${policy.gateEdits.join(', ')}`]),
    ...(policy.paths.length === 0 ? [] : [`- Change only: ${policy.paths.join(', ')}`]),
    ...(policy.forbid.length === 0 ? [] : [`- Never change: ${policy.forbid.join(', ')}`]),
    `- Time: ${String(Math.max(1, Math.round(wallMs / 60_000)))} minutes.`,
    ...(pointers.length === 0 ? [] : [`- Look first at: ${pointers.join(', ')}`]),
  ];
}
