/** A suite that denies an example is withdrawn: a new one grounds the builder's first tree, and no builder is paid twice. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import type { ModelScriptInput } from '../../schemas/model-script.ts';
import { removeHome, tempHome } from '../support/server.ts';
import { honestScript, makeSession, scriptedModel } from '../support/session.ts';

let home = '';
beforeAll(async () => {
  home = await tempHome();
});
afterAll(() => removeHome(home));

/** The honest script, but the first test author's suite says 1 + 2 = 4. */
function lyingScript(): ModelScriptInput {
  const honest = honestScript();
  const [author, builder] = honest.rules;
  if (author === undefined || builder === undefined) throw new Error('Cannot lie: the script has no rules');
  const lie = JSON.parse(JSON.stringify(author).replace('add(1, 2) == 3', 'add(1, 2) == 4')) as typeof author;
  return { ...honest, rules: [{ ...lie, dispatch: 1, repeat: false }, author, builder] };
}

describe('a lying suite in a whole run', () => {
  test('is blamed, withdrawn and written anew; the first code is grounded without a second builder', async () => {
    const [session, model] = [await makeSession({ home }), await scriptedModel(lyingScript())];
    try {
      const built = await session.at(['run', '--model', 'scripted', '--manager', 'policy'], model.env);
      expect([built.code, built.err]).toEqual([0, expect.stringContaining('Stage core is sealed')]);
      expect(built.out).toMatch(/1 of 1 node grounded; 3 calls, /);
      const lines = readFileSync(session.path('events.jsonl'), 'utf8').trim().split('\n');
      const events = lines.map((line) => JSON.parse(line) as { type: string; data: Record<string, unknown> });
      const dispatched = events
        .filter((event) => event.type === 'dispatched')
        .map((event) => event.data['record']);
      expect(dispatched).toMatchObject([
        { role: 'test_author' },
        { role: 'builder' },
        { role: 'test_author' },
      ]);
      expect(dispatched[2]).toMatchObject({
        parameters: { managerNote: expect.stringContaining("denies the contract's example add(1, 2)") },
      });
      expect(events.filter((event) => event.type === 'poisoned')).toEqual([]);
      expect(events.find((event) => event.type === 'regated')?.data).toMatchObject({
        outcome: { verdict: 'PASS' },
      });
      expect((await session.at(['narrative'])).out).toContain('suspect: suite');
    } finally {
      await model.close();
      await session.remove();
    }
  }, 200_000);
});
