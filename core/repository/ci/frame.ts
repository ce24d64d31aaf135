/** What the steps of a job inherit: variables, folder and shell, each with its expressions put in. */
import { type CiContext, expandedText, plainText } from './expressions.ts';
import type { Workflow } from './workflow.ts';
import { type Fields, fieldsOf } from './ingested.ts';

/** As far as it is decided. */
export interface Frame {
  readonly context: CiContext;
  readonly variables: Readonly<Record<string, string>>;
  readonly folder: string | null;
  readonly shell: string;
  /** The folder into which CI checks the repository out, where it is not the workspace itself: here it is. */
  readonly checkout: string | null;
  /** Servers that CI starts beside the job: the clean room has none. */
  readonly services: readonly string[];
  /** Of the first thing that cannot be decided; it refuses the steps that run commands. */
  readonly problem: string | null;
}

/** What workflow and job say. */
export function frameOf(workflow: Workflow, around: readonly Fields[], context: CiContext): Frame {
  let frame: Frame = {
    context,
    variables: {},
    folder: null,
    shell: '',
    checkout: null,
    services: around.flatMap((fields) => Object.keys(fieldsOf(fields['services']))),
    problem: null,
  };
  for (const fields of around) {
    const run = fieldsOf(fieldsOf(fields['defaults'])['run']);
    frame = within(frame, workflow, {
      env: fields['env'],
      'working-directory': run['working-directory'],
      shell: run['shell'],
    });
  }
  return frame;
}

/** The frame with what a step, a job or a workflow says itself. */
export function within(frame: Frame, { evaluate }: Workflow, given: Fields): Frame {
  let { problem } = frame;
  const text = (value: unknown): string | null => {
    const decided = expandedText(String(value), evaluate, frame.context);
    if (decided.isKnown) return String(decided.value);
    problem ??= decided.why;
    return null;
  };
  const own = Object.entries(fieldsOf(given['env'])).flatMap(([name, value]) => {
    // A variable that only the CI service knows is not there, as a secret is not there for a fork.
    const decided = expandedText(plainText(value), evaluate, frame.context);
    return decided.isKnown ? [[name, String(decided.value)] as const] : [];
  });
  const variables = { ...frame.variables, ...Object.fromEntries(own) };
  const folder =
    given['working-directory'] === undefined
      ? frame.folder
      : (text(given['working-directory']) ?? frame.folder);
  const shell = given['shell'] === undefined ? frame.shell : (text(given['shell']) ?? frame.shell);
  const env = { ...fieldsOf(frame.context['env']), ...variables };
  const plain = ofCheckout(
    folder?.replace(/^(?:\/work(?:\/|$)|\.(?:\/|$))/u, '').replace(/\/+$/u, '') ?? '',
    frame.checkout,
  );
  const outside = plain !== null && (plain.startsWith('/') || plain.split('/').includes('..'));
  return {
    context: { ...frame.context, env },
    variables,
    folder: outside ? null : plain,
    shell,
    checkout: frame.checkout,
    services: frame.services,
    problem: problem ?? (outside ? `its folder "${plain}" lies outside of the checkout` : null),
  };
}

/** A folder of the workspace as one of the repository; null for the top. */
export function ofCheckout(folder: string, checkout: string | null): string | null {
  if (folder === '' || folder === checkout) return null;
  return checkout !== null && folder.startsWith(`${checkout}/`) ? folder.slice(checkout.length + 1) : folder;
}
