/** What a step of a CI workflow hands on to the steps after it, as far as it stands in the script. */
import { expandedText } from './expressions.ts';
import { type Frame, within } from './frame.ts';
import type { Workflow } from './workflow.ts';
import { type Fields, fieldsOf, type Ingested, textOf } from './ingested.ts';
import { plainCommands } from './shell-commands.ts';

/** Why such a command needs no place in the plan. */
export const HANDED_ON = 'later steps of the job have the variable';

/**
 * The frame of the steps after this one: `echo "A=1" >> $GITHUB_ENV` sets a variable of each, where CI runs it, and a checkout
 * with `path: src` lays the repository below the workspace.
 */
export function withHandedOn(frame: Frame, workflow: Workflow, step: Fields, part: Ingested): Frame {
  const checkout = checkoutOf(step, part);
  if (checkout !== null) return { ...frame, checkout };
  const missed = missedCache(step);
  if (missed !== null) {
    const steps = { ...fieldsOf(frame.context['steps']), [missed]: { outputs: { 'cache-hit': '' } } };
    return { ...frame, context: { ...frame.context, steps } };
  }
  const run = textOf(step['run']);
  if (run === null || !part.account.some(({ why }) => why === HANDED_ON)) return frame;
  const script = expandedText(run, workflow.evaluate, within(frame, workflow, step).context);
  return within(frame, workflow, { env: script.isKnown ? handedOn(String(script.value)) : {} });
}

/** A cache that the clean room does not have hits nothing. */
function missedCache(step: Fields): string | null {
  return /^actions\/cache(?:\/restore)?@/u.test(textOf(step['uses']) ?? '') ? textOf(step['id']) : null;
}

function checkoutOf(step: Fields, part: Ingested): string | null {
  const path = textOf(fieldsOf(step['with'])['path'])?.replace(/^\.\/+|\/+$/gu, '') ?? '';
  const isCheckout = /^actions\/checkout@/u.test(textOf(step['uses']) ?? '');
  const isOwn = part.account.every(({ outcome }) => outcome === 'REPLACED');
  return isCheckout && isOwn && /^\w[\w./-]*$/u.test(path) ? path : null;
}

/** `echo "NAME=value" >> "$GITHUB_ENV"`, where the value is what stands there. */
const CONSTANT =
  /^echo\s+(?:"([A-Za-z_]\w*)=([^"$`\\]*)"|'([A-Za-z_]\w*)=([^']*)'|([A-Za-z_]\w*)=([^\s"'$`\\;&|<>]*))\s*>>\s*["']?\$\{?GITHUB_ENV\}?["']?$/u;
/** Where the user's own packages put their programs. */
export const OF_PROGRAMS =
  /^echo\s+["']?(?:\$\{?HOME\}?|~)\/\.(?:local|cargo|poetry)\/bin["']?\s*>>\s*["']?\$\{?GITHUB_PATH\}?["']?$/u;

/** Name and value; null for any other command. */
export function constantOf(command: string): readonly [name: string, value: string] | null {
  const found = CONSTANT.exec(command);
  if (found === null) return null;
  const [, a, inDouble, b, inSingle, c, bare] = found as readonly (string | undefined)[];
  return [a ?? b ?? c ?? '', inDouble ?? inSingle ?? bare ?? ''];
}

/** Variables that a script sets for the steps after it. */
function handedOn(script: string): Readonly<Record<string, string>> {
  const commands = plainCommands(script) ?? [];
  return Object.fromEntries(
    commands.flatMap(({ text }) => [constantOf(text)].filter((each) => each !== null)),
  );
}
