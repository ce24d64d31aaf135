import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { dockerCandidates, findDocker, pingDocker } from '../../adapters/toolchain/find-docker.mjs';

let home: string;
const servers: http.Server[] = [];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'a7-home-'));
});

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
  rmSync(home, { recursive: true });
});

describe('dockerCandidates()', () => {
  test('puts DOCKER_HOST first, then the docker context, then known sockets', () => {
    useContext('remote', 'unix:///run/other.sock');
    const env = { DOCKER_HOST: 'tcp://10.0.0.5:2375', XDG_RUNTIME_DIR: '/run/user/7' };
    expect(dockerCandidates({ env, home }).slice(0, 5)).toEqual([
      { source: 'DOCKER_HOST', host: '10.0.0.5', port: 2375 },
      { source: 'docker context "remote"', socketPath: '/run/other.sock' },
      { source: 'known socket', socketPath: '/var/run/docker.sock' },
      { source: 'known socket', socketPath: '/run/user/7/docker.sock' },
      { source: 'known socket', socketPath: join(home, '.docker/run/docker.sock') },
    ]);
  });

  test('lets DOCKER_CONTEXT choose another context than the configured one', () => {
    useContext('chosen', 'unix:///run/chosen.sock');
    writeJson('.docker/config.json', { currentContext: 'gone' });
    expect(dockerCandidates({ env: { DOCKER_CONTEXT: 'chosen' }, home })[0]).toEqual({
      source: 'docker context "chosen"',
      socketPath: '/run/chosen.sock',
    });
  });

  test('keeps an address it cannot use, with the reason', () => {
    const [first] = dockerCandidates({ env: { DOCKER_HOST: 'ssh://me@box' }, home });
    expect(first?.unusable).toBe('only unix:// and tcp:// addresses are supported');
  });

  test('ignores a damaged docker configuration', () => {
    mkdirSync(join(home, '.docker'));
    writeFileSync(join(home, '.docker/config.json'), '{');
    expect(dockerCandidates({ env: {}, home })[0]?.source).toBe('known socket');
  });
});

describe('findDocker()', () => {
  test('passes over an address that is dead and takes the next that answers', async () => {
    const socketPath = await engine('engine.sock', {
      Version: '1.2.3',
      Arch: 'amd64',
      Os: 'linux',
      ApiVersion: '1.41',
    });
    useContext('here', `unix://${socketPath}`);
    const result = await findDocker({ env: { DOCKER_HOST: `unix://${home}/gone.sock` }, home });
    expect(result.found).toMatchObject({ socketPath, version: '1.2.3', source: 'docker context "here"' });
    expect(result.tried).toEqual([{ source: 'DOCKER_HOST', at: `${home}/gone.sock`, reason: 'ENOENT' }]);
  });
});

describe('pingDocker()', () => {
  test('refuses a server that is no engine', async () => {
    const socketPath = await engine('other.sock', { hello: 1 });
    expect(await pingDocker({ socketPath })).toEqual({
      ok: false,
      reason: 'the answer is not an engine version',
    });
  });

  test('refuses an engine of another kind of container', async () => {
    const socketPath = await engine('win.sock', { Version: '1', Os: 'windows' });
    expect(await pingDocker({ socketPath })).toEqual({
      ok: false,
      reason: 'it runs windows containers, needed are linux',
    });
  });
});

function useContext(name: string, host: string) {
  const id = createHash('sha256').update(name).digest('hex');
  writeJson('.docker/config.json', { currentContext: name });
  writeJson(`.docker/contexts/meta/${id}/meta.json`, { Endpoints: { docker: { Host: host } } });
}

function writeJson(path: string, value: unknown) {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(value));
}

async function engine(name: string, answer: unknown): Promise<string> {
  const socketPath = join(home, name);
  const server = http.createServer((_request, response) => response.end(JSON.stringify(answer)));
  servers.push(server);
  await new Promise<void>((done) => server.listen(socketPath, done));
  return socketPath;
}
