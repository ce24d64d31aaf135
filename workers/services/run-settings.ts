/** Flags of `run` as settings that every worker of the session reads, and that are the defaults of the next run. */
import type { RunFlags } from '../../core/ports/services.ts';
import { type RunSettings, runSettings } from '../models.ts';

/** What this run is told, over what the last one was told; null: that cannot be read, and the run is refused. */
export function settingsFor(dir: string, flags: RunFlags): Promise<RunSettings | null> {
  return flags.fresh ? Promise.resolve(settingsOf(flags)) : runSettings(dir, settingsOf(flags));
}

function settingsOf(flags: RunFlags): RunSettings {
  const given = {
    model: flags.model,
    subagentModel: flags.subagentModel,
    baseUrl: flags.baseUrl,
    builderAgent: flags.builderAgent,
    authorAgent: flags.authorAgent,
    manager: flags.manager,
    maxCost: flags.maxCostUsd,
    maxTokens: flags.maxTokens,
    maxTurns: flags.maxTurns,
    drainTurn: flags.drainTurn,
    maxInFlight: flags.maxInFlight,
    strictTurns: flags.strictTurns ? true : null,
    requireWall: flags.requireWall ? true : null,
    sandbox: flags.backend,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
}
