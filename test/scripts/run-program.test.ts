/** Programs of set-up and scripts end at their limit, whoever holds their pipes by then. */
import { expect, test } from '@jest/globals';
import { runProgram } from '../../scripts/setup/run-program.mjs';

const LIMIT = { timeoutMs: 300 };
const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

test('a child that outlives the program and holds its pipes keeps nobody waiting', async () => {
  const result = await runProgram('sh', ['-c', 'sleep 30 & echo $!; sleep 30'], LIMIT);
  expect(result).toMatchObject({ ok: false, stderr: 'it took longer than 0.3 s' });
  process.kill(Number(result.stdout), 'SIGKILL');
}, 20_000);

test('of a whole group the child ends, too', async () => {
  const line = 'sleep 30 & echo $!; sleep 30';
  const { stdout } = await runProgram('sh', ['-c', line], { ...LIMIT, wholeGroup: true });
  const child = Number(stdout);
  while (isAlive(child)) await new Promise((done) => setTimeout(done, 10));
  expect(child).toBeGreaterThan(0);
}, 20_000);
