/** `halt` and `input`: what a person says to a session; it is in the ledger before the command says so. */
import { colors } from '../render/colors.ts';
import type { ExitCode, InputReport } from '../../core/ports/services.ts';
import type { HumanInput } from '../../schemas/ledger.ts';
import type { CliParts } from '../cli.ts';
import { type JsonOption, report } from './common.ts';

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
  return report(result, options, recorded);
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
    process.stderr.write(`${colors.red('error')} ${read.message}\n`);
    return 2;
  }
  const message: Omit<HumanInput, 'id' | 'by'> = read.input;
  const services = await parts.loadServices();
  return report(await services.input(dir, message, options.id ?? null), options, recorded);
}

function recorded(value: InputReport): string {
  return value.state === 'recorded'
    ? `Recorded as ${value.id}`
    : `Sent as ${value.id}; no worker is running: it is recorded when one does`;
}
