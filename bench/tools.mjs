// What the file tools take inside their activity, on a tree of 2,000 files, against the same on plain files.
import { spawnSync } from 'node:child_process';
import { mkdir, open, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createFileTools } from '../dist/adapters/git/file-tools.js';
import { createObjectStore } from '../dist/adapters/git/object-store.js';
import { figure, median } from './support/figures.mjs';

const FILES = 2000;
const LINES = 40;
const WRITE_SET = ['src/**'];

/** Medians of each tool. */
export async function measure(lab, { quick, once }) {
  const repeats = once ? 1 : quick ? 20 : 100;
  const store = await createObjectStore({ gitDir: join(lab.dir, 'tools.git') });
  const folder = join(lab.dir, 'tools');
  try {
    const files = treeFiles();
    const imported = await store.importFiles(files);
    await store.packBase(imported.tree);
    await layPlain(folder, files);
    const tools = toolRuns(createFileTools(store), imported.tree);
    const plain = plainRuns(folder);
    const rows = [];
    for (const [tool, maxMs, baseline] of [
      ['read', 3, 'readFile'],
      ['write', 8, 'write, fsync, rename'],
      ['grep', 25, 'grep -rnE process'],
    ]) {
      rows.push(
        figure({
          measure: `${tool} among ${FILES} files, median of ${repeats}`,
          value: await medianMs(repeats, tools[tool]),
          unit: 'ms',
          baseline: { name: baseline, value: await medianMs(repeats, plain[tool]) },
          aim: { of: 'value', max: maxMs },
        }),
      );
    }
    return rows;
  } finally {
    await store.close();
  }
}

function treeFiles() {
  return Array.from({ length: FILES }, (_, index) => ({ path: pathOf(index), bytes: textOf(index) }));
}

function pathOf(index) {
  return `src/m${index % 50}/f${index}.py`;
}

function textOf(index) {
  const lines = Array.from({ length: LINES }, (_, line) => `value_${index}_${line} = ${index * line}`);
  return Buffer.from(`${lines.join('\n')}\n`);
}

function toolRuns(tools, start) {
  let tree = start;
  const run = async (tool, input) => {
    const result = await tools.run(tree, { writeSet: WRITE_SET }, { tool, input });
    if (result.status !== 'success') throw new Error(`${tool}: ${result.text}`);
    tree = result.tree;
  };
  return {
    read: (index) => run('read_file', { path: pathOf((index * 37) % FILES) }),
    write: (index) => run('write_file', { path: pathOf((index * 37) % FILES), content: `x = ${index}\n` }),
    grep: (index) => run('grep_content', { pattern: `value_${index * 3}_1[0-9] ` }),
  };
}

function plainRuns(folder) {
  return {
    read: (index) => readFile(join(folder, pathOf((index * 37) % FILES)), 'utf8'),
    write: async (index) => {
      const path = join(folder, pathOf((index * 37) % FILES));
      const handle = await open(`${path}.new`, 'w');
      await handle.writeFile(`x = ${index}\n`);
      await handle.sync();
      await handle.close();
      await rename(`${path}.new`, path);
    },
    grep: async (index) => {
      spawnSync('grep', ['-rnE', `value_${index * 3}_1[0-9] `, folder]);
    },
  };
}

async function layPlain(folder, files) {
  for (const { path, bytes } of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), bytes);
  }
}

async function medianMs(repeats, work) {
  const times = [];
  for (let index = 0; index < repeats; index += 1) {
    const startMs = performance.now();
    await work(index);
    times.push(performance.now() - startMs);
  }
  return median(times);
}
