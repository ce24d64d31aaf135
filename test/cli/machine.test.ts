import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { execa } from 'execa';
import { removeHome, tempHome } from '../support/server.ts';
import { CLI, honestScript, makeSession, scriptedModel } from '../support/session.ts';

/** Both tests change mounts, so they need root on Linux; elsewhere they fail with that reason. */
const RUN = ['run', 'sums', '--model', 'scripted', '--manager', 'policy'];
const DISK_MB = 32;

let home = '';
beforeAll(async () => {
  home = await tempHome();
});
afterAll(() => removeHome(home));

function fill(path: string): void {
  for (let piece = 1024 * 1024; piece >= 4096; piece /= 4) {
    try {
      for (;;) writeFileSync(path, Buffer.alloc(piece), { flag: 'a' });
    } catch {
      // This size fits no more: smaller pieces follow.
    }
  }
}

describe('a full disk', () => {
  test('is said while it lasts, corrupts nothing, and the run goes on when there is space', async () => {
    const parent = mkdtempSync(join(tmpdir(), 'a7-disk-'));
    await execa('mount', ['-t', 'tmpfs', '-o', `size=${String(DISK_MB)}m`, 'tmpfs', parent]);
    const slow = honestScript();
    const rules = slow.rules.map((rule) => ({ ...rule, answer: { ...rule.answer, delay_ms: 4_000 } }));
    const model = await scriptedModel({ ...slow, rules });
    try {
      const session = await makeSession({ home, parent });
      const child = execa(process.execPath, [CLI, ...RUN], {
        cwd: parent,
        env: { ...model.env, A7_HOME: home, NO_COLOR: '1' },
        reject: false,
        timeout: 150_000,
      });
      let said = '';
      child.stderr.on('data', (bytes: Buffer) => (said += bytes.toString()));
      const until = async (text: string): Promise<void> => {
        while (!said.includes(text) && child.exitCode === null) await delay(50);
      };
      await until('sum.add: test author starts');
      fill(join(parent, 'fill'));
      await until('The disk of the session is full: make space and the run goes on by itself');
      await delay(6_000);
      rmSync(join(parent, 'fill'));
      const ended = await child;
      expect(said).toContain('There is space on the disk again: going on');
      expect([ended.exitCode, ended.stdout]).toEqual([0, expect.stringContaining('1 of 1 node grounded')]);
      const ledger = JSON.parse(
        (
          await execa(process.execPath, [CLI, 'ledger', 'verify', 'sums', '--json'], {
            cwd: parent,
            env: { A7_HOME: home },
          })
        ).stdout,
      ) as unknown;
      expect(ledger).toMatchObject({ chain: 'valid', fold: 'equal' });
      const answered = model.requests().filter((request) => request.outcome === 'answer');
      expect(answered).toHaveLength(2);

      fill(join(parent, 'fill'));
      const refused = await session.at(['run'], model.env);
      expect(refused).toMatchObject({ code: 4, out: '' });
      expect(refused.err).toMatch(/^error .*(disk|space)/);
      const served = await execa(process.execPath, [CLI, 'worker'], {
        env: { A7_HOME: join(parent, 'home'), NO_COLOR: '1' },
        reject: false,
        timeout: 100_000,
      });
      expect([served.exitCode, served.stderr]).toEqual([
        4,
        expect.stringMatching(/^error .*no space[^]*next {2}Make space/),
      ]);

      const full = join(parent, 'home');
      rmSync(join(parent, 'fill'));
      mkdirSync(full, { recursive: true });
      await execa('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', full]);
      const homeless = await session.at(['run'], { ...model.env, A7_HOME: full });
      await execa('umount', ['-l', full]);
      expect(homeless).toMatchObject({ code: 4, out: '' });
      expect(homeless.err).toMatch(/^error Cannot run: the disk of the home .*home has [01]\.\d MB free/);
    } finally {
      await model.close();
      await execa('umount', ['-l', parent]);
      rmSync(parent, { recursive: true });
    }
  }, 300_000);
});

describe('no Docker engine', () => {
  test('run --backend docker ends with exit code 4 and never takes another backend', async () => {
    const session = await makeSession({ home });
    try {
      const ledger = readFileSync(session.path('events.jsonl'), 'utf8');
      // Hides every known socket from the process, whatever engine this machine runs.
      const script = 'mount -t tmpfs none /run && exec "$@"';
      const command = [process.execPath, CLI, 'run', session.dir, ...RUN.slice(2), '--backend', 'docker'];
      const result = await execa('unshare', ['-m', 'sh', '-c', script, 'sh', ...command], {
        env: { A7_HOME: home, NO_COLOR: '1', OPENAI_API_KEY: 'none', DOCKER_HOST: 'unix:///nowhere.sock' },
        reject: false,
        timeout: 100_000,
      });
      expect([result.exitCode, result.stdout]).toEqual([4, '']);
      expect(result.stderr).toMatch(/^error Cannot .*[Dd]ocker/);
      expect(readFileSync(session.path('events.jsonl'), 'utf8')).toBe(ledger);
    } finally {
      await session.remove();
    }
  });
});
