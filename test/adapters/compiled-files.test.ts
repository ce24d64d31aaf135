/** Compiled programs: made in a room, kept, loaded by the image's interpreter in place of the sources. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { compiledFiles } from '../../adapters/runner-files/compiled-files.ts';
import type { SandboxFile } from '../../core/ports/sandbox.ts';
import { RUNNER_MOUNT } from '../../core/stubs/runner-command.ts';
import { openBackend, type Backend } from './sandbox-backends.ts';

const SOURCES: readonly SandboxFile[] = [
  { path: 'main.py', bytes: Buffer.from('import part\nprint(part.__cached__, part.WORD)\n') },
  { path: 'part.py', bytes: Buffer.from('WORD = "compiled"\n') },
];
const MIB = 1024 * 1024;

let backend: Backend;
let folder: string;

beforeAll(async () => {
  backend = await openBackend('bubblewrap');
  folder = mkdtempSync(join(tmpdir(), 'a7-rt-test-compiled-'));
});
afterAll(async () => {
  await backend.close();
  rmSync(folder, { recursive: true, force: true });
});

async function printed(files: readonly SandboxFile[]): Promise<string> {
  const { stdout, stderr } = await backend.sandbox.run({
    key: 'a7-test-compiled',
    owner: 'test',
    image: backend.image,
    mounts: [
      { path: '/work', files: [] },
      { path: RUNNER_MOUNT, files, writable: false },
    ],
    argv: [
      'python3',
      '-s',
      '-P',
      '-B',
      '-c',
      `import sys; sys.path.insert(0, '${RUNNER_MOUNT}'); import main`,
    ],
    limits: {
      wallMs: 20_000,
      memoryBytes: 256 * MIB,
      diskBytes: 16 * MIB,
      filesMax: 100,
      processesMax: 8,
      outputBytes: MIB,
      cpus: 1,
    },
  });
  return stdout.text + stderr.text;
}

test('compiledFiles() makes what the interpreter loads, once for the same sources', async () => {
  const options = { sandbox: backend.sandbox, image: backend.image, folder };
  const made = await compiledFiles(SOURCES, options);
  const cached = made.map((file) => file.path).find((path) => path.includes('part.'));
  // Other words beside the compiled form: what is printed is what was compiled.
  const changed = SOURCES.map((file) =>
    file.path === 'part.py' ? { ...file, bytes: Buffer.from('WORD = "source"\n') } : file,
  );
  expect(await printed([...changed, ...made])).toBe(`${RUNNER_MOUNT}/${cached ?? '?'} compiled\n`);
  const none = { run: () => Promise.reject(new Error('Compiled twice')) };
  expect(await compiledFiles(SOURCES, { ...options, sandbox: none })).toEqual(made);
});

test('compiledFiles() makes a form that is not whole anew, and none of what does not compile', async () => {
  const options = { sandbox: backend.sandbox, image: backend.image, folder };
  const made = await compiledFiles(SOURCES, options);
  const [kept] = readdirSync(folder);
  rmSync(join(folder, kept ?? '?', made[0]?.path.split('/')[1] ?? '?'));
  expect(await compiledFiles(SOURCES, options)).toHaveLength(2);
  writeFileSync(join(folder, 'other'), '');
  expect(await compiledFiles([{ path: 'bad.py', bytes: Buffer.from('(\n') }], options)).toEqual([]);
});
