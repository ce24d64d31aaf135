/** Driver `acp`: any agent that speaks the Agent Client Protocol; our client runs in the room beside it, and answers what it asks. */
import { ROOM, type RoomDriver } from '../../core/ports/agent-driver.ts';
import { readEnd } from './read-end.ts';

const MIB = 1024 * 1024;
const CLIENT = '.a7-agent/acp.mjs';
const SDK = `${ROOM.sdk}/node_modules/@agentclientprotocol/sdk/dist/v1/stable/acp.js`;

/** @param client text of `sandbox/agent/acp.mjs`. */
export function acpDriver(client: string): RoomDriver {
  return {
    kind: 'room',
    name: 'acp',
    protocol: 'any',
    memoryBytes: 2048 * MIB,
    line: ({ prompt, command, url, token, model }) => ({
      argv: ['node', `${ROOM.home}/${CLIENT}`, SDK, command ?? 'exit 64'],
      env: {
        ANTHROPIC_BASE_URL: url,
        ANTHROPIC_API_KEY: token,
        ANTHROPIC_MODEL: model,
        OPENAI_BASE_URL: `${url}/v1`,
        OPENAI_API_KEY: token,
        OPENAI_MODEL: model,
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        DISABLE_AUTOUPDATER: '1',
        CLAUDE_CODE_MAX_RETRIES: '2',
        IS_SANDBOX: '1',
      },
      stdin: prompt,
      files: [{ path: CLIENT, text: client }],
    }),
    read: readEnd,
  };
}
