/** `config`: what holds and who says so, or the files that say it. `models`: what their endpoints can do. */
import { text as readAll } from 'node:stream/consumers';
import type { ConfigReport, ModelView } from '../../core/config/describe.ts';
import type { ExitCode, ModelCheck } from '../../core/ports/services.ts';
import type { CliParts } from '../cli-parts.ts';
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
      `${colors.dim('next')}  a7-rt models --check NAME`,
    ].join('\n'),
  );
}

export interface ModelsOptions extends JsonOption {
  /** True: the configured models. */
  readonly check?: string | boolean;
}

/** The aliases; or with `--check` what their endpoints can do. Exit code 1 when one can call no tool. */
export async function models(parts: CliParts, dir: string | null, options: ModelsOptions): Promise<ExitCode> {
  if (options.check === undefined || options.check === false)
    return config(parts, dir, { ...options, models: true, providers: true });
  const services = await parts.loadServices();
  const name = typeof options.check === 'string' ? options.check : null;
  const result = await services.checkModels(dir, name);
  const code = report(result, options, (checks) => checks.map(checkText).join('\n\n'));
  return result.ok && result.value.some(({ chosen }) => chosen === null) ? 1 : code;
}

const FORM_NAMES = {
  native: "the endpoint's own tool calls",
  json_schema: 'an answer held to a JSON schema',
  text: 'a call written as text',
};

function checkText({ alias, modelId, baseUrl, tries, chosen, wrote }: ModelCheck): string {
  const rows = tries.map(({ form, fault, elapsedMs }) => {
    const time = elapsedMs === null ? '' : `, ${(elapsedMs / 1000).toFixed(1)} s`;
    return fault === null
      ? `${colors.green('ok  ')} ${FORM_NAMES[form]}${time}`
      : `${colors.red('fail')} ${FORM_NAMES[form]}${time}: ${fault}`;
  });
  const step = tries.find((each) => each.nextStep !== null)?.nextStep;
  const end =
    chosen === null
      ? [`${colors.dim('next')}  ${step ?? 'Choose another model: this one does not call tools'}`]
      : [
          `Runs use ${FORM_NAMES[chosen]} (tool_calls = "${chosen}"${wrote === null ? ', as it was' : `, written into ${wrote}`})`,
        ];
  return [`${colors.bold(alias)}  "${modelId}" at ${baseUrl}`, ...rows, ...end].join('\n');
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
    each.entry.tool_calls ?? 'native',
    priceText(each),
    each.sources.join(', '),
  ]);
  return table(
    ['ALIAS', 'PROVIDER', 'MODEL', 'OUTPUT', 'CONTEXT', 'TOOL CALLS', 'DOLLARS A MILLION, IN/OUT', 'FROM'],
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
