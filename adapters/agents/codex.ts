/** Driver `codex`: it has no limits of its own and exits 0 when commands failed; `turn.completed` or `turn.failed` tells. */
import { ROOM, type RoomDriver } from '../../core/ports/agent-driver.ts';
import { fieldsOf, jsonLines, tailOf, textOf } from './read-lines.ts';

const MIB = 1024 * 1024;
const PROGRAM = `${ROOM.program}/node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex`;

export const codexDriver: RoomDriver = {
  kind: 'room',
  name: 'codex',
  protocol: 'responses',
  memoryBytes: 1024 * MIB,
  line: ({ prompt, model, url, token }) => {
    const provider = `{name="a7",base_url="${url}/v1",env_key="A7_MODEL_TOKEN",wire_api="responses",request_max_retries=1,stream_max_retries=1,stream_idle_timeout_ms=180000}`;
    return {
      argv: [
        PROGRAM,
        ...['exec', '--json', '--skip-git-repo-check', '--color', 'never', '--ephemeral'],
        ...['--dangerously-bypass-approvals-and-sandbox', '--ignore-user-config', '--ignore-rules'],
        ...['-C', ROOM.work, '-m', model, '-c', 'model_provider=a7', '-c', `model_providers.a7=${provider}`],
        ...['-c', 'analytics.enabled=false', '-c', 'web_search="disabled"'],
        ...['--disable', 'plugins', '--disable', 'apps', '--disable', 'unbounded_connection_retries', '-'],
      ],
      env: { CODEX_HOME: `${ROOM.home}/.codex`, A7_MODEL_TOKEN: token },
      stdin: prompt,
      files: [{ path: '.codex/.keep', text: '' }],
    };
  },
  read: ({ exitCode, stdout, stderr }) => {
    const lines = jsonLines(stdout);
    const last = lines.findLast(
      (line) => line['type'] === 'turn.completed' || line['type'] === 'turn.failed',
    );
    const message = lines.findLast((line) => fieldsOf(line['item'])['type'] === 'agent_message');
    const notes = textOf(fieldsOf(message?.['item'])['text']) || null;
    if (last === undefined)
      return { end: { kind: 'crashed', exitCode, detail: tailOf(stderr, stdout) }, notes };
    if (last['type'] === 'turn.failed')
      return {
        end: {
          kind: 'model_error',
          exitCode,
          detail: textOf(fieldsOf(last['error'])['message']).slice(0, 1000),
        },
        notes,
      };
    return { end: { kind: 'ok', exitCode, detail: '' }, notes };
  },
};
