/** The bench still measures: it uses the product from inside, and nothing else would notice that it no longer can. */
import { expect, test } from '@jest/globals';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';

const repository = join(import.meta.dirname, '../..');
const groups = readdirSync(join(repository, 'bench')).filter(
  (name) => name.endsWith('.mjs') && name !== 'run.mjs',
);

/** One for each way into the product: sessions and their histories, long agents, the gate, tools, the door, orders. */
const MEASURED = ['turns', 'commit', 'gate', 'tools', 'forwarder', 'orders'];

test('each group of the bench loads, and is offered', async () => {
  const load = groups.map((name) => `typeof (await import('./bench/${name}')).measure`).join(', ');
  const program = `process.stdout.write(JSON.stringify([${load}])); process.exit();`;
  const [loaded, usage] = await Promise.all([
    execa('node', ['--input-type=module', '-e', program], { cwd: repository }),
    execa('node', ['bench/run.mjs', '--only', 'none'], { cwd: repository, reject: false }),
  ]);
  expect(JSON.parse(loaded.stdout)).toEqual(groups.map(() => 'function'));
  const offered = /must be one of (.*)/.exec(usage.stderr)?.[1]?.split(', ').sort();
  expect(offered).toEqual(groups.map((name) => name.replace('.mjs', '')).sort());
});

test('one small round of each way into the product gives figures', async () => {
  const only = MEASURED.flatMap((name) => ['--only', name]);
  const { stdout } = await execa('node', ['bench/run.mjs', '--once', '--json', ...only], { cwd: repository });
  const rows = JSON.parse(stdout) as { measure: string; value: number }[];
  expect(rows.filter(({ value }) => !Number.isFinite(value))).toEqual([]);
  for (const words of [
    'agent turn, p50',
    'agent history per turn, turn 10',
    'dispatch to commit of a node',
    'stage history of a run',
    'gate beside its commands, docker',
    'read among 2000 files',
    'calls a second through the door',
    'submit to BUILDING, 100 files',
  ])
    expect(rows.map(({ measure }) => measure)).toContainEqual(expect.stringContaining(words));
}, 300_000);
