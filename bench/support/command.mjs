// `a7-rt` as a process of its own.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const CLI = fileURLToPath(new URL('../../bin/a7-rt.mjs', import.meta.url));

/** Starts a command in the lab's home. `ended` gives exit code and standard error; `said(pattern)` waits for a line. */
export function startCommand(lab, args) {
  const child = spawn(process.execPath, [CLI, ...args], {
    env: lab.around.env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let stderr = '';
  const waiting = new Set();
  child.stdout.resume();
  child.stderr.setEncoding('utf8').on('data', (piece) => {
    stderr += piece;
    for (const check of waiting) check();
  });
  const ended = new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, stderr }));
  });
  return {
    child,
    ended,
    said: (pattern) => {
      const heard = new Promise((resolve) => {
        const check = () => {
          if (!pattern.test(stderr)) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      });
      const early = ended.then(({ code }) => {
        throw new Error(`a7-rt ${args[0]} ended with ${code} before it said ${pattern}: ${stderr}`);
      });
      early.catch(() => undefined);
      return Promise.race([heard, early]);
    },
  };
}
