/** The machine for what belongs to no session: gates of repositories, work orders. */
import { join } from 'node:path';
import { readLayers } from '../../adapters/config/load.ts';
import { homeFolder } from '../../adapters/temporal/home.ts';
import type { Failed } from '../../core/ports/services.ts';
import type { SandboxChoice } from '../../schemas/config.ts';
import { type Machine, openMachine } from '../machine.ts';
import { type Surroundings, failed, messageOf, spaceStep } from './common.ts';

/** @param backend of the command line; null: what environment and home say (`A7_SANDBOX`, `sandbox` of config.toml), else Docker before bubblewrap. */
export async function openHomeMachine(
  around: Surroundings,
  backend: SandboxChoice | null,
): Promise<Machine | Failed> {
  const home = homeFolder(around.env);
  const choice = backend ?? (await choiceOf(around, home));
  if (typeof choice !== 'string') return choice;
  return openMachine(home, choice).catch((error: unknown) =>
    failed(4, messageOf(error), spaceStep(error) ?? 'a7-rt setup'),
  );
}

async function choiceOf({ env }: Surroundings, home: string): Promise<SandboxChoice | Failed> {
  const { layers, messages } = await readLayers({
    sessionDir: join(home, 'orders'),
    userDir: home,
    env,
    commandLine: {},
  });
  const [wrong] = messages;
  if (wrong !== undefined) return failed(2, wrong, 'Mend it, or give --backend');
  return layers.find(({ config }) => config.sandbox !== undefined)?.config.sandbox ?? 'auto';
}
