/** Driver `claude-code`: exit code 0 is not success; the last `result` line says how it ended. */
import { ROOM, type RoomDriver } from '../../core/ports/agent-driver.ts';
import type { AgentEnd } from '../../schemas/order.ts';
import { jsonLines, tailOf, textOf } from './read-lines.ts';

const MIB = 1024 * 1024;
const PROGRAM = `${ROOM.program}/node_modules/@anthropic-ai/claude-code-linux-x64/claude`;

export const claudeCodeDriver: RoomDriver = {
  kind: 'room',
  name: 'claude-code',
  protocol: 'anthropic',
  memoryBytes: 1024 * MIB,
  line: ({ prompt, model, url, token, turnsMax, sessionId }) => ({
    argv: [
      PROGRAM,
      ...['-p', '--output-format', 'stream-json', '--verbose', '--model', model, '--session-id', sessionId],
      // The room is the boundary. Settings and servers that the repository brings would run unasked.
      ...['--dangerously-skip-permissions', '--setting-sources', 'user', '--strict-mcp-config'],
      ...['--max-turns', String(turnsMax), '--no-session-persistence'],
    ],
    env: {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: token,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      CLAUDE_CODE_MAX_RETRIES: '2',
      API_TIMEOUT_MS: '180000',
      IS_SANDBOX: '1',
      CLAUDE_CODE_TMPDIR: '/tmp',
    },
    stdin: prompt,
    files: [],
  }),
  read: ({ exitCode, stdout, stderr }) => {
    const result = jsonLines(stdout).findLast((line) => line['type'] === 'result');
    if (result === undefined)
      return { end: { kind: 'crashed', exitCode, detail: tailOf(stderr, stdout) }, notes: null };
    return { end: endOf(result, exitCode), notes: textOf(result['result']) || null };
  },
};

function endOf(result: Record<string, unknown>, exitCode: number | null): AgentEnd {
  const detail = (textOf(result['result']) || textOf(result['terminal_reason'])).slice(0, 1000);
  const reason = textOf(result['terminal_reason']);
  if (reason === 'max_turns' || reason === 'budget_exhausted')
    return { kind: 'limit', exitCode, detail: reason };
  if (result['is_error'] === true) return { kind: 'model_error', exitCode, detail };
  const denials = result['permission_denials'];
  if (Array.isArray(denials) && denials.length > 0)
    return { kind: 'refused', exitCode, detail: `${String(denials.length)} tool calls were refused` };
  return { kind: 'ok', exitCode, detail: '' };
}
