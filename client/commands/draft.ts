/** `contract draft`: shows what a model wrote from prose, and writes it when a person agrees. */
import type { Draft, ExitCode } from '../../core/ports/services.ts';
import { formatMicroUsd } from '../../core/model/cost.ts';
import { counted } from '../../core/text/plural.ts';
import type { CliParts } from '../cli-parts.ts';
import { colors } from '../render/colors.ts';
import { type JsonOption, report } from './common.ts';
import { typed } from '../../core/text/typed.ts';

export interface DraftOptions extends JsonOption {
  readonly from: string;
  readonly model?: string;
  readonly maxCost?: number;
  readonly maxTokens?: number;
  readonly yes?: boolean;
}

export async function contractDraft(parts: CliParts, dir: string, options: DraftOptions): Promise<ExitCode> {
  const services = await parts.loadServices();
  const consent = async (draft: Draft): Promise<boolean | null> => {
    if (options.yes === true) return true;
    const isTerminal = process.stdin.isTTY && process.stderr.isTTY && options.json !== true;
    return isTerminal ? (await import('../render/ask.ts')).askYes(draftText(draft), 'Write it?') : null;
  };
  const { from, model = null, maxCost = null, maxTokens = null } = options;
  const ask = { from, model, maxCostUsd: maxCost, maxTokens, consent };
  const result = await services.draftContracts(dir, ask);
  return report(result, options, (value) =>
    [
      `Wrote ${dir}/contracts.yaml (${counted(value.nodes, 'node')}); what was there is ${dir}/${value.kept}`,
      useText(value),
      ...value.findings.map((finding) => `${colors.yellow('note')} ${finding}`),
      `${colors.dim('next')}${typed`  read it, then a7-rt seed ${dir}`}`,
    ].join('\n'),
  );
}

function useText({ use: { calls, inputTokens, outputTokens, costMicroUsd } }: Draft): string {
  return `${counted(calls, 'call')}, ${counted(inputTokens, 'token')} in, ${String(outputTokens)} out, cost ${formatMicroUsd(costMicroUsd)}`;
}

function draftText(draft: Draft): string {
  const { text, nodes, findings, rounds } = draft;
  return [
    text,
    `${counted(nodes, 'node')} after ${counted(rounds, 'answer')}: ${useText(draft)}`,
    ...findings.map((finding) => `${colors.yellow('note')} ${finding}`),
  ].join('\n');
}
