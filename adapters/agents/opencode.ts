/** Driver `opencode`: no line says that it is done; the last `step_finish` with reason `stop` and no `error` does. */
import { ROOM, type RoomDriver } from '../../core/ports/agent-driver.ts';
import { fieldsOf, jsonLines, tailOf, textOf } from './read-lines.ts';

const MIB = 1024 * 1024;
const PROGRAM = `${ROOM.program}/node_modules/opencode-linux-x64/bin/opencode`;

export const opencodeDriver: RoomDriver = {
  kind: 'room',
  name: 'opencode',
  protocol: 'chat',
  memoryBytes: 2048 * MIB,
  line: ({ prompt, model, url, token }) => {
    const config = {
      autoupdate: false,
      share: 'disabled',
      enabled_providers: ['a7'],
      model: `a7/${model}`,
      small_model: `a7/${model}`,
      permission: { edit: 'allow', bash: 'allow' },
      provider: {
        a7: {
          npm: '@ai-sdk/openai-compatible',
          name: 'a7',
          options: { baseURL: `${url}/v1`, apiKey: token, timeout: 180_000 },
          models: { [model]: { name: model, tool_call: true, limit: { context: 128_000, output: 8192 } } },
        },
      },
    };
    return {
      argv: [PROGRAM, 'run', '--pure', '--format', 'json', '--title', 'order', '--auto', '-m', `a7/${model}`],
      env: {
        npm_config_offline: 'true',
        OPENCODE_DISABLE_AUTOUPDATE: '1',
        OPENCODE_DISABLE_MODELS_FETCH: '1',
        OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
        OPENCODE_DISABLE_SHARE: '1',
        OPENCODE_DISABLE_PROJECT_CONFIG: '1',
        OPENCODE_DISABLE_FFF: '1',
        OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
      },
      stdin: prompt,
      files: [],
    };
  },
  read: ({ exitCode, stdout, stderr }) => {
    const lines = jsonLines(stdout);
    const error = lines.findLast((line) => line['type'] === 'error');
    const finish = lines.findLast((line) => line['type'] === 'step_finish');
    const said = lines.findLast((line) => line['type'] === 'text');
    const notes = textOf(fieldsOf(said?.['part'])['text']) || null;
    if (error !== undefined) {
      const data = fieldsOf(fieldsOf(error['error'])['data']);
      return {
        end: { kind: 'model_error', exitCode, detail: textOf(data['message']).slice(0, 1000) },
        notes,
      };
    }
    const isStopped = textOf(fieldsOf(finish?.['part'])['reason']) === 'stop';
    const detail = isStopped ? '' : tailOf(stderr, stdout);
    return { end: { kind: isStopped ? 'ok' : 'crashed', exitCode, detail }, notes };
  },
};
