/** A reviewer beside the judge, in a whole run: it reads the code, never the suite, and `require_review` holds the commit. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readFile, writeFile } from 'node:fs/promises';
import { startModelServer } from '../../adapters/model-server/server.ts';
import { join } from 'node:path';
import type { ServedRequest } from '../../schemas/model-record.ts';
import { ModelScript, type ModelScriptInput } from '../../schemas/model-script.ts';
import { removeHome, tempHome } from '../support/server.ts';
import { cli, honestScript, makeSession, SUM_CONTRACTS } from '../support/session.ts';

let home = '';
beforeAll(async () => {
  home = await tempHome();
});
afterAll(() => removeHome(home));

const finding = { kind: 'hard_coded', file: 'sum/add.py', line: 2, text: 'adds by the operator' };

/** Honest agents, a reviewer who names a line, and a manager who answers COMMIT whenever it is asked. */
function reviewedScript(): ModelScriptInput {
  const commit = { action_type: 'COMMIT', parameters: { node_id: 'sum.add', status: 'grounded' } };
  return {
    version: 1,
    rules: [
      ...honestScript().rules,
      { role: 'reviewer', repeat: true, answer: { text: JSON.stringify({ findings: [finding] }) } },
      {
        role: 'manager',
        repeat: true,
        answer: { tool_calls: [{ name: 'submit_action', arguments: commit }] },
      },
    ],
  };
}

/** Bodies of a role's requests, in order. */
async function prompts(dir: string, served: readonly ServedRequest[], role: string): Promise<string[]> {
  const of = served.filter((each) => each.coordinates.role === role);
  return Promise.all(
    of.map(({ requestHash }) =>
      readFile(join(dir, 'bodies', `${requestHash.replace('sha256:', '')}.json`), 'utf8'),
    ),
  );
}

test('what it names is told everywhere, and a manager answers it before the commit', async () => {
  const contracts = SUM_CONTRACTS.replace('    examples:', '    require_review: true\n    examples:');
  const session = await makeSession({ home, contracts });
  const script = ModelScript.parse(reviewedScript());
  const model = await startModelServer({ script, recordDir: session.path('../record') });
  const env = { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'scripted' };
  try {
    const config = session.path('.a7/config.toml');
    await writeFile(config, `reviewer_model = "reader"\n${await readFile(config, 'utf8')}`);
    const built = await session.at(['run', '--model', 'scripted', '--manager', 'llm'], env);
    expect([built.code, built.err]).toEqual([0, expect.stringContaining('Stage core is sealed')]);
    expect(built.err).toContain(
      'sum.add: the reviewer found hard_coded at sum/add.py:2: adds by the operator',
    );
    const shown = await prompts(session.path('../record'), model.requests(), 'reviewer');
    expect(shown).toHaveLength(1);
    expect(shown[0]).toContain('2|     return a + b');
    expect(shown[0]).not.toContain('test_negative');
    expect((await prompts(session.path('../record'), model.requests(), 'manager'))[0]).toContain(
      'adds by the operator',
    );
    expect((await session.at(['why', 'sum.add'])).out).toContain(
      'the reviewer named hard_coded at sum/add.py:2',
    );
    expect((await cli(['ledger', 'verify', session.dir], { env: { A7_HOME: home } })).code).toBe(0);
  } finally {
    await model.close();
    await session.remove();
  }
}, 200_000);
