/** `requires` from contract to report: resolved at seed, imported by suite, builder, `run_test` and `verify`, refused with its line. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { cacheFolder } from '../../adapters/toolchain/index.ts';
import { GateReport } from '../../schemas/report.ts';
import { AUDIT_PROGRAM } from '../support/audit.ts';
import { makeWheel, serveRegistries, type Registries } from '../support/registries.ts';
import { removeHome, tempHome } from '../support/server.ts';
import { honestScript, makeSession, scriptedModel, SUM_CONTRACTS } from '../support/session.ts';

const PINNED = SUM_CONTRACTS.replace('language: python', 'language: python, requires: [plus-one==1.0]');
const folder = mkdtempSync(join(tmpdir(), 'a7-rt-test-packages-'));
let home = '';
let registries: Registries;

beforeAll(async () => {
  home = await tempHome();
  registries = await serveRegistries(
    [makeWheel('plus_one', '1.0', { 'plus_one.py': 'def plus(a, b):\n    return a + b\n' })],
    {},
    join(folder, 'home'),
  );
  mkdirSync(join(folder, 'cache'));
  copyFileSync(join(cacheFolder(), 'tools.json'), join(folder, 'cache/tools.json'));
});
afterAll(async () => {
  await registries.close();
  await removeHome(home);
  rmSync(folder, { recursive: true, force: true });
});

test('a required package is resolved at seed and judged with, and its absence is told with its line', async () => {
  const env = { ...settings(), A7_CACHE: join(folder, 'cache') };
  const session = await makeSession({ home, contracts: PINNED, seed: false });
  const script = JSON.stringify(honestScript())
    .replaceAll('    return a + b', '    return plus(a, b)')
    .replaceAll(
      'def add(a: int, b: int) -> int:\\n',
      'from plus_one import plus\\n\\n\\ndef add(a: int, b: int) -> int:\\n',
    )
    .replaceAll('from sum.add import add\\n', 'from plus_one import plus\\nfrom sum.add import add\\n');
  const model = await scriptedModel(JSON.parse(script) as ReturnType<typeof honestScript>);
  try {
    const lost = await session.at(['seed'], { ...env, PIP_INDEX_URL: 'http://127.0.0.1:9/simple' });
    expect([lost.code, lost.err]).toEqual([
      4,
      expect.stringContaining('Cannot resolve packages: "pip" reaches no registry'),
    ]);
    const seeded = await session.at(['seed'], env);
    expect([seeded.code, seeded.err]).toEqual([0, '']);
    expect(seeded.out).toMatch(/\nPackages: plus-one 1\.0 \(layer [0-9a-f]{12}, 1 KiB, resolved now\)/);
    expect(readFileSync(session.path('content/requirements.txt'), 'utf8')).toBe('plus-one==1.0\n');

    const run = ['run', '--model', 'scripted', '--manager', 'policy', '--backend', 'bubblewrap'];
    const built = await session.at(run, { ...env, ...model.env });
    expect([built.code, built.err]).toEqual([0, expect.stringContaining('Stage core is sealed')]);
    const reports = readdirSync(session.path('reports'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /^[0-9a-f]+\.json$/.test(entry.name))
      .filter((entry) => !entry.parentPath.endsWith('inputs'))
      .map((entry) => GateReport.parse(JSON.parse(readFileSync(join(entry.parentPath, entry.name), 'utf8'))));
    expect(reports.length).toBeGreaterThan(1);
    for (const { image, subject } of reports) {
      expect(image).toMatchObject({
        layer: { packages: ['plus-one 1.0'] },
        runtimes: { python: expect.stringMatching(/^3/) as unknown },
      });
      expect(subject.image).toMatch(/^a7-rt\/layered:[0-9a-f]{24}$/);
    }
    const audited = await execa(AUDIT_PROGRAM, [session.path('')], { reject: false });
    expect([audited.exitCode, audited.stderr]).toEqual([
      4,
      expect.stringContaining("the session's packages are not here (plus-one 1.0)"),
    ]);
    const verified = await session.at(['verify', 'HEAD', '--json'], env);
    expect(JSON.parse(verified.out)).toMatchObject({ same: true, verdict: 'PASS' });

    writeFileSync(session.path('contracts.yaml'), PINNED.replace('==1.0', '==9.9'));
    const refused = await session.at(['seed'], env);
    expect(refused.code).toBe(2);
    expect(refused.err).toMatch(
      /contracts\.yaml:2:\d+.*there is no wheel of "plus-one==9\.9" for Python 3\.\d+ on Linux/,
    );
  } finally {
    await model.close();
    await session.remove();
  }
});

function settings(): Record<string, string> {
  const all = Object.entries(registries.env).filter(([, value]) => value !== undefined);
  return Object.fromEntries(all) as Record<string, string>;
}
