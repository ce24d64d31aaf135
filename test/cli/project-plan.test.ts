/** The project's own `verify.yaml` in a session: its rules in every node's verdict, its commands at the last SEAL. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GatePlan } from '../../schemas/gate-plan.ts';
import { removeHome, tempHome } from '../support/server.ts';
import { honestScript, makeSession, scriptedModel } from '../support/session.ts';

let home = '';
beforeAll(async () => {
  home = await tempHome();
});
afterAll(() => removeHome(home));

function plan(stdout: string): string {
  return `version: 1
contract: { naming: [{ files: ['sum/**'], style: snake_case }] }
tests: [{ name: unit, runner: pytest }]
fixtures:
  - name: adds
    command: [python3, -c, 'from sum.add import add; print(add(20, 22))']
    expect: { stdout: ${JSON.stringify(`${stdout}\n`)} }
execution: [{ name: loads, command: [python3, -c, 'import sum.add'] }]
`;
}

test('a plan that fails at SEAL rests the stage with command and cause; the right one seals it', async () => {
  const session = await makeSession({ home, seed: false });
  const model = await scriptedModel(honestScript());
  const run = ['run', '--model', 'scripted', '--manager', 'policy', '--backend', 'bubblewrap'];
  try {
    writeFileSync(session.path('verify.yaml'), 'version: 1\nprofil: python\n');
    const wrong = await session.at(['seed'], {});
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('verify.yaml:2:1')]);
    writeFileSync(session.path('verify.yaml'), 'version: 1\n');
    const empty = await session.at(['seed'], {});
    expect([empty.code, empty.err]).toEqual([2, expect.stringContaining('The gate plan is empty')]);

    writeFileSync(session.path('verify.yaml'), plan('43'));
    expect(await session.at(['seed'], {})).toMatchObject({ code: 0, err: '' });
    const failed = await session.at(run, model.env);
    const cause = /L2 Fixture "adds": standard output differs \(expected "43\\n", actual "42\\n"\)/;
    expect([failed.code, failed.err]).toEqual([1, expect.stringMatching(cause)]);
    for (const command of [['why', 'sum.add'], ['narrative'], ['status']]) {
      const told = await session.at(command, {});
      expect([command[0], told.out]).toEqual([command[0], expect.stringMatching(cause)]);
    }
    const [first] = projectReports(session.path('runs'));
    expect(first).toMatchObject({
      verdict: 'FAIL',
      levels: [{}, { status: 'passed' }, { status: 'failed' }, {}],
    });
    expect(nodePlanKinds(session.path('runs'))).toContain('naming');

    writeFileSync(session.path('verify.yaml'), plan('42'));
    expect(await session.at(['seed'], {})).toMatchObject({ code: 0, err: '' });
    const sealed = await session.at(run, model.env);
    expect([sealed.code, sealed.err]).toEqual([0, expect.stringContaining('Stage core is sealed')]);
    expect(
      projectReports(session.path('runs'))
        .map((report) => report.verdict)
        .toSorted(),
    ).toEqual(['FAIL', 'PASS']);
    // Judged by the plan of its time, not by the present one.
    const verified = await session.at(['verify', 'HEAD', '--json'], {});
    expect(JSON.parse(verified.out)).toMatchObject({ same: true, verdict: 'PASS' });
  } finally {
    await model.close();
    await session.remove();
  }
}, 180_000);

interface Told {
  readonly verdict: string;
  readonly levels: readonly unknown[];
}

function files(runs: string, name: string): string[] {
  return readdirSync(runs, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name === name)
    .map((entry) => join(entry.parentPath, name))
    .toSorted();
}

function projectReports(runs: string): Told[] {
  return files(runs, 'report.json')
    .filter((path) => path.includes('/project-seal/'))
    .map((path) => JSON.parse(readFileSync(path, 'utf8')) as Told);
}

function nodePlanKinds(runs: string): string[] {
  return files(runs, 'plan.json')
    .filter((path) => !path.includes('/project-seal/'))
    .flatMap((path) => GatePlan.parse(JSON.parse(readFileSync(path, 'utf8'))).steps.map((step) => step.kind));
}
