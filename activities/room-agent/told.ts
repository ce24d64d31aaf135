/** What an agent's program is told: its prompt, and the environment and files of its room. Of the host nothing. */
import { createHash } from 'node:crypto';
import { type DriverContext, type OpenDoor, ROOM } from '../../core/ports/agent-driver.ts';
import type { SandboxFile } from '../../core/ports/sandbox.ts';
import type { Session } from '../../core/ports/session.ts';
import type { AgentTurnInput } from '../../schemas/agent-turn.ts';
import { readTranscript } from '../shared/transcript.ts';

const URL = `http://127.0.0.1:${String(ROOM.doorPort)}`;

/** The opening, and what was said to it since its last turn: the gate's reasons, a person's answer. */
export async function promptOf(session: Session, { head }: AgentTurnInput): Promise<string> {
  const turns = await readTranscript(session.objects, head);
  const [opening, ...later] = turns;
  const last = later.at(-1)?.messages ?? [];
  const said = last.flatMap((message) => (message.role === 'assistant' ? [] : [message.content]));
  return [
    ...(opening?.messages ?? []).map((message) => message.content ?? ''),
    ...(said.length === 0
      ? []
      : [['# Your last attempt', ...said, 'The folder is as you left it. Repair it.'].join('\n\n')]),
  ].join('\n\n');
}

/** What its command line is made of. */
export function contextOf(
  { at, agent, turn, callsMax }: AgentTurnInput,
  prompt: string,
  door: OpenDoor | null,
): DriverContext {
  return {
    prompt,
    model: door?.model ?? '',
    url: URL,
    token: door?.token ?? '',
    command: agent.command,
    iteration: turn,
    sessionId: uuidOf(`${at.sessionId}/${at.dispatchId}/${String(turn)}`),
    turnsMax: callsMax,
  };
}

export function taskFiles(prompt: string): SandboxFile[] {
  return [{ path: 'prompt.md', bytes: new TextEncoder().encode(prompt) }];
}

export function envOf({ at, turn }: AgentTurnInput, door: OpenDoor | null): Record<string, string> {
  return {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    TMPDIR: '/tmp',
    LANG: 'C.UTF-8',
    LC_ALL: 'C.UTF-8',
    TZ: 'UTC',
    PYTHONDONTWRITEBYTECODE: '1',
    A7_PROMPT: `${ROOM.task}/prompt.md`,
    A7_SUBMIT: `${ROOM.out}/${ROOM.submitFile}`,
    A7_NOTES: ROOM.notes,
    A7_NODE: at.nodeId,
    A7_ROLE: at.role,
    A7_ITERATION: String(turn),
    ...(door === null ? {} : { A7_MODEL_URL: URL, A7_MODEL: door.model, A7_MODEL_TOKEN: door.token }),
  };
}

/** The same for every attempt of a turn. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
