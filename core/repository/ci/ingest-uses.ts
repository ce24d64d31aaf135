/** What a workflow uses: actions of others, composite actions and workflows of its own repository. */
import type { DocumentPath } from '../../../schemas/problems.ts';
import type { PlanSource } from '../../../schemas/gate-limits.ts';
import { type IngestedStep, readUses } from './actions.ts';
import { type CiContext, expandedText, plainText } from './expressions.ts';
import { type Frame, ofCheckout } from './frame.ts';
import { readBeside } from './needs-service.ts';
import {
  account,
  type Fields,
  fieldsOf,
  type Ingested,
  joined,
  type Reading,
  refusedPart,
  refusedStep,
  textOf,
} from './ingested.ts';

const DEPTH_MAX = 5;

type ReadStep = (reading: Reading, outer: Frame, path: DocumentPath, step: Fields) => Ingested;
export type ReadJob = (reading: Reading, name: string, value: unknown) => Ingested;

/** A step that uses an action. */
export function usedAction(
  reading: Reading,
  frame: Frame,
  step: Fields,
  uses: string,
  source: PlanSource,
  readStep: ReadStep,
): Ingested {
  const given = Object.fromEntries(
    Object.entries(fieldsOf(step['with'])).map(([name, value]) => {
      const decided = expandedText(plainText(value), reading.workflow.evaluate, frame.context);
      return [name, decided.isKnown ? decided.value : UNKNOWN];
    }),
  );
  const command = commandOf(uses, given);
  if (command !== null) {
    const { folder, variables, shell, services } = frame;
    const around = { source, folder, variables, shell, script: () => null };
    return accounted(readBeside(command, uses, services, around), source);
  }
  if (uses.startsWith('./')) return composite(reading, frame, uses, given, source, readStep);
  return accounted([readUses(uses, given, source)], source);
}

/** What an action runs that only starts a command of its inputs; null for any other. */
function commandOf(uses: string, given: Fields): string | null {
  const input = (name: string): string => plainText(given[name]);
  const [action = ''] = uses.toLowerCase().split('@');
  const cargo = (name: string): string =>
    `${input('use-cross') === 'true' ? 'cross' : 'cargo'} ${input('toolchain').replace(/^(?=.)/u, '+')} ${name} ${input('args')}`
      .trim()
      .replaceAll(/ +/gu, ' ');
  if (action === 'actions-rs/cargo') return cargo(input('command'));
  if (/^(?:actions-rs\/clippy-check|clechasseur\/rs-clippy-check)$/u.test(action)) return cargo('clippy');
  return /^nick-(?:fields|invision)\/retry$/u.test(action) ? input('command') : null;
}

/** No version and no file is called so: an input that only the CI service knows is refused where it matters. */
const UNKNOWN = '<unknown>';

/** An action of the same repository: its steps, with its inputs. */
function composite(
  reading: Reading,
  frame: Frame,
  uses: string,
  given: Fields,
  source: PlanSource,
  readStep: ReadStep,
): Ingested {
  const named = uses.replace(/^\.(?:\/+|$)/u, '').replace(/\/+$/u, '');
  const folder = ofCheckout(named, frame.checkout);
  const prefix = folder === null ? '' : `${folder}/`;
  const found = reading.local.read(`${prefix}action.yml`) ?? reading.local.read(`${prefix}action.yaml`);
  if (found === null) return refusedPart(uses, 'this action is not in the repository', source);
  const action = fieldsOf(found.value);
  const { using, steps } = fieldsOf(action['runs']);
  if (using !== 'composite' || !Array.isArray(steps))
    return refusedPart(uses, `it runs by "${String(using)}", only composite actions are understood`, source);
  if (reading.depth >= DEPTH_MAX) return refusedPart(uses, 'actions use each other too deep', source);
  const defaults = Object.fromEntries(
    Object.entries(fieldsOf(action['inputs'])).map(([name, input]) => [
      name,
      fieldsOf(input)['default'] ?? '',
    ]),
  );
  const inner: Reading = {
    ...reading,
    workflow: found,
    depth: reading.depth + 1,
    inputs: { ...defaults, ...given },
  };
  const context = { ...frame.context, inputs: inner.inputs };
  return joined(
    steps.map((step: unknown, index) =>
      readStep(inner, { ...frame, context, folder: null }, ['runs', 'steps', index], fieldsOf(step)),
    ),
  );
}

/** A job that is another workflow of the same repository. */
export function reusable(
  reading: Reading,
  job: Fields,
  context: CiContext,
  what: string,
  source: PlanSource,
  readJob: ReadJob,
): Ingested {
  const uses = textOf(job['uses']) ?? '';
  const found = uses.startsWith('./') ? reading.local.read(uses.slice(2)) : null;
  if (found === null)
    return refusedPart(what, `it uses the workflow "${uses}", which is not in this repository`, source);
  if (reading.depth >= DEPTH_MAX) return refusedPart(what, 'workflows use each other too deep', source);
  const declared = fieldsOf(fieldsOf(fieldsOf(fieldsOf(found.value)['on'])['workflow_call'])['inputs']);
  const defaults = Object.fromEntries(
    Object.entries(declared).map(([name, input]) => [name, fieldsOf(input)['default'] ?? '']),
  );
  const given = Object.entries(fieldsOf(job['with'])).map(([name, value]) => {
    const decided =
      typeof value === 'string'
        ? expandedText(value, reading.workflow.evaluate, context)
        : { isKnown: true as const, value };
    return [name, decided.isKnown ? decided.value : UNKNOWN] as const;
  });
  const inner: Reading = {
    ...reading,
    workflow: found,
    depth: reading.depth + 1,
    inputs: { ...defaults, ...Object.fromEntries(given) },
  };
  return joined(
    Object.entries(fieldsOf(fieldsOf(found.value)['jobs'])).map(([name, value]) =>
      readJob(inner, name, value),
    ),
  );
}

/** Results of a step, as parts and account. */
export function accounted(results: readonly IngestedStep[], source: PlanSource): Ingested {
  return {
    steps: results.flatMap((each) =>
      each.outcome === 'REFUSED' ? [refusedStep(source, each.what, each.why)] : each.steps,
    ),
    account: results.map(({ outcome, what, why }) => account(outcome, what, why, source)),
  };
}
