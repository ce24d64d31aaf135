/** What an agent is told: by its command line, by files, by its environment (docs/orders.md). */
import type { DriverContext, OpenDoor, RoomDriver } from '../../core/ports/agent-driver.ts';
import { ROOM } from '../../core/ports/agent-driver.ts';
import type { SandboxFile } from '../../core/ports/sandbox.ts';
import { planLines } from '../../core/order/prompt.ts';
import { CHECK_NAME, checkScript } from '../../core/order/check-script.ts';
import { prettyJson } from '../../core/text/canonical.ts';
import type { GatePlan } from '../../schemas/gate-plan.ts';
import { programEnv } from '../gate/programs.ts';
import type { Build } from './build-turn.ts';

const TURNS_MAX = 100;

/** What its command line is made of. */
export function contextOf(build: Build, driver: RoomDriver, door: OpenDoor | null): DriverContext {
  const { order, step } = build;
  return {
    prompt: build.prompt,
    model: door?.model ?? order.agent.model ?? '',
    url: `http://127.0.0.1:${String(ROOM.doorPort)}`,
    token: door?.token ?? '',
    command: order.agent.command,
    iteration: step.iteration,
    sessionId: sessionIdOf(order.id, step.iteration, driver.name),
    turnsMax: Math.min(TURNS_MAX, order.limits.requestsMax),
  };
}

/** A uuid that is the same for every attempt. */
function sessionIdOf(orderId: string, iteration: number, name: string): string {
  let state = 2166136261;
  const hex = Array.from({ length: 32 }, (_, at) => {
    for (const char of `${orderId}/${String(iteration)}/${name}/${String(at)}`)
      state = Math.imul(state ^ char.charCodeAt(0), 16777619) >>> 0;
    return (state >>> 24).toString(16).slice(-1);
  }).join('');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** What any program is told by files and environment (docs/orders.md). */
export function taskFiles(build: Build, feedback: Uint8Array | null): SandboxFile[] {
  const { order, prompt, frozen, step } = build;
  const text = (path: string, content: string): SandboxFile => ({
    path,
    bytes: new TextEncoder().encode(content),
  });
  const facts = {
    id: order.id,
    task: order.task,
    iteration: step.iteration,
    limits: order.limits,
    policy: order.policy,
    gate: planLines(frozen.plan),
  };
  return [
    text('task.md', `${order.task}\n`),
    text('prompt.md', prompt),
    text('plan.md', `${planLines(frozen.plan).join('\n')}\n`),
    text('order.json', prettyJson(facts)),
    ...(feedback === null ? [] : [{ path: 'feedback.json', bytes: feedback }]),
  ];
}

/** Preflight: the plan's commands, as often as the agent likes. Advisory. */
export function checkProgram(plan: GatePlan): SandboxFile {
  const bytes = new TextEncoder().encode(checkScript(plan));
  return { path: CHECK_NAME, bytes, executable: true };
}

/** Its environment; of the host nothing. */
export function roomEnv({ frozen, step, order }: Build, door: OpenDoor | null): Record<string, string> {
  const { environment } = frozen.plan;
  const url = `http://127.0.0.1:${String(ROOM.doorPort)}`;
  return {
    ...programEnv(environment, environment.hashSeeds[0]),
    A7_TASK: `${ROOM.task}/task.md`,
    A7_PROMPT: `${ROOM.task}/prompt.md`,
    A7_PLAN: `${ROOM.task}/plan.md`,
    A7_FEEDBACK: `${ROOM.task}/feedback.json`,
    A7_NOTES: ROOM.notes,
    A7_ITERATION: String(step.iteration),
    ...(door === null ? {} : { A7_MODEL_URL: url, A7_MODEL: door.model, A7_MODEL_TOKEN: door.token }),
    ...(order.policy.networkHosts.length === 0
      ? {}
      : { HTTPS_PROXY: url, https_proxy: url, NO_PROXY: '127.0.0.1' }),
  };
}
