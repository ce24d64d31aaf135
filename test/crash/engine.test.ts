/** The Docker engine or a container of it is lost during a gate: INVALID platform and retried, never FAIL (gate.md part 5). */
import { expect } from '@jest/globals';
import type Docker from 'dockerode';
import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { type Server, type Socket, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { OWNER_LABEL } from '../../adapters/sandbox/docker/room-shape.ts';
import { readToolchain } from '../../adapters/toolchain/index.ts';
import type { DockerAddress } from '../../core/ports/toolchain.ts';
import { openEngine } from '../support/crash/facts.ts';
import { crashScenes } from '../support/crash/scenes.ts';
import { type Running, type TestSession, succeed, until } from '../support/crash/yard.ts';

/** Shorter than the retries of one gate together. */
const ENGINE_GONE_MS = 3_000;

crashScenes(
  'a7-rt run --backend docker, during a gate',
  { parallel: 2 },
  {
    'with its container killed gates again': async (stage) => {
      const session = await stage.session({ backend: 'docker', from: 'halfway' });
      const running = session.run();
      const docker = await openEngine();
      await killRoom(docker, running);
      await succeed(running);
      await stage.expectWhole(session);
      expectRetried(session);
    },
    'with its engine gone for a while gates again': async (stage) => {
      const address = await engineAddress();
      const proxy = await startProxy(address, join(stage.yard.home, 'engine.sock'));
      const session = await stage.session({
        backend: 'docker',
        from: 'halfway',
        env: { DOCKER_HOST: `unix://${proxy.path}` },
      });
      const running = session.run();
      await roomOf(await openEngine(), running);
      await proxy.stop();
      await delay(ENGINE_GONE_MS);
      await proxy.start();
      await succeed(running);
      await proxy.stop();
      await stage.expectWhole(session);
      expectRetried(session);
    },
  },
);

/** The platform's fault is on record, and nobody was charged for it. */
function expectRetried(session: TestSession): void {
  const types = session.lines().map((line) => line.type);
  for (const charged of ['poisoned', 'suspended', 'validation_failed']) expect(types).not.toContain(charged);
  const reports = readdirSync(join(session.dir, 'runs'), { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('report.json'),
  );
  const verdicts = reports.map((name) => {
    const text = readFileSync(join(session.dir, 'runs', name), 'utf8');
    return JSON.parse(text) as { verdict: string; subject: { node: string } };
  });
  // The one that the script lets fail.
  const failed = verdicts.filter((each) => each.verdict === 'FAIL').map((each) => each.subject.node);
  expect(failed).toEqual(['text.shout']);
}

async function engineAddress(): Promise<DockerAddress> {
  const { docker } = await readToolchain();
  if (docker === null) throw new Error('Cannot reach a Docker engine: none answers. Run npm run setup');
  return docker;
}

/** A container in which a gate of this process runs. */
async function roomOf(docker: Docker, running: Running): Promise<string> {
  for (;;) {
    const all = await docker.listContainers({ filters: { label: [OWNER_LABEL] } });
    const found = all.find(
      (info) =>
        info.Labels[OWNER_LABEL]?.split(':')[1] === String(running.pid) &&
        info.Names.some((name) => name.includes('a7-gate-')),
    );
    if (found !== undefined) return found.Id;
    await until('a room of the gate', () => {
      if (running.child.exitCode !== null) throw new Error(`The run ended: ${running.output()}`);
      return true;
    });
    await delay(10);
  }
}

/** The engine's consent proves that the room was running; one that had just ended does not count. */
async function killRoom(docker: Docker, running: Running): Promise<void> {
  for (;;) {
    const container = docker.getContainer(await roomOf(docker, running));
    const isKilled = await container.kill().then(
      () => true,
      () => false,
    );
    if (isKilled) return;
  }
}

interface Proxy {
  readonly path: string;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** A socket in front of the engine: stopped, the engine is gone for whoever uses it. */
async function startProxy(address: DockerAddress, path: string): Promise<Proxy> {
  const open = new Set<Socket>();
  let server: Server | null = null;
  const start = async (): Promise<void> => {
    rmSync(path, { force: true });
    const fresh = createServer({ allowHalfOpen: true }, (client) => {
      const target =
        'socketPath' in address
          ? connect({ path: address.socketPath, allowHalfOpen: true })
          : connect({ host: address.host, port: address.port, allowHalfOpen: true });
      for (const socket of [client, target]) {
        open.add(socket);
        socket
          .on('error', () => undefined)
          .on('close', () => {
            open.delete(socket);
            client.destroy();
            target.destroy();
          });
      }
      client.pipe(target).pipe(client);
    });
    await new Promise<void>((resolve) => fresh.listen(path, resolve));
    server = fresh;
  };
  const stop = async (): Promise<void> => {
    const old = server;
    server = null;
    const closed = new Promise((resolve) => (old === null ? resolve(null) : old.close(resolve)));
    for (const socket of open) socket.destroy();
    await closed;
    rmSync(path, { force: true });
  };
  await start();
  return { path, start, stop };
}
