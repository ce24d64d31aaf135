/** `lint-contracts`: what in the contracts will cost attempts. Exit code 1 when something is found. */
import type { ExitCode, LintReport } from '../../core/ports/services.ts';
import { counted } from '../../core/text/plural.ts';
import type { CliParts } from '../cli-parts.ts';
import { colors } from '../render/colors.ts';
import { excerptOf } from '../render/excerpt.ts';
import { type JsonOption, report } from './common.ts';

export async function lintContracts(parts: CliParts, path: string, options: JsonOption): Promise<ExitCode> {
  const services = await parts.loadServices();
  const result = await services.lintContracts(path);
  const code = report(result, options, lintText);
  return result.ok && result.value.findings.length > 0 ? 1 : code;
}

function lintText({ nodes, findings }: LintReport): string {
  if (findings.length === 0) return `Nothing found in ${counted(nodes, 'contract')}`;
  return findings
    .flatMap(({ code, place, message, suggestion }) => [
      `${colors.yellow(code)} ${place} ${message}`,
      ...excerptOf(place).map((line) => colors.dim(line)),
      `      ${suggestion}`,
    ])
    .join('\n');
}
