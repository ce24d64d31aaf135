/** Driver `command`: any program, told by files and environment (docs/orders.md). */
import type { RoomDriver } from '../../core/ports/agent-driver.ts';

const MIB = 1024 * 1024;

/** A shell command; it may read its prompt from standard input or from `$A7_PROMPT`. */
export const commandDriver: RoomDriver = {
  kind: 'room',
  name: 'command',
  protocol: null,
  memoryBytes: 1024 * MIB,
  line: ({ command, prompt }) => ({
    argv: ['sh', '-c', command ?? 'exit 64'],
    env: {},
    stdin: prompt,
    files: [],
  }),
  read: ({ exitCode, stderr }) => ({
    end:
      exitCode === 0
        ? { kind: 'ok', exitCode, detail: '' }
        : {
            kind: 'crashed',
            exitCode,
            detail: `exit code ${String(exitCode ?? 'none')}: ${stderr.trim().slice(-500)}`,
          },
    notes: null,
  }),
};
