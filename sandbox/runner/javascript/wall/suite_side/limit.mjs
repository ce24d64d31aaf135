/** Ends this process after a time from outside: it may wait in a read for ever, and a thread costs more than a shell. */
import { builtin } from '../../shared/builtin.mjs';

const { spawn } = builtin('node:child_process');
const { fileURLToPath } = builtin('node:url');

const TIME = fileURLToPath(new URL('../../shared/time_shell.sh', import.meta.url));
/** By the room's clock. Only its own parent is ended, not what has the number later. */
const END = `. "$2"; clock; ends=$((now + $0)); sleep "\${0%??}.\${0#\${0%??}}"
while clock; [ "$now" -lt "$ends" ]; do sleep 0.25; done
read -r _ _ _ parent _ </proc/$$/stat && [ "$parent" = "$1" ] && kill -TERM "$1"`;

/** @param limitMs milliseconds from now. */
export function endAfter(limitMs) {
  const hundredths = String(Math.max(100, Math.ceil(limitMs / 10)));
  spawn('sh', ['-c', END, hundredths, String(process.pid), TIME], { stdio: 'ignore' }).unref();
}
