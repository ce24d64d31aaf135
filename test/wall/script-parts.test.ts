/** Parts of the JavaScript wall by themselves, as host processes: the wire, the watch beside the code, the modules that stand for it. */
import { mkdir, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

const WALL = resolve('sandbox/runner/javascript/wall');
/** What the watch writes for a call that did not end: a length, then `[4]`. */
const LATE = Buffer.from([0, 0, 0, 3, 0x5b, 0x34, 0x5d]);

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'a7-parts-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** What a program prints as JSON; `module` is a path in the wall's folder, all of whose exports it may use. */
async function evaluate(source: string, module: string): Promise<unknown> {
  const url = pathToFileURL(join(WALL, module)).href;
  const names = Object.keys((await import(url)) as object).join(', ');
  const imports = [`import { ${names} } from ${JSON.stringify(url)};`];
  const path = join(folder, 'program.mjs');
  await writeFile(path, `${imports.join('\n')}\n${source}`);
  const { stdout } = await execa('node', [path], { cwd: folder });
  return JSON.parse(stdout) as unknown;
}

describe('Wire', () => {
  /** Messages that were sent to a file at once, as they are received one after the other. */
  async function received(texts: string, readsAhead: boolean): Promise<unknown> {
    return await evaluate(
      `import { openSync } from 'node:fs';
       const path = ${JSON.stringify(join(folder, 'frames'))};
       const texts = ${texts};
       const out = new Wire(0, openSync(path, 'w'));
       for (const text of texts) out.send(text);
       const into = new Wire(openSync(path, 'r'), 1, { readsAhead: ${String(readsAhead)} });
       const same = texts.map((text) => into.receive() === text);
       let end;
       try { into.receive(); } catch (error) { end = error.constructor.name; }
       process.stdout.write(JSON.stringify({ same, end }));`,
      'crossing/wire.mjs',
    );
  }

  const SIZES = "['a', 'é€😀', 'x'.repeat(65531), 'y'.repeat(65536), 'z'.repeat(3000000), '', 'b']";

  test.each([[true], [false]])(
    'gives each message whole, of any length, reading ahead: %s',
    async (ahead) => {
      expect(await received(SIZES, ahead)).toEqual({ same: Array(7).fill(true), end: 'WireEnded' });
    },
  );

  test('takes no byte of what follows a message unless it may', async () => {
    const seen = await evaluate(
      `import { closeSync, openSync, readSync } from 'node:fs';
       const path = ${JSON.stringify(join(folder, 'frames'))};
       const out = new Wire(0, openSync(path, 'w'));
       out.send(['first']);
       out.send(['second']);
       const fd = openSync(path, 'r');
       const into = new Wire(fd, 1);
       const first = into.receive();
       const rest = Buffer.alloc(100);
       const size = readSync(fd, rest);
       process.stdout.write(JSON.stringify({ first, rest: rest.subarray(4, size).toString() }));`,
      'crossing/wire.mjs',
    );
    expect(seen).toEqual({ first: ['first'], rest: '["second"]' });
  });
});

describe('watch.sh', () => {
  /** A loop with its watch, over a stand-in for the builder's process; the shell ends when that one has. */
  async function watched(builder: string): Promise<{ readonly answer: Buffer; readonly code: string }> {
    const script = join(folder, 'builder.mjs');
    const beat = pathToFileURL(join(WALL, 'builder_side/beat.mjs')).href;
    await writeFile(
      script,
      `import { writeSync } from 'node:fs';\nimport { Beat } from '${beat}';\nconst beat = new Beat(5);\n${builder}`,
    );
    // The limit is for a watch that does not do its work: nothing else ends that loop.
    const loop = [
      `here=${WALL}/builder_side`,
      `exec 5<>${folder}/beat 4>${folder}/answer`,
      '(. "$here/watch.sh") &',
      `timeout 40 node ${script}; echo $?`,
    ].join('\n');
    await writeFile(join(folder, 'loop.sh'), loop);
    const { stdout } = await execa('sh', [join(folder, 'loop.sh')], { timeout: 50_000 });
    return { answer: await readFile(join(folder, 'answer')), code: stdout };
  }

  test('ends a process that never lets go of a call, and answers for it', async () => {
    expect(await watched('beat.begin(300); for (;;);')).toEqual({ answer: LATE, code: '137' });
  });

  test('lets a process be that waits between calls', async () => {
    const idle =
      'beat.begin(1000); beat.end(); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2500);';
    expect(await watched(idle)).toEqual({ answer: Buffer.alloc(0), code: '0' });
  });

  test('gives each call its own time, and the last one no more', async () => {
    const calls =
      'const nap = new Int32Array(new SharedArrayBuffer(4));\n' +
      'for (let n = 0; n < 20; n += 1) { beat.begin(3000); Atomics.wait(nap, 0, 0, 200); beat.end(); }\n' +
      "writeSync(1, 'through '); beat.begin(400); for (;;);";
    expect(await watched(calls)).toEqual({ answer: LATE, code: 'through 137' });
  });

  test('sees a limit that the next call does not tell again', async () => {
    expect(await watched('beat.begin(300); beat.end(); beat.begin(); for (;;);')).toEqual({
      answer: LATE,
      code: '137',
    });
  });
});

describe('Beat', () => {
  test('writes a number that grows by one with each call', async () => {
    const path = join(folder, 'beat');
    await (await open(path, 'w')).close();
    const lines = await evaluate(
      `import { openSync, readFileSync } from 'node:fs';
       const beat = new Beat(openSync(${JSON.stringify(path)}, 'r+'));
       const lines = [];
       const look = () => lines.push(readFileSync(${JSON.stringify(path)}, 'utf8').split(' ').slice(0, 3).join(' '));
       look();
       beat.begin(9000); look();
       beat.end(); look();
       for (let n = 0; n < 110; n += 1) beat.begin(25);
       look();
       process.stdout.write(JSON.stringify(lines));`,
      'builder_side/beat.mjs',
    );
    expect(lines).toEqual([
      '0 000000000 000000000',
      '1 000000001 000009000',
      '0 000000001 000009000',
      '1 000000111 000000025',
    ]);
  });
});

describe('layStandIns()', () => {
  async function laid(file: string, modules: readonly string[]): Promise<unknown> {
    const told = {
      workDir: folder,
      opener: 'file:///o.mjs',
      modules: modules.map((module) => ({ module, names: ['plus', 'not a name'] })),
    };
    return await evaluate(
      `process.stdout.write(JSON.stringify(layStandIns('${file}', ${JSON.stringify(told)})));`,
      'suite_side/stand_ins.mjs',
    );
  }

  test('lays a module that exports what the contract declares, also a second time', async () => {
    expect(await laid('a.test.mjs', ['shop/sum.mjs'])).toBe(true);
    expect(await laid('b.test.mjs', ['shop/sum.mjs'])).toBe(true);
    const text = await readFile(join(folder, 'shop/sum.mjs'), 'utf8');
    expect(text.split('\n').slice(1, 4)).toEqual([
      'const name0 = found["plus"];',
      'export { name0 as plus };',
      'export default found.default;',
    ]);
  });

  test.each([
    ['a TypeScript suite', 'a.test.ts', ['shop/sum.mjs']],
    ['a CommonJS module', 'a.test.mjs', ['shop/sum.cjs']],
    ['a module whose package does not say what it is', 'a.test.mjs', ['shop/sum.js']],
  ])('leaves %s to the hooks', async (_what, file, modules) => {
    expect(await laid(file, modules)).toBe(false);
  });

  test('goes by the nearest package', async () => {
    await mkdir(join(folder, 'shop/old'), { recursive: true });
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    await writeFile(join(folder, 'shop/old/package.json'), '{}');
    expect(await laid('a.test.js', ['shop/new/sum.js'])).toBe(true);
    expect(await laid('a.test.js', ['shop/old/sum.js'])).toBe(false);
  });

  test('does not stand before a file that is there', async () => {
    await writeFile(join(folder, 'sum.mjs'), 'export const own = 1;');
    expect(await laid('a.test.mjs', ['sum.mjs'])).toBe(false);
    expect(await readFile(join(folder, 'sum.mjs'), 'utf8')).toBe('export const own = 1;');
  });
});

describe('endAfter()', () => {
  async function ended(program: string): Promise<unknown> {
    const path = join(folder, 'program.mjs');
    const url = pathToFileURL(join(WALL, 'suite_side/limit.mjs')).href;
    await writeFile(
      path,
      `import { readSync } from 'node:fs';\nimport { endAfter } from '${url}';\n${program}`,
    );
    const { exitCode, signal } = await execa('node', [path], { stdin: 'pipe', reject: false });
    return { exitCode, signal };
  }

  test('ends a process that waits in a read', async () => {
    const seen = await ended('endAfter(200); readSync(0, Buffer.alloc(1));');
    expect(seen).toEqual({ exitCode: undefined, signal: 'SIGTERM' });
  });

  test('keeps no process that has nothing left to do', async () => {
    expect(await ended('endAfter(5_000);')).toEqual({ exitCode: 0, signal: undefined });
  });
});
