import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { appendFileSync, cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { removeHome, tempHome } from '../support/server.ts';
import { CLI, type TestSession, honestScript, makeSession, scriptedModel } from '../support/session.ts';
import type { ModelScriptInput } from '../../schemas/model-script.ts';

const RUN = ['run', '--model', 'scripted', '--manager', 'policy'];
const NO_WEBPACK = join(import.meta.dirname, '../support/no-webpack.cjs');
const PRICED =
  '[scripted]\nmodel_id = "scripted"\nmax_tokens = 4096\ncontext_tokens = 128000\ninput_price = 1.0\noutput_price = 4.0\n';

let home = '';
beforeAll(async () => {
  home = await tempHome();
});
afterAll(() => removeHome(home));

/** Verdicts of the session that is built in a pipe: later ones that build the same find them in their cache. */
const verdicts = (): string => join(home, 'verdicts');

async function withSession<T>(
  script: ModelScriptInput,
  work: (session: TestSession, env: Readonly<Record<string, string>>) => Promise<T>,
  sandbox: 'auto' | 'bubblewrap' = 'bubblewrap',
): Promise<T> {
  const [session, model] = [await makeSession({ home, sandbox }), await scriptedModel(script)];
  if (existsSync(verdicts())) cpSync(verdicts(), session.path('reports'), { recursive: true });
  try {
    return await work(session, model.env);
  } finally {
    await model.close();
    await session.remove();
  }
}

function ledgerTypes(session: TestSession): string[] {
  const lines = readFileSync(session.path('events.jsonl'), 'utf8').trim().split('\n');
  return lines.map((line) => (JSON.parse(line) as { type: string }).type);
}

describe('a7-rt run', () => {
  test('changes its live line in a terminal at least every 5 seconds', async () => {
    await withSession(
      honestScript(),
      async (session, env) => {
        const command = [process.execPath, CLI, ...RUN.slice(0, 1), session.dir, ...RUN.slice(1)];
        const child = execa('script', ['-qec', command.join(' '), '/dev/null'], {
          env: { ...env, A7_HOME: home, TERM: 'xterm' },
          reject: false,
          timeout: 200_000,
        });
        const writes: { at: number; text: string }[] = [];
        let since: number | null = null;
        child.stdout.on('data', (bytes: Buffer) => {
          const text = bytes.toString();
          if (text.includes('Stage core begins')) since ??= performance.now();
          if (since !== null) writes.push({ at: performance.now(), text });
        });
        expect((await child).exitCode).toBe(0);
        const live = writes.map(({ text }) => text).join('');
        expect(live).toMatch(/\d+ s · core: 0 of 1 grounded · sum\.add \((test author|builder), \d+ s\)/);
        const gaps = writes.slice(1).map(({ at }, index) => at - (writes[index]?.at ?? at));
        expect(Math.max(...gaps)).toBeLessThan(15_000);
      },
      // As the product chooses by itself; the other sessions need no certain backend.
      'auto',
    );
  }, 300_000);

  test('builds to the seal in a pipe: plain lines on stderr, the summary on stdout, JSON for programs', async () => {
    await withSession(honestScript(), async (session, env) => {
      // Without what only a development needs.
      const built = await session.at(RUN, { ...env, NODE_OPTIONS: `--require ${NO_WEBPACK}` });
      expect([built.code, built.err]).toEqual([0, expect.stringContaining('Stage core is sealed')]);
      expect(built.out).toMatch(/^STAGE {2}STATUS\ncore {3}sealed\n1 of 1 node grounded; 2 calls, /);
      expect(built.out).toMatch(/\nnext {2}a7-rt narrative sums; git -C sums\/content log$/);
      expect((built.err + built.out).includes('\u001b')).toBe(false);
      expect(JSON.parse((await session.at([...RUN, '--json'], env)).out)).toMatchObject({
        stages: [],
        grounded: 1,
        nodes: 1,
        usage: { calls: 2, costMicroUsd: null },
      });
      expect(JSON.parse((await session.at(['status', '--json'])).out)).toMatchObject({
        project: 'sums',
        stages: [{ id: 'core', kind: 'pure', status: 'sealed' }],
        nodes: [{ id: 'sum.add', stage: 'core', status: 'grounded', dispatches: 2 }],
        run: { stage: 'core', phase: 'sealed', ending: null },
        moving: false,
        page: null,
      });
      cpSync(session.path('reports'), verdicts(), { recursive: true });
      expect(JSON.parse((await session.at(['why', 'sum.add', '--json'])).out)).toMatchObject({
        nodeId: 'sum.add',
        status: 'grounded',
      });
      const story = JSON.parse((await session.at(['narrative', '--json'])).out) as { seq: number }[];
      expect(story.length).toBeGreaterThan(5);
      const verified = await session.at(['verify', 'HEAD', '--json']);
      expect([verified.code, JSON.parse(verified.out)]).toMatchObject([0, { same: true, verdict: 'PASS' }]);

      appendFileSync(session.path('content/sum/add.py'), '# by hand\n');
      const dirty = await session.at(RUN, env);
      expect(dirty).toMatchObject({ code: 2, out: '' });
      expect(dirty.err).toContain('content/ has changes that are not committed: sum/add.py (modified)');
      expect(dirty.err).toMatch(
        /\nnext {2}git -C sums\/content stash -u keeps them aside; then a7-rt run sums --manager policy --model scripted$/,
      );
    });
  }, 300_000);
});

// Beside each other: most of their time is waiting for answers.
describe('a7-rt run that cannot go on or is halted', () => {
  const status = (code: number, message: string): ModelScriptInput => {
    const fault = { kind: 'status' as const, status: code, message };
    return honestScript(Array.from({ length: 4 }, () => fault));
  };
  test.concurrent.each([
    [401, 'Incorrect API key provided', /API key|401/],
    [403, 'This project may not use the model', /403|may not/],
    [404, 'The model does not exist', /404|does not exist/],
  ])(
    'rests at HTTP %i with exit code 3, and goes on when the cause is gone',
    async (code, message, pattern) => {
      await withSession(status(code, message), async (session, env) => {
        const rested = await session.at(RUN, env);
        expect(rested.code).toBe(3);
        expect(rested.err.slice(rested.err.lastIndexOf('error '))).toMatch(pattern);
        expect(ledgerTypes(session).at(-1)).toBe('rested');
        const shown = await session.at(['status']);
        expect(shown.out).toMatch(/^sums {2}stage core: rested, turn 0, autonomous\n\S+: /);
        expect(ledgerTypes(session)).not.toContain('suspended');
        if (code !== 401) return;
        const good = await scriptedModel(honestScript());
        const before = readFileSync(session.path('.a7/run.json'), 'utf8');
        const keyless = { ...good.env, OPENAI_API_KEY: '' };
        const refused = await session.at(['run', '--model', 'other', '--max-cost', '1'], keyless);
        expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('there is no API key')]);
        expect(readFileSync(session.path('.a7/run.json'), 'utf8')).toBe(before);
        const fresh = await session.at(['run', '--fresh'], good.env);
        expect([fresh.code, fresh.err]).toEqual([2, expect.stringContaining('no model is configured')]);
        expect(readFileSync(session.path('.a7/run.json'), 'utf8')).toBe(before);
        // What the last run was told holds for the next: its printed command needs no flag.
        const goesOn = await session.at(['run'], good.env);
        expect([goesOn.code, goesOn.err]).toEqual([0, expect.stringContaining('manager policy')]);
        await good.close();
      });
    },
    300_000,
  );

  test.concurrent(
    'rests where the endpoint has no tools, and says so',
    async () => {
      await withSession({ ...honestScript(), supports_tools: false }, async (session, env) => {
        const rested = await session.at(RUN, env);
        expect(rested.code).toBe(3);
        expect(rested.err).toMatch(/tools/i);
      });
    },
    200_000,
  );

  test.concurrent(
    'ends wild agents and halts when a model answers garbage, without a crash',
    async () => {
      const garbage: ModelScriptInput = {
        version: 1,
        rules: [{ role: '*', repeat: true, answer: { text: 'lorem ipsum <<<>>> {"tool":', hostile: true } }],
      };
      await withSession(garbage, async (session, env) => {
        const halted = await session.at(RUN, env);
        expect(halted.code).toBe(3);
        expect(halted.err).toContain('no tool call in 3 messages in a row');
        expect(ledgerTypes(session).at(-1)).toBe('halted');
        expect((await session.at(['why', 'sum.add'])).out).toContain('wild');
      });
    },
    200_000,
  );

  test.concurrent(
    'at the cap says spent, cap, worst case and the command; a higher cap goes on',
    async () => {
      await withSession(honestScript(), async (session, env) => {
        appendFileSync(session.path('.a7/models.toml'), PRICED);
        const capped = await session.at([...RUN, '--max-cost', '0.02'], env);
        expect(capped.code).toBe(3);
        expect(capped.err).toMatch(
          /Cap reached: spent \$\d\.\d{4} of \$0\.0200, the next call may cost \$\d\.\d{4}/,
        );
        expect(capped.err).toMatch(
          /next {2}a7-rt run sums --manager policy --model scripted --max-cost 0\.\d+$/m,
        );
        const built = await session.at([...RUN, '--max-cost', '1'], env);
        expect(built.code).toBe(0);
        expect(built.out).toMatch(/2 calls, .* cost \$0\.\d{4}$/m);
      });
    },
    300_000,
  );

  test.concurrent(
    'moving takes input and halt, refuses a seed, and says so in status',
    async () => {
      const slow = honestScript();
      const rules = slow.rules.map((rule) => ({ ...rule, answer: { ...rule.answer, delay_ms: 60_000 } }));
      await withSession({ ...slow, rules }, async (session, env) => {
        const running = session.at(RUN, env);
        while (!ledgerTypes(session).includes('dispatched'))
          await new Promise((done) => setTimeout(done, 200));
        expect(JSON.parse((await session.at(['status', '--json'])).out)).toMatchObject({
          moving: true,
          run: { phase: 'running' },
        });
        const seeded = await session.at(['seed']);
        expect(seeded).toMatchObject({ code: 2, out: '' });
        expect(seeded.err).toContain('Cannot seed: stage "core" is open (running)');
        const said = await session.at(['input', '--id', 'mine', 'prefer', 'integers']);
        expect(said).toMatchObject({
          code: 0,
          out: 'Recorded as mine. Read: The policy manager reads no text',
        });
        expect((await session.at(['input', '--id', 'mine', 'again'])).out).toMatch(
          /^Recorded as mine\. Read: /,
        );
        expect(await session.at(['halt', '--reason', 'lunch'])).toMatchObject({ code: 0 });
        const halted = await running;
        expect(halted.code).toBe(3);
        expect(halted.err).toContain('error Stage "core" is halted: lunch');
        expect(ledgerTypes(session).filter((type) => type === 'input_received')).toHaveLength(2);
        expect((await session.at(['status'])).out).toContain('HALTED: lunch');
      });
    },
    300_000,
  );
});
