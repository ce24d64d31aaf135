import { spawn } from 'node:child_process';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import Docker from 'dockerode';
import { createDockerSandbox } from '../../adapters/sandbox/docker/adapter.ts';
import { ownIdentity } from '../../adapters/sandbox/shared/process-identity.ts';
import { readToolchain } from '../../adapters/toolchain/index.ts';
import { LIMITS, openBackend, request, seccompProfile } from './sandbox-backends.ts';
import type { Backend } from './sandbox-backends.ts';

const WAIT_MAX_MS = 60_000;
const MINE = { all: true, filters: { label: [`a7-rt.owner=${ownIdentity()}`] } };

describe('docker sandbox, pool and engine', () => {
  let backend: Backend;
  let docker: Docker;
  const pools: Backend[] = [];
  const openPool = async (poolSize: number): Promise<Backend> => {
    const pool = await openBackend('docker', { poolSize });
    pools.push(pool);
    return pool;
  };
  beforeAll(async () => {
    backend = await openBackend('docker', { poolSize: 0 });
    docker = await engine();
  });
  afterEach(async () => {
    await Promise.all(pools.splice(0).map(async (pool) => await pool.close()));
  });
  afterAll(async () => {
    await backend.close();
    expect(await docker.listContainers(MINE)).toEqual([]);
  });

  test('warm() starts rooms that are lent once and replaced', async () => {
    const pooled = await openPool(2);
    const part = request(pooled.image, { argv: ['cat', '/etc/hostname'] });
    pooled.sandbox.warm(pooled.image, 2, part);
    const idle = await eventually(
      async () => await docker.listContainers(MINE),
      ({ length }) => length === 2,
    );
    await answering();
    const first = await pooled.sandbox.run(part);
    const second = await pooled.sandbox.run({ ...part, key: `${part.key}-2` });
    const ids = idle.map(({ Id }) => Id.slice(0, 12));
    expect([...ids].sort()).toEqual([first, second].map(({ stdout }) => stdout.text.trim()).sort());
    await eventually(
      async () => await docker.listContainers(MINE),
      (list) =>
        list.length === 2 &&
        list.every(({ Id, State }) => State === 'running' && !ids.includes(Id.slice(0, 12))),
    );
    await pooled.close();
    expect(await docker.listContainers(MINE)).toEqual([]);
  });

  test('run() goes on when a waiting room has died', async () => {
    const pooled = await openPool(1);
    const part = request(pooled.image, { argv: ['true'] });
    pooled.sandbox.warm(pooled.image, 1, part);
    const [idle] = await eventually(
      async () => await docker.listContainers(MINE),
      ({ length }) => length === 1,
    );
    await answering();
    await docker.getContainer(idle?.Id ?? '').kill();
    await answering();
    expect((await pooled.sandbox.run(part)).outcome).toEqual({ kind: 'exited', exitCode: 0 });
  });

  test('run() is lost when its container is killed from outside', async () => {
    const part = request(backend.image, { argv: ['sleep', '30'] });
    const running = backend.sandbox.run(part);
    const [room] = await eventually(
      async () => await docker.listContainers(MINE),
      (list) => list.some(({ Names }) => Names.some((name) => name.includes(part.key))),
    );
    await docker.getContainer(room?.Id ?? '').kill();
    expect((await running).outcome).toMatchObject({
      kind: 'lost',
      reason: expect.stringContaining('keeper'),
    });
  });

  test('run() is lost with its reason when no engine answers', async () => {
    const sandbox = createDockerSandbox({
      docker: { socketPath: '/no/such.sock' },
      seccomp: seccompProfile(),
    });
    const result = await sandbox.run(request('any', { argv: ['true'] }));
    expect(result.outcome).toMatchObject({ kind: 'lost', reason: expect.stringContaining('ENOENT') });
    await sandbox.close();
  });

  test('reap() removes rooms whose owner is gone and leaves those of living owners', async () => {
    const dead = ownIdentity().replace(/:\d+:\d+:/, ':999999999:1:');
    const create = async (owner: string): Promise<Docker.Container> => {
      const container = await docker.createContainer({
        Image: backend.image,
        Cmd: ['sleep', '60'],
        Labels: { 'a7-rt.owner': owner },
      });
      await container.start();
      return container;
    };
    const [orphan, owned] = await Promise.all([create(dead), create(ownIdentity())]);
    expect(await backend.sandbox.reap()).toBe(1);
    await expect(orphan.inspect()).rejects.toMatchObject({ statusCode: 404 });
    expect((await owned.inspect()).State.Running).toBe(true);
    await owned.remove({ force: true });
  });

  test('a room ends by itself when its owner is killed', async () => {
    const tools = await readToolchain();
    const program = `
      import { createDockerSandbox } from './adapters/sandbox/docker/adapter.ts';
      import { readFileSync } from 'node:fs';
      const { version, ...docker } = ${JSON.stringify(tools.docker)};
      const sandbox = createDockerSandbox({ docker, seccomp: JSON.parse(readFileSync('sandbox/seccomp.json', 'utf8')) });
      void sandbox.run(${JSON.stringify(request(backend.image, { key: 'dead-owner', argv: ['sleep', '60'], limits: LIMITS }))});
    `;
    const owner = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
      stdio: 'inherit',
    });
    const named = { all: true, filters: { name: ['a7-rt.dead-owner'] } };
    await eventually(
      async () => await docker.listContainers(named),
      ({ length }) => length === 1,
    );
    owner.kill('SIGKILL');
    await eventually(
      async () => await docker.listContainers(named),
      ({ length }) => length === 0,
    );
  });
});

/** The engine lists a container before its keeper answers; nothing outside tells when it does. */
async function answering(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 2_000));
}

async function engine(): Promise<Docker> {
  const { docker } = await readToolchain();
  if (docker === null)
    throw new Error('Cannot test the docker sandbox: no engine answers; run "npm run setup"');
  const { version: _, ...address } = docker;
  return new Docker(address);
}

async function eventually<T>(read: () => Promise<T>, done: (value: T) => boolean): Promise<T> {
  const deadline = Date.now() + WAIT_MAX_MS;
  for (;;) {
    const value = await read();
    if (done(value)) return value;
    if (Date.now() > deadline)
      throw new Error(`Waited a minute in vain, last value is ${JSON.stringify(value).slice(0, 500)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
