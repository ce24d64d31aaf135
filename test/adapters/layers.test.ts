/** Image layers end to end: real pip and npm against registries on loopback, real rooms, packages that try to run code. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLayers } from '../../adapters/layers/layers.ts';
import { readToolchain } from '../../adapters/toolchain/index.ts';
import { layerFolderName, normalSpec, EMPTY_SPEC } from '../../core/layers/layer-spec.ts';
import type { LayerOutcome, LayersPort } from '../../core/ports/layers.ts';
import type { LayerSpec } from '../../schemas/layer.ts';
import { makeTarball, makeWheel, serveRegistries, type Registries } from '../support/registries.ts';
import { type Backend, LIMITS, openBackend } from './sandbox-backends.ts';

const folder = mkdtempSync(join(tmpdir(), 'a7-rt-test-layers-'));
const canary = join(folder, 'canary');
let registries: Registries;
let bubblewrap: Backend;

beforeAll(async () => {
  const touch = `open(${JSON.stringify(canary)}, "w").close()\n`;
  const source = {
    'setup.py': `${touch}from setuptools import setup\nsetup(name="sneaky", version="1.0")\n`,
    'PKG-INFO': 'Metadata-Version: 1.0\nName: sneaky\nVersion: 1.0\n',
  };
  const script = `node -e "require('fs').writeFileSync('${canary}', '')"`;
  const manifest = {
    name: 'shout',
    version: '1.0.0',
    main: 'index.js',
    hasInstallScript: true,
    scripts: { preinstall: script, install: script, postinstall: script, prepare: script },
  };
  const shout = {
    'package.json': JSON.stringify(manifest),
    'index.js': 'module.exports = (t) => t.toUpperCase() + "!";',
  };
  registries = await serveRegistries(
    [
      makeWheel('greet', '1.0', {
        'greet.py': 'def greet(name):\n    return f"hello {name}"\n',
        'greet_start.pth': `import os; ${touch}`,
        'greet-1.0.data/scripts/greet': '#!python\n',
      }),
      makeWheel('escape', '1.0', { '../../../escaped.py': '' }),
      makeWheel('fakerunner', '1.0', { '_pytest/__init__.py': '' }),
      ['sneaky-1.0.tar.gz', await makeTarball('sneaky-1.0', source)],
    ],
    { 'shout@1.0.0': { manifest, tarball: await makeTarball('package', shout) } },
    join(folder, 'home'),
  );
  bubblewrap = await openBackend('bubblewrap', { layersFolder: join(folder, 'layers') });
});

afterAll(async () => {
  await bubblewrap.close();
  await registries.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('layers on bubblewrap', () => {
  test('a wheel can be imported, and nothing of it runs by itself', async () => {
    const made = ready(await (await layers()).ensure({ spec: spec('greet==1.0') }));
    expect(made).toMatchObject({ isFresh: true, files: 5 });
    expect(made.lock.notes).toEqual([
      'greet: left out, "greet_start.pth" would run at every start of Python',
    ]);
    expect(await python(bubblewrap, made.image, 'import greet; print(greet.greet("room"))')).toBe(
      'hello room\n',
    );
    expect(existsSync(canary)).toBe(false);
    const stored = JSON.stringify(
      readdirSync(join(folder, 'layers'), { recursive: true, withFileTypes: true }),
    );
    expect(stored).not.toContain('wheels');
    expect(readFileSync(join(place(made.lock.hash), 'lock.json'), 'utf8')).not.toContain('127.0.0.1');
  });

  test('the cache answers without a registry; a damaged layer is noticed and made anew', async () => {
    const lost = { ...registries.env, PIP_INDEX_URL: 'http://127.0.0.1:9/simple' };
    const first = ready(await (await layers(lost)).ensure({ spec: spec('greet==1.0') }));
    expect(first.isFresh).toBe(false);
    const module = join(place(first.lock.hash), 'rootfs/usr/local/lib/python3.11/dist-packages/greet.py');
    writeFileSync(module, 'def greet(name):\n    return "damaged!"\n');
    const again = ready(await (await layers()).ensure({ lock: first.lock }));
    expect(again).toMatchObject({ isFresh: true, lock: { hash: first.lock.hash } });
    expect(readFileSync(module, 'utf8')).toContain('hello');
  });

  test('a lock refuses other bytes than were resolved', async () => {
    const { lock } = ready(await (await layers()).ensure({ spec: spec('greet==1.0') }));
    const [file, bytes] = makeWheel('greet', '1.0', { 'greet.py': 'changed = True\n' });
    const before = registries.python.get(file);
    registries.python.set(file, bytes);
    rmSync(place(lock.hash), { recursive: true });
    const outcome = await (await layers()).ensure({ lock });
    registries.python.set(file, before ?? bytes);
    expect(problem(outcome)).toMatchObject({ kind: 'changed', ecosystem: 'python' });
  });

  test('a Node package can be required, and its scripts never run', async () => {
    const port = await layers();
    const made = ready(await port.ensure({ spec: spec('shout@1.0.0') }));
    expect(made.lock.notes).toEqual(['shout: its install scripts never run, so parts may be missing']);
    const code = 'import shout from "shout"; console.log(shout("room"))';
    const end = await run(bubblewrap, made.image, ['node', '--input-type=module', '-e', code]);
    expect(end).toBe('ROOM!\n');
    expect(existsSync(canary)).toBe(false);
    const { layer, runtimes } = await port.facts(made.image);
    expect(layer).toEqual({ hash: made.lock.hash, packages: ['shout 1.0.0'] });
    expect(Object.keys(runtimes)).toEqual(expect.arrayContaining(['python', 'pytest', 'node', 'git']));
  });

  test.each([
    ['sneaky==1.0', 'unknown_package'],
    ['greet==9.9', 'unknown_version'],
    ['nobody-has-this==1.0', 'unknown_package'],
    ['escape==1.0', 'refused'],
    ['fakerunner==1.0', 'refused'],
    ['shout@9.9.9', 'unknown_version'],
    ['nobody-has-this@1.0.0', 'unknown_package'],
  ])('%s is told as %s, without the address of a registry', async (pin, kind) => {
    const found = problem(await (await layers()).ensure({ spec: spec(pin) }));
    expect(found).toMatchObject({ kind });
    expect(`${found.message} ${found.suggestion}`).toContain(pin.split(/[=@]/, 1)[0]);
    expect(`${found.message} ${found.suggestion}`).not.toMatch(/127\.0\.0\.1|http/);
    expect(existsSync(canary)).toBe(false);
  });

  test('without a registry there is one clear message', async () => {
    const lost = { ...registries.env, npm_config_registry: 'http://127.0.0.1:9/' };
    const found = problem(await (await layers(lost)).ensure({ spec: spec('other@1.0.0') }));
    expect(found.kind).toBe('offline');
    expect(found.message).toBe('Cannot resolve packages: "npm" reaches no registry');
  });
});

test('on docker the layer is an image made without network', async () => {
  const docker = await openBackend('docker');
  const tools = await readToolchain();
  if (tools.docker === null) throw new Error('Cannot test layers: no engine answers');
  const { version: _, ...address } = tools.docker;
  try {
    const port = await layers(registries.env, docker, address);
    const made = ready(await port.ensure({ spec: spec('greet==1.0') }));
    expect(await python(docker, made.image, 'import greet; print(greet.greet("engine"))')).toBe(
      'hello engine\n',
    );
  } finally {
    await docker.close();
  }
});

/** An adapter that has nothing in memory yet. */
async function layers(
  env: Registries['env'] = registries.env,
  backend: Backend = bubblewrap,
  docker: Parameters<typeof createLayers>[0]['docker'] = null,
): Promise<LayersPort> {
  const { image: base } = await readToolchain();
  return createLayers({ folder: join(folder, 'layers'), base, sandbox: backend.sandbox, docker, env });
}

function place(hash: string): string {
  return join(folder, 'layers', layerFolderName(hash));
}

function spec(pin: string): LayerSpec {
  return normalSpec({ ...EMPTY_SPEC, [pin.includes('==') ? 'python' : 'node']: [pin] });
}

function ready(outcome: LayerOutcome): LayerOutcome & { readonly ok: true } {
  if (!outcome.ok) throw new Error(outcome.problem.message);
  return outcome;
}

function problem(outcome: LayerOutcome): (LayerOutcome & { readonly ok: false })['problem'] {
  if (outcome.ok) throw new Error('the layer was made');
  return outcome.problem;
}

function python(backend: Backend, image: string, code: string): Promise<string> {
  return run(backend, image, ['python3', '-s', '-P', '-B', '-c', code]);
}

async function run({ sandbox }: Backend, image: string, argv: readonly string[]): Promise<string> {
  const key = `layer-test-${String(process.pid)}-${Math.random().toString(36).slice(2)}`;
  const mounts = [{ path: '/work', files: [] }];
  const { stdout, stderr, outcome } = await sandbox.run({
    key,
    owner: 'test',
    image,
    mounts,
    argv,
    limits: LIMITS,
  });
  expect([outcome, stderr.text]).toEqual([{ kind: 'exited', exitCode: 0 }, '']);
  return stdout.text;
}
