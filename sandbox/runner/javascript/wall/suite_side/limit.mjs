/** Ends this process after a time from outside: it may wait in a read for ever, and a thread costs more than a shell. */
import { builtin } from '../../shared/builtin.mjs';

const { spawn } = builtin('node:child_process');

/** Only its own parent is ended, not what has the number later. */
const END = 'sleep "$0" && read -r _ _ _ parent _ </proc/$$/stat && [ "$parent" = "$1" ] && kill -TERM "$1"';

/** @param limitMs milliseconds from now. */
export function endAfter(limitMs) {
  spawn('sh', ['-c', END, String(limitMs / 1000), String(process.pid)], { stdio: 'ignore' }).unref();
}
