/** Driver `pi`: the small one for any chat-completions endpoint. It exits 0 when the model failed; `agent_end` tells. */
import { ROOM, type RoomDriver } from '../../core/ports/agent-driver.ts';
import { fieldsOf, jsonLines, tailOf, textOf } from './read-lines.ts';

const MIB = 1024 * 1024;
const PROGRAM = `${ROOM.program}/node_modules/@mariozechner/pi-coding-agent/dist/cli.js`;

export const piDriver: RoomDriver = {
  kind: 'room',
  name: 'pi',
  protocol: 'chat',
  memoryBytes: 1024 * MIB,
  line: ({ prompt, model, url, token }) => ({
    argv: [
      `${ROOM.node}/node`,
      PROGRAM,
      '-p',
      '--mode',
      'json',
      '--no-session',
      '--provider',
      'a7',
      '--model',
      model,
      prompt,
    ],
    env: { PI_OFFLINE: '1', PI_TELEMETRY: '0' },
    stdin: '',
    files: [
      {
        path: '.pi/agent/models.json',
        text: JSON.stringify({
          providers: {
            a7: {
              baseUrl: `${url}/v1`,
              api: 'openai-completions',
              apiKey: token,
              models: [
                {
                  id: model,
                  name: model,
                  reasoning: false,
                  input: ['text'],
                  contextWindow: 128_000,
                  maxTokens: 8192,
                  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
                },
              ],
            },
          },
        }),
      },
    ],
  }),
  read: ({ exitCode, stdout, stderr }) => {
    const last = jsonLines(stdout).findLast((line) => line['type'] === 'agent_end');
    const messages = Array.isArray(last?.['messages']) ? (last['messages'] as unknown[]) : [];
    const message = fieldsOf(messages.at(-1));
    if (last === undefined)
      return { end: { kind: 'crashed', exitCode, detail: tailOf(stderr, stdout) }, notes: null };
    if (message['stopReason'] === 'error')
      return {
        end: { kind: 'model_error', exitCode, detail: textOf(message['errorMessage']).slice(0, 1000) },
        notes: null,
      };
    const parts = Array.isArray(message['content']) ? (message['content'] as unknown[]) : [];
    const notes = parts
      .map((part) => textOf(fieldsOf(part)['text']))
      .join('\n')
      .trim();
    return { end: { kind: 'ok', exitCode, detail: '' }, notes: notes || null };
  },
};
