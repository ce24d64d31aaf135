/** Plain text pieces of the terminal: tables, problems, money, durations. Colour only where a person looks. */
import { colors } from './colors.ts';
import { formatMicroUsd } from '../../core/model/cost.ts';
import type { Failed, UsageSum } from '../../core/ports/services.ts';
import { counted } from '../../core/text/plural.ts';
import { plainText } from './plain.ts';
import { excerptOf } from './excerpt.ts';

/** A table with aligned columns and a header. Empty rows give `empty`. */
export function table(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  empty: string,
): string {
  if (rows.length === 0) return empty;
  const all = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell.padEnd(column === row.length - 1 ? 0 : (widths[column] ?? 0)))
      .join('  ')
      .trimEnd();
  return [colors.dim(line(header)), ...rows.map(line)].join('\n');
}

/** A failure as people read it: each problem with its place and suggestion, then the next step. */
export function failureText(failed: Failed): string {
  const lines = failed.problems.flatMap((problem) => [
    `${colors.red('error')} ${problem.place === undefined ? '' : `${problem.place} `}${problem.message}`,
    ...(problem.place === undefined ? [] : excerptOf(problem.place).map((line) => colors.dim(line))),
    ...(problem.suggestion === undefined ? [] : [`      ${problem.suggestion}`]),
  ]);
  return [
    ...lines,
    ...(failed.nextStep === undefined ? [] : [`${colors.dim('next')}  ${failed.nextStep}`]),
  ].join('\n');
}

/** Calls, tokens and cost in one line. */
export function usageText(usage: UsageSum): string {
  const unknown =
    usage.unknownAttempts === 0
      ? ''
      : `, ${counted(usage.unknownAttempts, 'attempt')} with unknown outcome (charged at their worst case)`;
  return `${counted(usage.calls, 'call')}, ${counted(usage.inputTokens, 'token')} in, ${String(usage.outputTokens)} out, cost ${costText(usage)}${unknown}`;
}

/** A model without a price has no cost that could be told: the cap counts its tokens. */
function costText({ costMicroUsd }: UsageSum): string {
  const cost = formatMicroUsd(costMicroUsd);
  return costMicroUsd === null ? `${cost} (no price in .a7/models.toml)` : cost;
}

/** `8 s`, `2 min 5 s`. */
export function durationText(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return seconds < 60
    ? `${String(seconds)} s`
    : `${String(Math.floor(seconds / 60))} min ${String(seconds % 60)} s`;
}

/** `512 MiB`, `4 KiB`, `100 bytes`. */
export function sizeText(bytes: number): string {
  if (bytes >= MIB) return `${String(Math.round(bytes / MIB))} MiB`;
  return bytes >= 1024 ? `${String(Math.round(bytes / 1024))} KiB` : `${String(bytes)} bytes`;
}

const MIB = 1024 * 1024;

/** One line of text that somebody else wrote: what would steer the terminal is shown as `?`. */
export function printable(text: string): string {
  return plainText(text.split('\n')[0] ?? '').replaceAll('\t', '?');
}

/** A status in its colour. */
export function statusText(status: string): string {
  switch (status) {
    case 'grounded':
    case 'sealed':
    case 'PASS':
      return colors.green(status);
    case 'poisoned':
    case 'halted':
    case 'FAIL':
      return colors.red(status);
    case 'suspended':
    case 'provisional':
    case 'INVALID':
      return colors.yellow(status);
    default:
      return status;
  }
}
