/** `config`: what holds and who says so; or the files that say it. */
import { text as readAll } from 'node:stream/consumers';
import type { ConfigReport, ModelView } from '../../core/config/describe.ts';
import type { ExitCode } from '../../core/ports/services.ts';
import type { CliParts } from '../cli.ts';
import { colors } from '../render/colors.ts';
import { table } from '../render/text.ts';
import { type JsonOption, report } from './common.ts';

export interface ConfigOptions extends JsonOption {
  readonly init?: boolean;
  readonly withKey?: string;
  readonly models?: boolean;
  readonly providers?: boolean;
  readonly validate?: boolean;
}

/** Exit code 2 where the configuration could not be used. */
export async function config(parts: CliParts, dir: string | null, options: ConfigOptions): Promise<ExitCode> {
  if (options.init === true || options.withKey !== undefined) return init(parts, dir, options);
  const services = await parts.loadServices();
  const result = await services.config(dir);
  const code = report(result, options, (value) => view(value, options));
  return result.ok && result.value.problems.length > 0 ? 2 : code;
}

async function init(parts: CliParts, dir: string | null, options: ConfigOptions): Promise<ExitCode> {
  const services = await parts.loadServices();
  // A word of the command line can be read by every process of the machine: "-" takes the key from standard input.
  const given = options.withKey === '-' ? await readAll(process.stdin) : (options.withKey ?? null);
  const result = await services.configInit(dir ?? '.', given === null ? null : given.trim());
  return report(result, options, ({ created, kept }) =>
    [
      ...(created.length === 0 ? [] : [`Wrote ${created.join(', ')}`]),
      ...(kept.length === 0 ? [] : [`Kept ${kept.join(', ')}: what is there is never overwritten`]),
      `${colors.dim('next')}  a7-rt config, a7-rt doctor`,
    ].join('\n'),
  );
}

function view(value: ConfigReport, options: ConfigOptions): string {
  const problems = value.problems.map((problem) => `${colors.red('error')} ${problem}`);
  if (options.validate === true)
    return [...problems, ...(problems.length === 0 ? ['Every setting can be used'] : [])].join('\n');
  const pages = [
    ...(options.models === true ? [modelsText(value)] : []),
    ...(options.providers === true ? [providersText(value)] : []),
  ];
  const all = pages.length > 0 ? pages : [settingsText(value), rolesText(value)];
  return [...all, ...problems].join('\n\n');
}

function settingsText({ settings }: ConfigReport): string {
  return table(
    ['SETTING', 'VALUE', 'FROM'],
    settings.map((each) => [each.name, each.value ?? '-', each.source]),
    '',
  );
}

function rolesText({ roles }: ConfigReport): string {
  const rows = roles.map(({ role, model }) => [
    role,
    model?.alias ?? 'no model',
    model?.modelId ?? '',
    model?.baseUrl ?? '',
  ]);
  return table(['ROLE', 'MODEL', 'AT ITS ENDPOINT', 'ENDPOINT'], rows, '');
}

function modelsText({ models }: ConfigReport): string {
  const rows = models.map((each) => [
    each.alias,
    each.provider,
    each.modelId,
    String(each.entry.max_tokens ?? '-'),
    String(each.entry.context_tokens ?? '-'),
    priceText(each),
    each.sources.join(', '),
  ]);
  return table(
    ['ALIAS', 'PROVIDER', 'MODEL', 'OUTPUT', 'CONTEXT', 'DOLLARS A MILLION, IN/OUT', 'FROM'],
    rows,
    'No aliases: the name that --model gets goes to the endpoint as it is. models.toml gives names, limits and prices',
  );
}

function priceText({ entry }: ModelView): string {
  const { input_price: input, output_price: output } = entry;
  return input === undefined || output === undefined ? 'unknown' : `${String(input)} / ${String(output)}`;
}

function providersText({ providers }: ConfigReport): string {
  const rows = providers.map((each) => [
    each.name,
    each.baseUrl ?? 'no base_url',
    each.keyVariable,
    each.keyFrom === null ? 'no key' : `key from ${each.keyFrom}`,
    each.sources.join(', '),
  ]);
  return table(['PROVIDER', 'ENDPOINT', 'KEY VARIABLE', 'KEY', 'FROM'], rows, '');
}
