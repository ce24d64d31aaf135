/** `init` and `seed`. */
import { counted } from '../../core/text/plural.ts';
import { colors } from '../render/colors.ts';
import type { ExitCode, Failed, SeedPlanReport, SeededLayer } from '../../core/ports/services.ts';
import type { CliParts } from '../cli-parts.ts';
import { seedPlanText } from '../render/seed-plan.ts';
import { statusText, table } from '../render/text.ts';
import { type JsonOption, report } from './common.ts';
import { typed } from '../../core/text/typed.ts';

export interface InitOptions extends JsonOption {
  readonly name?: string;
  readonly from?: string;
  readonly base?: string;
  readonly leaveOut?: readonly string[];
  readonly try?: boolean;
}

export interface SeedOptions extends JsonOption {
  readonly adopt?: boolean;
  readonly plan?: boolean;
  readonly yes?: boolean;
}

/** Makes a session folder and prints the next three commands. */
export async function init(parts: CliParts, dir: string, options: InitOptions): Promise<ExitCode> {
  if (options.from !== undefined) return initFrom(parts, dir, options, options.from);
  const [stray] = [
    ...(options.base === undefined ? [] : ['--base']),
    ...(options.leaveOut === undefined ? [] : ['--leave-out']),
    ...(options.try === false ? ['--no-try'] : []),
  ];
  if (stray !== undefined) return report(needsFrom(dir, stray), options, () => '');
  const services = await parts.loadServices();
  const result = await services.init(dir, options.name ?? null);
  return report(result, options, ({ created }) =>
    [
      `Made session ${dir}: ${created.join(', ')}`,
      `${dir}/contracts.yaml builds as it is: change it now or later.`,
      '',
      'Next:',
      typed`  a7-rt seed ${dir}                 checks the contracts; no model is called`,
      typed`  a7-rt run ${dir} --model NAME     seeds too, where nothing is seeded yet`,
      typed`  a7-rt status ${dir}`,
    ].join('\n'),
  );
}

function needsFrom(dir: string, flag: string): Failed {
  const message = `Cannot init "${dir}": ${flag} is about a repository, and none is named`;
  return {
    ok: false,
    exitCode: 2,
    problems: [{ message }],
    nextStep: typed`a7-rt init ${dir} --from REPOSITORY`,
  };
}

async function initFrom(parts: CliParts, dir: string, options: InitOptions, repo: string): Promise<ExitCode> {
  const services = await parts.loadServices();
  const { name = null, base = null, leaveOut = [] } = options;
  const ask = { project: name, repo, base, leaveOut, isTried: options.try !== false };
  const result = await services.initFrom(dir, ask);
  return report(result, options, ({ source, plan, trial, notes }) => {
    const { at, commit, branch, files } = source;
    const where = branch === null ? '' : ` of ${branch}`;
    const judged =
      plan === null
        ? []
        : [`At SEAL its own tests judge, by ${plan === 'verify.yaml' ? `${dir}/` : ''}${plan}`];
    const seen =
      trial === null ? [] : [`Tried once: ${statusText(trial.verdict ?? 'not judged')}  ${trial.text}`];
    return [
      `Made session ${dir} of ${at}: ${counted(files, 'file')} at ${commit.slice(0, 12)}${where}`,
      ...judged,
      ...seen,
      ...notes.map((note) => `${colors.yellow('note')} ${note}`),
      '',
      'Next:',
      `  write a node into ${dir}/contracts.yaml, which shows one`,
      typed`  a7-rt seed ${dir}                 checks the contracts; no model is called`,
      typed`  a7-rt run ${dir} --model NAME`,
      typed`  a7-rt promote ${dir} --branch NAME   brings what was built back, as a branch of the repository`,
    ].join('\n');
  });
}

/** Reads the contracts and prints what each node resolved to. */
export async function seed(parts: CliParts, dir: string, options: SeedOptions): Promise<ExitCode> {
  const services = await parts.loadServices();
  const consent = async (plan: SeedPlanReport): Promise<boolean | null> => {
    if (options.yes === true) return true;
    const isTerminal = process.stdin.isTTY && process.stderr.isTTY && options.json !== true;
    return isTerminal ? (await import('../render/ask.ts')).askYes(seedPlanText(plan), 'Go on?') : null;
  };
  const ask = { adopt: options.adopt === true, planOnly: options.plan === true, consent };
  const result = await services.seed(dir, ask);
  return report(result, options, (value) => {
    const { changed, nodes, layer, warnings, plan } = value;
    if (options.plan === true && plan !== null) return seedPlanText(plan);
    const rows = nodes.map((node) => [
      node.id,
      node.stage,
      node.mode,
      node.files.join(' '),
      node.tests === 'none' ? 'none' : node.tests.join(' '),
      node.importLine,
    ]);
    const head = changed
      ? [`Seeded ${counted(nodes.length, 'node')}`, ...(plan === null ? [] : [seedPlanText(plan)])].join('\n')
      : options.plan === true
        ? `Would seed ${counted(nodes.length, 'node')}`
        : `Nothing to do: ${counted(nodes.length, 'node')} ${nodes.length === 1 ? 'is as it was' : 'are as they were'}`;
    const notes = warnings.map((warning) => `${colors.yellow('note')} ${warning}`);
    const list = table(['NODE', 'STAGE', 'MODE', 'FILES', 'TESTS', 'IMPORT'], rows, '');
    return [head, list, ...layerLines(layer), ...notes].join('\n');
  });
}

/** What `requires` was resolved into. */
function layerLines(layer: SeededLayer | null): string[] {
  if (layer === null) return [];
  const size = layer.bytes === null ? '' : `, ${String(Math.ceil(layer.bytes / 1024))} KiB`;
  const source = layer.isFresh ? 'resolved now' : 'as resolved before';
  const name = layer.hash.slice('sha256:'.length, 'sha256:'.length + 12);
  return [
    `Packages: ${layer.packages.join(', ')} (layer ${name}${size}, ${source})`,
    ...layer.notes.map((note) => `${colors.yellow('note')} ${note}`),
  ];
}
