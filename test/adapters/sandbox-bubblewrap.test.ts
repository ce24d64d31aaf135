import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { RoomRegistry } from '../../adapters/sandbox/bubblewrap/registry.ts';
import { ownIdentity, processIdentity } from '../../adapters/sandbox/shared/process-identity.ts';
import { LIMITS, openBackend, python, request } from './sandbox-backends.ts';

describe('bubblewrap sandbox', () => {
  let stateFolder: string;
  beforeEach(() => {
    stateFolder = mkdtempSync(join(tmpdir(), 'a7-rt-test-rooms-'));
  });
  afterEach(() => {
    rmSync(stateFolder, { recursive: true, force: true });
  });

  test('run() leaves no record, folder, control group or process behind', async () => {
    const { sandbox, image, close } = await openBackend('bubblewrap', { stateFolder });
    const part = request(image, { argv: ['sleep', '60'], limits: { ...LIMITS, wallMs: 300 } });
    const running = sandbox.run(part);
    await until(() => readdirSync(join(stateFolder, 'rooms')).length === 1);
    await running;
    await sandbox.close();
    expect(readdirSync(join(stateFolder, 'rooms'))).toEqual([]);
    expect(readdirSync(join(stateFolder, 'mount'))).toEqual([]);
    const groups = ['/sys/fs/cgroup/pids/a7-rt', '/sys/fs/cgroup/a7-rt'].filter((path) => existsSync(path));
    expect(groups.flatMap((path) => readdirSync(path)).filter((name) => name.includes(part.key))).toEqual([]);
    await close();
  });

  test('probe() says what is missing without control groups, and memory is then limited for each process', async () => {
    const { sandbox, image, close } = await openBackend('bubblewrap', { stateFolder, cgroupRoot: null });
    const proof = await sandbox.probe(image);
    expect(proof.level).toBe('partial');
    const missing = proof.acts.filter(({ held }) => !held).map(({ act }) => act);
    expect(missing).toEqual(['limit memory, processes and processor of the whole room']);
    const result = await sandbox.run(request(image, { argv: python('b = bytearray(400 << 20)') }));
    expect(result.stderr.text).toContain('MemoryError');
    const busy = python(
      'import time',
      'end = time.process_time() + 0.3',
      'while time.process_time() < end: pass',
    );
    expect((await sandbox.run(request(image, { argv: busy }))).cpuMs).toBeGreaterThan(290);
    await close();
  });

  test('run() is lost when bubblewrap is killed from outside or cannot start', async () => {
    const { sandbox, image, close } = await openBackend('bubblewrap', { stateFolder });
    const running = sandbox.run(request(image, { argv: ['sleep', '60'] }));
    await until(() => readdirSync(join(stateFolder, 'rooms')).length === 1);
    await until(() => childrenOf(process.pid).length > 0);
    for (const pid of childrenOf(process.pid)) process.kill(pid, 'SIGKILL');
    expect((await running).outcome.kind).toBe('lost');
    await close();
    const broken = await openBackend('bubblewrap', { program: '/no/such/bwrap' });
    const result = await broken.sandbox.run(request(broken.image, { argv: ['true'] }));
    expect(result.outcome).toMatchObject({ kind: 'lost', reason: expect.stringContaining('/no/such/bwrap') });
    await broken.close();
  });

  test('RoomRegistry.reap() ends rooms whose owner is gone and leaves those of living owners', async () => {
    const registry = new RoomRegistry(join(stateFolder, 'rooms'));
    const [orphan, owned] = [spawn('sleep', ['60']), spawn('sleep', ['60'])];
    const record = (owner: string, pid = 0) => ({
      name: 'n',
      owner,
      room: processIdentity(pid),
      cgroupFolders: [],
      folder: null,
    });
    registry.write('n-1', record(ownIdentity().replace(/:\d+:\d+:/, ':999999999:1:'), orphan.pid));
    registry.write('n-2', record(ownIdentity(), owned.pid));
    const ended = new Promise((resolve) => orphan.once('exit', (_, signal) => resolve(signal)));
    expect(await registry.reap()).toBe(1);
    expect(await ended).toBe('SIGKILL');
    expect(owned.exitCode).toBeNull();
    expect(readdirSync(join(stateFolder, 'rooms'))).toEqual(['n-2']);
    owned.kill('SIGKILL');
  });
});

async function until(done: () => boolean): Promise<void> {
  for (let tries = 0; !done(); tries += 1) {
    if (tries > 6_000) throw new Error('Waited a minute in vain');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

function childrenOf(pid: number): number[] {
  return execFileSync('ps', ['--ppid', String(pid), '-o', 'pid=,comm='], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => /bwrap/.test(line))
    .map((line) => Number.parseInt(line, 10));
}
