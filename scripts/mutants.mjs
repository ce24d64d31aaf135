// `npm run mutants`: plants each defect of mutant-table.mjs in a copy of core/ and runs the core tests there.
// A defect that no test notices survives: exit code 1. `-- TEXT` runs only defects whose line holds TEXT.
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { mutants } from './mutant-table.mjs';

/** Sequences of the property test a mutant; the examples do the rest. */
const SEQUENCES = '150';
const TIMEOUT_MS = 60_000;
const COPIED = ['core', 'schemas', 'package.json', 'jest.config.js', 'test/support'];
const TESTS = [
  'stage',
  'stage-rules',
  'stage-turns',
  'stage-endings',
  'stage-poison',
  'stage-properties',
  'graph',
  'ledger-fold',
  'contract',
].map((name) => `test/core/${name}.test.ts`);

/** One file for all tests: libraries are loaded once a mutant. */
const ALL = 'test/core/all-of-core.test.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const filter = process.argv[2] ?? '';
const chosen = mutants.filter((each) => `${each.file} ${each.breaks} ${each.find}`.includes(filter));
const copy = await realpath(await mkdtemp(join(tmpdir(), 'a7-mutants-')));
try {
  process.exitCode = await main();
} finally {
  await rm(copy, { recursive: true, force: true });
}

async function main() {
  for (const path of [...COPIED, ...TESTS]) await cp(join(root, path), join(copy, path), { recursive: true });
  const imports = TESTS.map((path) => `import './${path.slice('test/core/'.length)}';`);
  await writeFile(join(copy, ALL), `${imports.join('\n')}\n`);
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
  if (!(await testsPass())) {
    console.error('The tests fail without any defect: mend them first');
    return 1;
  }
  let survived = 0;
  for (const [index, mutant] of chosen.entries()) {
    const verdict = await tryMutant(mutant);
    if (verdict !== 'killed') survived += 1;
    console.log(
      `${String(index + 1).padStart(2)}/${chosen.length}  ${verdict.padEnd(9)} ${mutant.file.padEnd(30)} ${mutant.breaks}`,
    );
  }
  console.log(`${chosen.length - survived} of ${chosen.length} defects were noticed`);
  return survived === 0 ? 0 : 1;
}

/** @returns {Promise<'killed' | 'SURVIVED' | 'NO MATCH'>} */
async function tryMutant({ file, find, replace }) {
  const path = join(copy, file);
  const text = await readFile(path, 'utf8');
  if (text.split(find).length !== 2) return 'NO MATCH';
  await writeFile(
    path,
    text.replace(find, () => replace),
  );
  try {
    return (await testsPass()) ? 'SURVIVED' : 'killed';
  } finally {
    await writeFile(path, text);
  }
}

function testsPass() {
  const args = [
    '--experimental-vm-modules',
    '--no-warnings',
    '--max-old-space-size=1024',
    'node_modules/jest/bin/jest.js',
    '--runInBand',
    '--bail',
    '--silent',
    ALL,
  ];
  const env = { ...process.env, A7_TEST_SEQUENCES: SEQUENCES };
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: copy, env, timeout: TIMEOUT_MS, maxBuffer: 64 << 20 }, (error) =>
      resolve(error === null),
    );
  });
}
