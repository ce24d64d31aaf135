/** `halt` and `input`: what a person says to a session; it is in the ledger before the command says so. */
import { colors } from '../render/colors.ts';
import type { ExitCode, InputReport, Result } from '../../core/ports/services.ts';
import type { HumanInput } from '../../schemas/ledger.ts';
import type { CliParts } from '../cli-parts.ts';
import { type JsonOption, report } from './common.ts';
import { typed } from '../../core/text/typed.ts';

export interface HaltOptions extends JsonOption {
  readonly reason: string;
}

export interface InputOptions extends JsonOption {
  readonly node?: string;
  readonly id?: string;
}

/** Halts a moving stage. */
export async function halt(parts: CliParts, dir: string, options: HaltOptions): Promise<ExitCode> {
  const services = await parts.loadServices();
  const result = await services.input(
    dir,
    { kind: 'halt', text: options.reason, nodeId: null, action: null },
    null,
  );
  return told(result, options, dir);
}

/** Text, a slash command, an answer to a node's question, or a manager's action (`DISPATCH node role=builder`). */
export async function input(
  parts: CliParts,
  dir: string,
  words: readonly string[],
  options: InputOptions,
): Promise<ExitCode> {
  const { readInput } = await import('../../core/stage/read-input.ts');
  const read = readInput(words.join(' '), options.node ?? null);
  if (!read.ok) {
    const nextStep = typed`a7-rt board ${dir} lists the legal moves`;
    return report(
      { ok: false, exitCode: 2, problems: [{ message: read.message }], nextStep },
      options,
      () => '',
    );
  }
  const message: Omit<HumanInput, 'id' | 'by'> = read.input;
  const services = await parts.loadServices();
  return told(await services.input(dir, message, options.id ?? null), options, dir);
}

/** A refused message is in the ledger, and nothing was done: exit code 1. */
export function told(result: Result<InputReport>, options: JsonOption, dir: string): ExitCode {
  const code = report(result, options, (value) => recorded(value, dir));
  return result.ok && result.value.answer?.outcome === 'rejected' ? 1 : code;
}

function recorded({ id, state, answer, atRest }: InputReport, dir: string): string {
  if (state === 'sent') return `Sent as ${id}; no worker is running: it is recorded when one does`;
  if (answer !== null) return `Recorded as ${id}. ${ANSWERS[answer.outcome]}: ${answer.message}`;
  return atRest
    ? `Recorded as ${id}. No stage moves: it is taken when one does. ${colors.dim('next')}  ${typed`a7-rt run ${dir}`}`
    : typed`Recorded as ${id}. Nobody has taken it yet; a7-rt narrative ${dir} will say what became of it`;
}

const ANSWERS = { applied: 'Done', read: 'Read', rejected: 'Refused' } as const;
