/** `run` of the product for programs of tests: its services as they are, with what a test puts around them. */
import type { RunFlags, RunNotice } from '../../core/ports/services.ts';
import type { Surroundings } from '../../workers/services/common.ts';
import { createServices } from '../../workers/services/index.ts';

const FLAGS: Omit<RunFlags, 'backend'> = {
  stageId: null,
  nodes: [],
  manager: 'policy',
  model: 'scripted',
  subagentModel: null,
  baseUrl: null,
  builderAgent: null,
  authorAgent: null,
  maxCostUsd: null,
  maxTokens: null,
  maxTurns: null,
  drainTurn: null,
  maxInFlight: null,
  strictTurns: false,
  requireWall: false,
  fresh: false,
  adopt: false,
};

/** Builds a session with the scripted model and the policy, and leaves the exit code of `a7-rt run`. */
export async function runSession(
  dir: string,
  backend: RunFlags['backend'],
  around: Omit<Surroundings, 'env'>,
  watch: (notice: RunNotice) => void = () => undefined,
): Promise<void> {
  const services = createServices({ env: process.env, ...around });
  const result = await services.run(dir, { ...FLAGS, backend }, watch, new AbortController().signal);
  if (!result.ok) process.stderr.write(`${JSON.stringify(result)}\n`);
  process.exitCode = result.ok ? 0 : result.exitCode;
}
