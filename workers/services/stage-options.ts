/** The settings that a stage is opened with, and an open stage that was opened with others. */
import type { Client } from '@temporalio/client';
import { canonicalJson } from '../../core/text/canonical.ts';
import { typed } from '../../core/text/typed.ts';
import type { StageOptions } from '../../schemas/stage.ts';
import { runCommand } from './next-step.ts';
import type { RunContext } from './run-context.ts';

/** Those of this run. */
export function optionsOf({ config, flags }: RunContext): StageOptions {
  return {
    manager: config.manager,
    strictTurns: config.strictTurns,
    onlyNodes: flags.nodes.length === 0 ? null : [...flags.nodes],
    ...(config.models.reviewer !== null && { reviewer: true }),
    ...(Object.keys(config.agents).length > 0 && { agents: config.agents }),
    limits: config.limits,
  };
}

/**
 * A stage that is open with other settings. One that nobody else moves is halted, so that it is opened again with those of this
 * run; what was typed for it meanwhile is taken first. One that moves keeps its own, and that is said.
 */
export async function settleOptions(context: RunContext, client: Client, workflowId: string): Promise<void> {
  const { session, watch, isAlone, shown, flags } = context;
  const { run } = (await session.doc()).state;
  if (run === null || ['sealed', 'halted', 'rested'].includes(run.phase)) return;
  const own = optionsOf(context);
  const differing = differences(run.options, own);
  if (differing.length === 0) return;
  const said = `Stage ${run.stage} is open with other settings (${differing.join(', ')})`;
  if (!isAlone) {
    const way = `${typed`a7-rt halt ${shown}`}, then ${runCommand(shown, flags)}`;
    watch({ kind: 'said', text: `${said}; it moves, and keeps them. To have yours: ${way}` });
    return;
  }
  const handle = client.workflow.getHandle(workflowId);
  const { status } = await handle.describe();
  if (status.name !== 'RUNNING') return;
  watch({ kind: 'said', text: `${said}: halted, to go on with those of this run` });
  await handle.signal('input', { kind: 'halt', text: 'to go on with the settings of another run' });
  await handle.result();
}

/** `manager human instead of policy`: what is so, and what this run asks for. */
function differences(open: StageOptions, own: StageOptions): readonly string[] {
  const flat = ({ limits, ...rest }: StageOptions): Record<string, unknown> => ({ ...rest, ...limits });
  const [now, asked] = [flat(open), flat(own)];
  return [...new Set([...Object.keys(now), ...Object.keys(asked)])]
    .filter((name) => canonicalJson(now[name] ?? null) !== canonicalJson(asked[name] ?? null))
    .map((name) => `${name} ${shownValue(now[name])} instead of ${shownValue(asked[name])}`);
}

function shownValue(value: unknown): string {
  return value === undefined || value === null
    ? 'none'
    : typeof value === 'string'
      ? value
      : JSON.stringify(value);
}
