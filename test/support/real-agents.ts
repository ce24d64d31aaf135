/** Real command lines and what a scripted model says to each: the tool by which it runs a shell command. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ModelScriptInput } from '../../schemas/model-script.ts';
import type { AgentName } from '../../schemas/order.ts';

type Answer = NonNullable<ModelScriptInput['rules'][number]['answer']>;

export const REAL = ['native', 'acp', 'claude-code', 'codex', 'opencode', 'pi'] as const;
/** Drivers whose models call tools; `command` by a small loop of ours. */
export const CALLING = [...REAL, 'command'] as const;
export type RealAgent = (typeof CALLING)[number];

/** The call of a shell command, in the words of each program. */
export function shellCall(agent: RealAgent, command: string): Answer {
  const description = 'A step of the task';
  const call = {
    'claude-code': { name: 'Bash', arguments: { command, description } },
    codex: { name: 'exec_command', arguments: { cmd: command } },
    opencode: { name: 'bash', arguments: { command, description } },
    pi: { name: 'bash', arguments: { command } },
    native: { name: 'run_command', arguments: { command } },
    acp: { name: 'shell', arguments: { command } },
    command: { name: 'shell', arguments: { command } },
  }[agent];
  return { text: 'I do it.', tool_calls: [call] };
}

/** Rules of one conversation: each shell command in turn, then words. */
export function says(
  agent: RealAgent,
  commands: readonly string[],
  told?: string,
): ModelScriptInput['rules'][number] {
  const last: Answer =
    agent === 'native'
      ? { tool_calls: [{ name: 'finish', arguments: { notes: 'Done.' } }] }
      : { text: 'Done, everything works.' };
  return {
    ...(told === undefined ? {} : { told }),
    turns: [...commands.map((command) => shellCall(agent, command)), last],
  };
}

const REPAIR = readFileSync(join(import.meta.dirname, '../../examples/toy-order/agents/repair.py'), 'utf8');

/** The story of the toy repository: wrong first, repaired when told. */
export function toyStory(agent: RealAgent): ModelScriptInput['rules'] {
  const step = (iteration: number): string =>
    `A7_ITERATION=${String(iteration)} python3 - <<'END'\n${REPAIR}END`;
  return [says(agent, [step(2)], 'Iteration 1 did not pass'), says(agent, [step(1)])];
}

/** An agent of ours that speaks the Agent Client Protocol. */
export const ACP = {
  files: join(import.meta.dirname, '../agents/programs'),
  command: 'node /opt/agent/acp-agent.mjs',
} as const;

/** The loop of `CALLING`'s command. */
export const COMMAND = { files: ACP.files, command: 'node /opt/agent/command-agent.mjs' } as const;

/** How much longer than the others it may take: these two need seconds of a processor before their first request. */
export function patience(name: AgentName): number {
  return name === 'opencode' || name === 'aider' ? 8 : 1;
}

/** The registry's programs take minutes together: `A7_TEST_AGENTS=1` runs them, and fails where one is missing. */
export function isTested(name: AgentName): boolean {
  return ['native', 'acp', 'command'].includes(name) || process.env['A7_TEST_AGENTS'] === '1';
}
