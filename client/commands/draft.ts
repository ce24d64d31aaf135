/** `contract draft`: shows what a model wrote from prose, and writes it when a person agrees. */
import type { Draft, ExitCode } from '../../core/ports/services.ts';
import { counted } from '../../core/text/plural.ts';
import type { CliParts } from '../cli.ts';
import { colors } from '../render/colors.ts';
import { type JsonOption, report } from './common.ts';
import { typed } from '../../core/text/typed.ts';

export interface DraftOptions extends JsonOption {
  readonly from: string;
  readonly model?: string;
  readonly yes?: boolean;
}

export async function contractDraft(parts: CliParts, dir: string, options: DraftOptions): Promise<ExitCode> {
  const services = await parts.loadServices();
  const consent = async (draft: Draft): Promise<boolean | null> => {
    if (options.yes === true) return true;
    const isTerminal = process.stdin.isTTY && process.stderr.isTTY && options.json !== true;
    return isTerminal ? (await import('../render/ask.ts')).askYes(draftText(draft), 'Write it?') : null;
  };
  const ask = { from: options.from, model: options.model ?? null, consent };
  const result = await services.draftContracts(dir, ask);
  return report(result, options, (value) =>
    [
      `Wrote ${dir}/contracts.yaml (${counted(value.nodes, 'node')}); what was there is ${dir}/${value.kept}`,
      ...value.findings.map((finding) => `${colors.yellow('note')} ${finding}`),
      `${colors.dim('next')}${typed`  read it, then a7-rt seed ${dir}`}`,
    ].join('\n'),
  );
}

function draftText({ text, nodes, findings, rounds }: Draft): string {
  return [
    text,
    `${counted(nodes, 'node')} after ${counted(rounds, 'answer')}`,
    ...findings.map((finding) => `${colors.yellow('note')} ${finding}`),
  ].join('\n');
}
