/** Modules of Go and crates of Rust in layers: real go and cargo against registries in folders. */
import { afterAll, describe, expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { goPins } from '../../adapters/layers/choose-go.ts';
import { rustPins } from '../../adapters/layers/choose-rust.ts';
import { layGo } from '../../adapters/layers/go.ts';
import { LayerFailure } from '../../adapters/layers/problem.ts';
import type { ResolveContext } from '../../adapters/layers/resolved.ts';
import { layRust } from '../../adapters/layers/rust.ts';
import { makeTarball, makeZip } from '../support/registries.ts';

const folder = mkdtempSync(join(tmpdir(), 'a7-rt-test-locked-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A machine without the client cannot lay its packages, and says so. */
const has = (program: string, word: string): boolean => spawnSync(program, [word]).status === 0;
const forGo = has('go', 'version') ? test : test.skip;
const forRust = has('cargo', '--version') ? test : test.skip;

let attempts = 0;
function context(env: Readonly<Record<string, string | undefined>>): ResolveContext {
  attempts += 1;
  const work = join(folder, `work-${String(attempts)}`);
  mkdirSync(join(work, 'files'), { recursive: true });
  return { work, files: join(work, 'files'), env, signal: undefined, locked: null };
}

function put(path: string, bytes: string | Buffer): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bytes);
}

function kindOf(error: unknown): string | null {
  return error instanceof LayerFailure ? error.problem.kind : String(error);
}

describe('modules of Go', () => {
  const proxy = join(folder, 'proxy');
  const env = { ...process.env, GOPROXY: `file://${proxy}`, GOSUMDB: 'off', GOFLAGS: '-mod=vendor' };
  const MONEY = 'module example.org/money\n\ngo 1.16\n\nrequire example.org/coin v1.0.0\n';
  const publish = (name: string, version: string, mod: string): void => {
    const place = join(proxy, name, '@v');
    put(join(place, `${version}.info`), JSON.stringify({ Version: version }));
    put(join(place, `${version}.mod`), mod);
    const top = `${name}@${version}`;
    put(join(place, `${version}.zip`), makeZip({ [`${top}/go.mod`]: mod, [`${top}/a.go`]: 'package a\n' }));
  };
  publish('example.org/money', 'v1.2.0', MONEY);
  publish('example.org/coin', 'v1.0.0', 'module example.org/coin\n');
  publish('example.org/coin', 'v1.1.0', 'module example.org/coin\n');

  forGo('are chosen by go.mod, and laid as a proxy with each go.mod that a build looks at', async () => {
    const missing: string[] = [];
    const mod =
      'module example.org/shop\n\ngo 1.21\n\ntoolchain go1.999.9\n\nrequire (\n\texample.org/money v1.2.0\n\texample.org/coin v1.1.0 // indirect\n)\n';
    const pins = await goPins(join(folder, 'choose-go'), env, new Map([['go.mod', mod]]), missing);
    // Go 1.21 is newer than the image's, and no proxy here has its compiler.
    expect(missing).toEqual([expect.stringContaining('Go 1.21, which go.mod asks for')]);
    expect(pins).toEqual(['example.org/coin@v1.1.0', 'example.org/money@v1.2.0']);
    const given = context(env);
    const { packages } = await layGo(given, pins);
    expect(packages.map(({ file }) => file)).toEqual([
      'example.org/coin/@v/v1.1.0.zip',
      'example.org/money/@v/v1.2.0.zip',
      'example.org/coin/@v/v1.0.0.mod',
      'example.org/coin/@v/v1.1.0.mod',
      'example.org/money/@v/v1.2.0.mod',
    ]);
    const laid = join(given.files, 'usr/local/share/go-modules/example.org/money/@v');
    expect(readFileSync(join(laid, 'v1.2.0.mod'), 'utf8')).toBe(MONEY);
    expect(packages[4]?.integrity).toBe(`sha256-${createHash('sha256').update(MONEY).digest('hex')}`);
    const again = await layGo(context(env), pins);
    expect(again.packages).toEqual(packages);
  });

  forGo.each([
    ['example.org/money@v9.9.9', {}, 'unknown_version'],
    ['example.org/money@v1.2.0', { GOPROXY: 'http://127.0.0.1:9' }, 'offline'],
    ['example.org/money@v1.2.0', { GOPROXY: 'direct' }, 'refused'],
  ] as const)('%s with %j is told as %s', async (pin, settings, kind) => {
    const end = await layGo(context({ ...env, ...settings }), [pin]).catch(kindOf);
    expect(end).toBe(kind);
  });
});

describe('crates of Rust', () => {
  const registry = join(folder, 'registry');
  const home = join(folder, 'cargo');
  const env = { ...process.env, CARGO_HOME: home };
  const source = `[source.crates-io]\nreplace-with = "here"\n[source.here]\nlocal-registry = "${registry}"\n`;
  let digest = '';
  const publish = async (withdrawn = false): Promise<void> => {
    const manifest = '[package]\nname = "money"\nversion = "1.2.0"\nedition = "2018"\nbuild = "build.rs"\n';
    const files = { 'Cargo.toml': manifest, 'src/lib.rs': '', 'build.rs': 'fn main() { panic!() }' };
    const tarball = await makeTarball('money-1.2.0', files);
    digest = createHash('sha256').update(tarball).digest('hex');
    put(join(registry, 'money-1.2.0.crate'), tarball);
    const line = { name: 'money', vers: '1.2.0', deps: [], cksum: digest, features: {}, yanked: withdrawn };
    put(join(registry, 'index/mo/ne/money'), `${JSON.stringify(line)}\n`);
    put(join(home, 'config.toml'), source);
  };

  forRust('are chosen by Cargo.lock or by cargo, and laid with the checksums of their archives', async () => {
    await publish();
    const missing: string[] = [];
    const manifest = '[package]\nname = "shop"\nversion = "0.1.0"\n[dependencies]\nmoney = "1"\n';
    const files = new Map([
      ['Cargo.toml', manifest],
      ['src/lib.rs', ''],
    ]);
    expect(await rustPins(join(folder, 'choose-rust'), env, files, missing)).toEqual(['money@1.2.0']);
    const of = 'registry+https://example.org/index';
    const lock = `version = 4\n[[package]]\nname = "shop"\nversion = "0.1.0"\n[[package]]\nname = "coin"\nversion = "2.0.0"\nsource = "${of}"\n[[package]]\nname = "odd"\nversion = "1.0.0"\nsource = "git+https://example.org/odd#1"\n`;
    const locked = new Map([...files, ['Cargo.lock', lock]]);
    expect(await rustPins(join(folder, 'none'), env, locked, missing)).toEqual(['coin@2.0.0']);
    expect(missing).toEqual([expect.stringContaining('"odd": it is in no registry')]);
    await publish(true);
    const given = context(env);
    const { packages } = await layRust(given, ['money@1.2.0']);
    expect(packages).toEqual([
      {
        ecosystem: 'rust',
        name: 'money',
        version: '1.2.0',
        file: 'money-1.2.0',
        integrity: `sha256-${digest}`,
      },
    ]);
    const settings = readFileSync(join(given.files, '.cargo/config.toml'), 'utf8');
    const place = /directory = "\/(.*)"/u.exec(settings)?.[1] ?? '';
    expect(readFileSync(join(given.files, place, 'money-1.2.0/build.rs'), 'utf8')).toContain('panic');
  });

  forRust.each([
    ['money@9.9.9', 'unknown_version'],
    ['nobody-has-this@1.0.0', 'unknown_package'],
  ])('%s is told as %s', async (pin, kind) => {
    await publish();
    expect(await layRust(context(env), [pin]).catch(kindOf)).toBe(kind);
  });
});
