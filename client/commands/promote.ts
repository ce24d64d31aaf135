/** `promote`: what passed is marked in its repository, an order's snapshot or a session's branch. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { PromoteReport, PromoteTo } from '../../core/ports/order-services.ts';
import type { ExitCode, PromotedReport } from '../../core/ports/services.ts';
import { counted } from '../../core/text/plural.ts';
import type { CliParts } from '../cli-parts.ts';
import { colors } from '../render/colors.ts';
import { type JsonOption, report } from './common.ts';
import { typed } from '../../core/text/typed.ts';

export interface PromoteOptions extends JsonOption {
  readonly branch?: string;
  readonly tag?: string;
  readonly bundle?: string;
  readonly patch?: string;
  readonly repo?: string;
}

/** Marks it. */
export async function promote(parts: CliParts, id: string, options: PromoteOptions): Promise<ExitCode> {
  const kinds = (['branch', 'tag', 'bundle', 'patch'] as const).filter((kind) => options[kind] !== undefined);
  const [kind] = kinds;
  if (kind === undefined || kinds.length > 1) {
    const message = 'Cannot promote: exactly one of --branch, --tag, --bundle and --patch says where to';
    return report(
      { ok: false, exitCode: 2, problems: [{ message }], nextStep: typed`a7-rt promote ${id} --branch NAME` },
      options,
      () => '',
    );
  }
  const to = { kind, name: options[kind] ?? '' } as PromoteTo;
  const services = await parts.loadServices();
  if (existsSync(join(id, '.a7', 'session.json')))
    return report(await services.promote(id, to, options.repo ?? null), options, sessionPromoted);
  return report(await services.orders.promote(id, to, options.repo ?? null), options, promoted);
}

function sessionPromoted({ kind, name, at, base, commit, commits, branch }: PromotedReport): string {
  const where = at === null ? '' : ` of ${at}`;
  const onto = branch === null ? base.slice(0, 12) : `${branch} at ${base.slice(0, 12)}`;
  const git = at === null ? 'git' : `git -C ${at}`;
  const next = {
    branch: `${git} log -p ${base.slice(0, 12)}..${name}; git merge ${name} takes it`,
    tag: `${git} log -p ${base.slice(0, 12)}..${name}`,
    bundle: `git fetch ${name} '+refs/heads/*:refs/heads/*'`,
    patch: `git apply ${name}`,
  }[kind];
  return [
    `Promoted ${counted(commits, 'commit')} to ${kind} ${name}${where}, on ${onto}`,
    `${colors.dim('commit')}  ${commit}`,
    `${colors.dim('next')}  ${next}`,
  ].join('\n');
}

function promoted({ kind, name, commit, tree }: PromoteReport): string {
  return `Promoted to ${kind} ${name}\n${colors.dim('commit')}  ${commit}\n${colors.dim('tree')}    ${tree}`;
}
