/** `run`: builds, shows live progress on stderr, and ends with a summary on stdout. */
import type { ExitCode, RunFlags, RunNotice, RunReport } from '../../core/ports/services.ts';
import type { CliParts } from '../cli-parts.ts';
import { counted } from '../../core/text/plural.ts';
import { colors } from '../render/colors.ts';
import { createProgress } from '../render/progress.ts';
import { statusText, table, usageText } from '../render/text.ts';
import { asTyped } from '../render/as-typed.ts';
import { report, stopSignal } from './common.ts';
import type { TypedMoves } from './typed-moves.ts';
import { typed } from '../../core/text/typed.ts';

export interface RunOptions {
  readonly stageId?: string;
  readonly node?: readonly string[];
  readonly manager?: 'llm' | 'policy' | 'human';
  readonly model?: string;
  readonly subagentModel?: string;
  readonly baseUrl?: string;
  readonly builderAgent?: string;
  readonly authorAgent?: string;
  readonly maxCost?: number;
  readonly maxTokens?: number;
  readonly maxTurns?: number;
  readonly drainTurn?: number;
  readonly maxInFlight?: number;
  readonly strictTurns?: boolean;
  readonly requireWall?: boolean;
  readonly backend?: 'docker' | 'bubblewrap';
  readonly wait?: boolean;
  readonly interactive?: boolean;
  readonly fresh?: boolean;
  readonly adopt?: boolean;
  readonly json?: boolean;
}

/** Runs a session. The first Ctrl-C pauses, the second abandons what was sent. */
export async function run(parts: CliParts, dir: string, options: RunOptions): Promise<ExitCode> {
  const services = await parts.loadServices();
  const stop = stopSignal(abandon);
  const sink = {
    isTTY: process.stderr.isTTY && options.json !== true,
    columns: () => process.stderr.columns,
    write: (text: string) => process.stderr.write(asTyped(text)),
  };
  const progress = createProgress(sink, () => performance.now(), dir);
  const typed = options.interactive === true ? await typedMoves(parts, dir) : null;
  const watch = (notice: RunNotice): void => {
    progress.notice(notice);
    if (notice.kind === 'state') typed?.onState(notice.state);
  };
  const result = await services.run(dir, flagsOf(options), watch, stop.signal);
  typed?.close();
  progress.end();
  stop.dispose();
  return report(result, options, (value) => summary(value, dir));
}

async function typedMoves(parts: CliParts, dir: string): Promise<TypedMoves> {
  return (await import('./typed-moves.ts')).typedMoves(parts, dir);
}

function abandon(): void {
  process.stderr.write(
    '\nAbandoned: calls that were sent may be billed without an answer. Resume with the same command.\n',
  );
  process.exit(3);
}

function flagsOf(options: RunOptions): RunFlags {
  return {
    stageId: options.stageId ?? null,
    nodes: options.node ?? [],
    manager: options.manager ?? null,
    model: options.model ?? null,
    subagentModel: options.subagentModel ?? null,
    baseUrl: options.baseUrl ?? null,
    builderAgent: options.builderAgent ?? null,
    authorAgent: options.authorAgent ?? null,
    maxCostUsd: options.maxCost ?? null,
    maxTokens: options.maxTokens ?? null,
    maxTurns: options.maxTurns ?? null,
    drainTurn: options.drainTurn ?? null,
    maxInFlight: options.maxInFlight ?? null,
    strictTurns: options.strictTurns === true,
    requireWall: options.requireWall === true,
    backend: options.backend ?? null,
    noWait: options.wait === false,
    fresh: options.fresh === true,
    adopt: options.adopt === true,
  };
}

function summary(value: RunReport, dir: string): string {
  const rows = value.stages.map((stage) => [stage.id, statusText(stage.status), stage.message]);
  return [
    table(['STAGE', 'STATUS', ''], rows, 'Every stage is sealed.'),
    `${String(value.grounded)} of ${counted(value.nodes, 'node')} grounded; ${usageText(value.usage)}`,
    ...(value.page === null ? [] : [`Temporal UI: ${value.page}`]),
    `${colors.dim('next')}  ${typed`a7-rt narrative ${dir}; git -C ${dir}/content log`}`,
  ].join('\n');
}
