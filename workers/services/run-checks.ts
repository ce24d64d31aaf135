/** What must hold before a run starts anything: contracts seeded, ledger whole, content clean, a model for every role. */
import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { installedAgent } from '../../adapters/agents/programs.ts';
import { readApiKey } from '../../adapters/model/api-key.ts';
import { homeFolder } from '../../adapters/temporal/home.ts';
import type { Failed, RunFlags } from '../../core/ports/services.ts';
import { counted } from '../../core/text/plural.ts';
import type { StageState } from '../../core/stage/types.ts';
import type { ResolvedConfig } from '../../schemas/config.ts';
import { agentsFolder } from '../agent-parts.ts';
import { createSessions } from '../sessions.ts';
import { type Surroundings, failed, messageOf } from './common.ts';
import { diskPlaces, roomProblem } from './disk-space.ts';
import { damageFailed } from './open-session.ts';
import { runCommand } from './next-step.ts';
import { branchState } from './record/branch-state.ts';
import { settleBranch, unfinished } from './settle-branch.ts';
import { typed } from '../../core/text/typed.ts';

/** Nodes that a message lists at most. */
const NAMES_SHOWN = 10;

export interface RunToCheck {
  readonly dir: string;
  /** The session as the person named it. */
  readonly shown: string;
  readonly config: ResolvedConfig;
  readonly flags: RunFlags;
  readonly around: Surroundings;
  readonly say: (text: string) => void;
}

/** Null when the run may start. Contracts that were never seeded are seeded now: there is no work that it could void. */
export async function checkBeforeRun(check: RunToCheck): Promise<Failed | null> {
  const noAgent = checkAgents(check);
  if (noAgent !== null) return noAgent;
  if (await isUnseeded(check)) {
    const refused = (await checkModels(check.config, check.around)) ?? (await seedFirst(check));
    if (refused !== null) return refused;
  }
  return checkSeeded(check);
}

async function isUnseeded({ dir, around }: RunToCheck): Promise<boolean> {
  const sessions = createSessions(around.env);
  try {
    return (await (await sessions.open(dir)).doc()).contractsRef === null;
  } catch {
    return false;
  } finally {
    await sessions.close();
  }
}

async function seedFirst({ dir, shown, around, say }: RunToCheck): Promise<Failed | null> {
  const ask = { adopt: false, planOnly: false, consent: () => Promise.resolve(null) };
  const { seed } = await import('./seed.ts');
  const seeded = await seed(around, dir, ask);
  if (!seeded.ok)
    return { ...seeded, nextStep: `${seeded.nextStep ?? 'mend that'}; then ${typed`a7-rt seed ${shown}`}` };
  say(`Seeded ${counted(seeded.value.nodes.length, 'node')} of ${shown}/contracts.yaml`);
  for (const warning of seeded.value.warnings) say(`note ${warning}`);
  return null;
}

async function checkSeeded(check: RunToCheck): Promise<Failed | null> {
  const { dir, shown, config, flags, around } = check;
  const sessions = createSessions(around.env);
  try {
    const session = await sessions.open(dir);
    const { contractsRef, state } = await session.doc();
    if (contractsRef === null) return failed(2, 'Cannot run: nothing is seeded', typed`a7-rt seed ${shown}`);
    const unknown = unknownNames(state, flags);
    if (unknown !== null) return failed(2, unknown, typed`a7-rt status ${shown}`);
    const noRoom = await roomProblem(diskPlaces(dir, homeFolder(around.env)));
    if (noRoom !== null) return failed(4, noRoom, `Make space, then ${runCommand(shown, flags)}`);
    // Both under the lock: a stage that another process moves may be committing now.
    const { recovered, status } = await session.exclusive(async () => ({
      recovered: await session.content.recover(),
      status: await session.content.status(),
    }));
    const halfway = unfinished(recovered, shown);
    if (halfway !== null) return halfway;
    if (status.status === 'dirty') {
      const paths = status.paths.map((each) => `${each.path} (${each.state})`).join(', ');
      return failed(
        2,
        `Cannot run: content/ has changes that are not committed: ${paths}`,
        `${typed`git -C ${shown}/content stash -u`} keeps them aside; then ${runCommand(shown, flags)}`,
      );
    }
    if (status.status === 'wrong_branch') {
      return failed(
        2,
        `Cannot run: content/ is on "${status.found}", it must be on "${status.expected}"`,
        `${typed`git -C ${shown}/content switch ${status.expected}`}; then ${runCommand(shown, flags)}`,
      );
    }
    const unsettled = await settleBranch(session);
    if (unsettled !== null) return unsettled;
    const branch = await branchState(session, shown);
    if (branch !== null)
      return failed(
        2,
        `Cannot run: ${lowerFirst(branch.message)}`,
        `${branch.nextStep}; then ${runCommand(shown, flags)}`,
      );
    return await checkModels(config, around);
  } catch (error) {
    return damageFailed(error, 'run', shown) ?? failed(2, messageOf(error));
  } finally {
    await sessions.close();
  }
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function unknownNames(state: StageState, { stageId, nodes }: RunFlags): string | null {
  if (stageId !== null && !(stageId in state.stages))
    return `Cannot run stage "${stageId}": the session has ${state.stageOrder.join(', ')}`;
  const missing = nodes.filter((id) => !(id in state.nodes));
  if (missing.length === 0) return null;
  const known = Object.keys(state.nodes);
  const shown = known.slice(0, NAMES_SHOWN).join(', ') + (known.length > NAMES_SHOWN ? ', ...' : '');
  return `Cannot build ${missing.map((id) => `"${id}"`).join(', ')}: there is no such node; the session has ${shown}`;
}

/** An agent that takes a role and is not here, or would be shown what is hidden from its role. */
function checkAgents({ config, dir, around }: RunToCheck): Failed | null {
  for (const agent of Object.values(config.agents).filter((each) => each !== undefined)) {
    if (installedAgent(agentsFolder(), agent.name) === null)
      return failed(
        4,
        `Cannot run: agent "${agent.name}" is not installed here`,
        typed`a7-rt agents --install ${agent.name}`,
      );
    const { files } = agent;
    if (files !== null && [dir, homeFolder(around.env)].some((each) => isWithin(files, each)))
      return failed(
        2,
        `Cannot run: "agent_files" must hold nothing of the session and of A7_HOME, current value is "${files}"`,
        'Set A7_AGENT_FILES to a folder with the programs of the agent alone',
      );
  }
  return null;
}

/** True where one of the two folders lies in the other; links are followed. */
function isWithin(folder: string, dir: string): boolean {
  const [one, other] = [real(folder), real(dir)].map((path) => `${path}/`);
  return one === undefined || other === undefined || one.startsWith(other) || other.startsWith(one);
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

async function checkModels(config: ResolvedConfig, around: Surroundings): Promise<Failed | null> {
  const roles = [
    'builder',
    'test_author',
    ...(config.manager === 'llm' ? (['manager'] as const) : []),
    ...(config.models.reviewer === null ? [] : (['reviewer'] as const)),
  ] as const;
  for (const role of roles) {
    const model = config.models[role];
    const agent = role === 'builder' || role === 'test_author' ? config.agents[role] : undefined;
    // Any program may do without a model; the others speak to one.
    if (model === null && agent?.name === 'command') continue;
    if (model === null) {
      return failed(
        2,
        `Cannot run: no model is configured for role "${role}"`,
        'Give --model NAME, or set manager_model and subagent_model in .a7/config.toml',
      );
    }
    if ((await readApiKey(model.apiKey, around.env)) === null) {
      return failed(
        2,
        `Cannot run: there is no API key for model "${model.alias}" (role ${role})`,
        `Set ${model.apiKey.envName}, or write the key into .a7/key (mode 0600)`,
      );
    }
  }
  return null;
}
