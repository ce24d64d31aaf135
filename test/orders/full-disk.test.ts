/** The disk of the home fills up while an order runs: it waits and goes on, people can still look, and nothing half made is left. */
import { expect, test } from '@jest/globals';
import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { execa } from 'execa';
import { openLog } from '../../workers/log-runtime.ts';
import { plainGit, tempFolder } from '../support/git-repo.ts';
import { waitingAgent } from '../support/order-holds.ts';
import { removeHome } from '../support/server.ts';
import { CLI, type CliResult, cli } from '../support/session.ts';

/** More than a step asks for. Mounting it needs root on Linux; elsewhere the test fails with that reason. */
const DISK_MB = 200;
const PLAN = 'version: 1\nfixtures:\n  - { name: ok, command: ["true"], expect: { exit_code: 0 } }\n';

test('a log that cannot be written loses lines, not its process', async () => {
  const folder = await tempFolder();
  symlinkSync('/dev/full', join(folder.path, 'worker.log'));
  const log = openLog(join(folder.path, 'worker.log'));
  for (let line = 0; line < 100; line += 1) log.warn({ line }, 'x'.repeat(100_000));
  await delay(10);
  await folder.remove();
});

function fill(path: string): void {
  for (let piece = 1024 * 1024; piece >= 4096; piece /= 4)
    try {
      for (;;) writeFileSync(path, Buffer.alloc(piece), { flag: 'a' });
    } catch {
      // This size fits no more: smaller pieces follow.
    }
}

test('an order whose disk is full waits, is shown meanwhile, and goes on when there is space', async () => {
  const folder = await tempFolder();
  const [repo, disk] = [join(folder.path, 'repo'), join(folder.path, 'disk')];
  const home = join(disk, 'home');
  const filler = join(disk, 'fill');
  mkdirSync(disk);
  plainGit(['init', '--quiet', repo]);
  writeFileSync(join(repo, 'README.md'), 'one\n');
  writeFileSync(join(repo, 'verify.yaml'), PLAN);
  plainGit(['add', '-A'], { cwd: repo });
  plainGit(['commit', '--quiet', '-m', 'one'], { cwd: repo });
  const held = waitingAgent(folder.path, 'full', 'echo edited >> README.md');
  const a7 = (...args: string[]): Promise<CliResult> =>
    cli([...args, '--json'], { cwd: folder.path, env: { A7_HOME: home } });
  const submit = (): Promise<CliResult> =>
    a7(
      'submit',
      '--repo',
      'repo',
      '--task',
      'x',
      '--agent-command',
      held.command,
      '--agent-files',
      held.files,
    );
  const status = async (id: string): Promise<string> =>
    (JSON.parse((await a7('order', 'show', id)).out) as { state: { status: string } }).state.status;
  await execa('mount', ['-t', 'tmpfs', '-o', `size=${String(DISK_MB)}m`, 'tmpfs', disk]);
  const worker = execa(process.execPath, [CLI, 'worker', '--backend', 'bubblewrap'], {
    env: { A7_HOME: home, NO_COLOR: '1' },
    reject: false,
  });
  let said = '';
  worker.stdout.on('data', (bytes: Buffer) => (said += bytes.toString()));
  worker.stderr.on('data', (bytes: Buffer) => (said += bytes.toString()));
  const until = async (holds: () => Promise<boolean> | boolean): Promise<void> => {
    while (!(await holds()) && worker.exitCode === null) await delay(100);
  };
  try {
    await until(() => said.includes('Serving orders'));
    const { id } = JSON.parse((await submit()).out) as { id: string };
    await until(async () => (await status(id)) === 'BUILDING');
    fill(filler);
    held.go();
    await until(() => said.includes('a step needs 64.0 MB: waiting'));
    const [listed, refused] = [await a7('orders'), await submit()];
    expect([listed.code, JSON.parse(listed.out)]).toEqual([0, [expect.objectContaining({ id })]]);
    expect([refused.code, refused.out]).toEqual([4, expect.stringContaining('no space is left')]);
    expect(readdirSync(join(home, 'orders')).filter((name) => /^\d/.test(name))).toEqual([id]);
    rmSync(filler);
    await until(async () => !['BUILDING', 'SNAPSHOTTING', 'VERIFYING'].includes(await status(id)));
    expect([await status(id), worker.exitCode]).toEqual(['SUCCEEDED', null]);
  } finally {
    worker.kill('SIGTERM');
    await worker;
    await removeHome(home);
    await execa('umount', ['-l', disk]);
    await folder.remove();
  }
}, 120_000);
