/** One small session, built once; then forgers with its formats and without its key. Every check of the record sees them. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { generateKeyPairSync, randomInt } from 'node:crypto';
import { appendFileSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { LedgerReport } from '../../core/ports/services.ts';
import { attest, attestVerify } from '../../workers/services/attest.ts';
import { ledgerVerify } from '../../workers/services/ledger-verify.ts';
import { why } from '../../workers/services/narrative.ts';
import { status } from '../../workers/services/status.ts';
import { auditSession } from '../support/audit.ts';
import { independently } from '../support/in-toto.ts';
import { plainGit } from '../support/git-repo.ts';
import { removeHome, tempHome } from '../support/server.ts';
import { type TestSession, cli, honestScript, makeSession, scriptedModel } from '../support/session.ts';
import { afterwardsWhole, editText, reword, rewriteLedger, sha256, strangersKey } from './forge.ts';

const RUN = ['run', '--model', 'scripted', '--manager', 'policy', '--backend', 'bubblewrap'];

/** Of all that are vouched for, drawn anew in each run. */
const BYTES_TRIED = 12;

let home = '';
let session: TestSession;
let model: Awaited<ReturnType<typeof scriptedModel>>;

beforeAll(async () => {
  home = await tempHome();
  session = await makeSession({ home });
  model = await scriptedModel(honestScript());
  const built = await session.at(RUN, { ...model.env, A7_MUTATION_SECONDS: '4' });
  if (built.code !== 0) throw new Error(`${built.out}\n${built.err}`);
});
afterAll(async () => {
  await model.close();
  await session.remove();
  await removeHome(home);
});

async function checked(key: string | null = null, at = home): Promise<LedgerReport> {
  const result = await ledgerVerify(session.dir, key, { A7_HOME: at });
  if (!result.ok) throw new Error(JSON.stringify(result));
  return result.value;
}

/** What `ledger verify` says is wrong, as one text. */
async function productSays(at = home): Promise<string> {
  const { chain, fold, detail, findings } = await checked(null, at);
  const told = findings.map((each) => `${each.check}: ${each.subject} ${each.message}`);
  return [
    ...(chain === 'valid' ? [] : [`chain ${detail}`]),
    ...(fold === 'equal' ? [] : [`fold ${detail}`]),
    ...told,
  ].join('\n');
}

async function auditSays(): Promise<string> {
  const { findings } = await auditSession(session.dir, ['--no-suites', '--home', home]);
  return findings.map((each) => `${each.check}: ${each.subject} ${each.message}`).join('\n');
}

const stepOf = (role: 'b' | 't'): string => {
  const name = readdirSync(session.path('runs/r1')).find((each) => each.startsWith(`sum.add.${role}`));
  return session.path(`runs/r1/${name ?? ''}`);
};

describe('the record of an honest session', () => {
  test('is signed line by line, holds for the product and for the audit, and for the key alone', async () => {
    const report = await checked();
    expect([report.chain, report.fold, report.signedBy, report.findings]).toEqual([
      'valid',
      'equal',
      'home',
      [],
    ]);
    expect((await checked(report.keys[0]?.keyId ?? '')).findings).toEqual([]);
    expect(await auditSays()).toBe('');
    const trailer = plainGit([
      '-C',
      session.path('content'),
      'log',
      '-1',
      '--format=%(trailers:key=A7-Ledger,valueonly)',
    ]);
    expect(trailer.trim()).toMatch(/^\d+ sha256:[0-9a-f]{64}$/);
  });

  test('is whole for a home that never saw it, which says whose word that is', async () => {
    const elsewhere = await checked(null, `${home}-elsewhere`);
    expect([elsewhere.signedBy, elsewhere.findings]).toEqual(['foreign', []]);
    expect(elsewhere.notes.join()).toContain('is not known to this home');
    const other = await checked('0'.repeat(32));
    expect(other.findings[0]?.message).toContain(`must be signed by key ${'0'.repeat(32)} alone`);
  });
});

describe('a7-rt attest', () => {
  const file = (name: string): string => join(session.dir, '..', name);

  test('signs a PASS so that independent readers verify it, and refuse a changed one', async () => {
    const made = await session.at(['attest', 'sum.add']);
    expect(made.code).toBe(0);
    writeFileSync(file('pass.json'), made.out);
    const [own = ''] = readdirSync(join(home, 'keys', 'own'));
    const publicKey = join(home, 'keys', 'own', own);
    const head = plainGit(['-C', session.path('content'), 'rev-parse', 'HEAD', 'HEAD^{tree}']).split('\n');
    const genuine = await independently(file('pass.json'), publicKey);
    expect([genuine.securesystemslib, genuine['in-toto']]).toEqual(['verified', 'verified']);
    expect(genuine.statement.subject.map(({ digest }) => digest)).toEqual([
      { gitTree: head[1] },
      { gitCommit: head[0] },
    ]);
    const checkedIt = await cli(['attest', 'verify', file('pass.json')], { env: { A7_HOME: home } });
    expect([checkedIt.code, checkedIt.out]).toEqual([0, expect.stringMatching(/PASSED.*\n.*gitTree/)]);

    const envelope = JSON.parse(made.out) as { payload: string };
    const changed = Buffer.from(envelope.payload, 'base64')
      .toString('utf8')
      .replace(head[1] ?? '', '0'.repeat(40));
    writeFileSync(
      file('forged.json'),
      JSON.stringify({ ...envelope, payload: Buffer.from(changed).toString('base64') }),
    );
    const forged = await independently(file('forged.json'), publicKey);
    expect([forged.securesystemslib, forged['in-toto']]).toEqual([
      expect.stringContaining('refused'),
      expect.stringContaining('refused'),
    ]);
    expect((await cli(['attest', 'verify', file('forged.json')], { env: { A7_HOME: home } })).code).toBe(1);
  });

  test("signs with a key of one's own, which another home believes only when it is named", async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    writeFileSync(file('own.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
    writeFileSync(file('own.pub'), publicKey.export({ type: 'spki', format: 'pem' }));
    const made = await attest({ env: { A7_HOME: home } }, session.dir, 'HEAD', file('own.pem'));
    writeFileSync(file('own.json'), JSON.stringify(made.ok ? made.value : made));
    const elsewhere = { env: { A7_HOME: `${home}-elsewhere` } };
    expect((await attestVerify(elsewhere, file('own.json'), null)).ok).toBe(false);
    expect((await attestVerify(elsewhere, file('own.json'), file('own.pub'))).ok).toBe(true);
    expect(await attest({ env: { A7_HOME: home } }, session.dir, 'HEAD', file('own.pub'))).toMatchObject({
      exitCode: 2,
    });
    expect(await attest({ env: { A7_HOME: home } }, session.dir, 'sum.nope', null)).toMatchObject({
      exitCode: 2,
    });
  });

  test('signs nothing that the record contradicts', () =>
    afterwardsWhole(session.dir, async () => {
      editText(join(stepOf('b'), 'outcome.json'), (text) =>
        text.replace('"status": "submitted"', '"status": "provided"'),
      );
      const made = await attest({ env: { A7_HOME: home } }, session.dir, 'sum.add', null);
      expect(made).toMatchObject({ ok: false, exitCode: 1 });
    }));
});

describe('a forger without the key', () => {
  test('changes a trailer and computes the chain anew: the signatures are gone', () =>
    afterwardsWhole(session.dir, async () => {
      const [old, forged] = reword(session.dir, (text) =>
        text.replace('A7-Tier: glass_wall', 'A7-Tier: in_process'),
      );
      rewriteLedger(session.dir, (text) => text.replaceAll(old, forged));
      expect(await productSays()).toMatch(/carries a signature that key \w+ did not make/);
      expect(await auditSays()).toMatch(/carries a signature that key \w+ did not make/);
    }));

  test('takes all signatures away with it: trailer and report still differ, and the home remembers', () =>
    afterwardsWhole(session.dir, async () => {
      const [old, forged] = reword(session.dir, (text) =>
        text
          .replace('A7-Isolation: bubblewrap/hardened', 'A7-Isolation: docker/hardened')
          .replace('A7-Isolation: bubblewrap/partial', 'A7-Isolation: docker/hardened'),
      );
      rewriteLedger(session.dir, (text) => text.replaceAll(old, forged), null);
      for (const said of [await productSays(), await auditSays()]) {
        expect(said).toMatch(/says A7-Isolation: docker\/hardened, its report says bubblewrap/);
        expect(said).toMatch(/this home signed/);
      }
    }));

  test('signs all of it with a key of its own: the home remembers another line', () =>
    afterwardsWhole(session.dir, async () => {
      rewriteLedger(
        session.dir,
        (text) => text.replaceAll('The result is the sum', 'The result is a sum'),
        strangersKey(session.dir),
      );
      expect(await productSays()).toMatch(/has another line \d+ than the one that this home signed/);
      expect(await auditSays()).toMatch(/does not hold line \d+ as this home signed it/);
    }));

  test('adds a line, or changes the last one: nobody reads such a ledger', () =>
    afterwardsWhole(session.dir, async () => {
      const lines = readFileSync(session.path('events.jsonl'), 'utf8').trimEnd().split('\n');
      const last = JSON.parse(lines.at(-1) ?? '{}') as { seq: number; hash: string };
      const body = {
        at: '2026-01-01T00:00:00.000Z',
        data: { mode: 'drain', turn: 1 },
        fence: 1,
        prev: last.hash,
        run: 1,
        seq: last.seq + 1,
        type: 'mode_changed',
      };
      appendFileSync(
        session.path('events.jsonl'),
        `${JSON.stringify({ ...body, hash: sha256(JSON.stringify(body)) })}\n`,
      );
      expect(await productSays()).toContain('is not signed, and the line before it is');
      expect(await auditSays()).toContain('is not signed, and a line before it is');
      expect((await session.at(['status'])).code).toBe(2);
    }));

  test.each([
    ['a report of a run', 'iteration-1/report.json', '"verdict": "PASS"', '"verdict": "FAIL"'],
    ['the outcome of a dispatch', 'outcome.json', '"status": "submitted"', '"status": "provided"'],
    ['a log', 'iteration-1/build-notes.md', '\n', '\nAll is well.\n'],
  ])('edits %s', (_what, name, before, after) =>
    afterwardsWhole(session.dir, async () => {
      editText(join(stepOf('b'), name), (text) => text.replace(before, after));
      expect(await productSays()).toContain('was changed after it was written');
      expect(await auditSays()).toContain('was changed after it was written');
    }),
  );

  test('edits a report of a run with every hash that names it: the record of the folder was signed', () =>
    afterwardsWhole(session.dir, async () => {
      const folder = join(stepOf('b'), 'iteration-1');
      editText(join(folder, 'report.json'), (text) => text.replace('"survived": ', '"survived": 1'));
      const iteration = JSON.parse(readFileSync(join(folder, 'iteration.json'), 'utf8')) as {
        files: Record<string, string>;
      };
      iteration.files['report.json'] = sha256(readFileSync(join(folder, 'report.json')));
      writeFileSync(join(folder, 'iteration.json'), JSON.stringify(iteration));
      const record = JSON.parse(readFileSync(join(folder, 'files.json'), 'utf8')) as {
        files: Record<string, string>;
      };
      for (const name of ['report.json', 'iteration.json'])
        record.files[name] = sha256(readFileSync(join(folder, name)));
      writeFileSync(join(folder, 'files.json'), JSON.stringify(record));
      for (const said of [await productSays(), await auditSays()]) {
        expect(said).toMatch(/files\.json.*(did not (make|sign))/);
        expect(said).toContain('tells of other mutants');
      }
    }));

  test('edits the mutation check beside a report: verify says it, too', () =>
    afterwardsWhole(session.dir, async () => {
      const name = readdirSync(session.path('reports')).find((each) => each.endsWith('.mutation.json')) ?? '';
      editText(session.path(`reports/${name}`), (text) => text.replace('"survived":', '"survived":1'));
      expect(await productSays()).toContain('tells of other mutants');
      expect(await auditSays()).toContain('tells of other mutants');
      const verified = await session.at(['verify', 'HEAD', '--json']);
      expect([verified.code, verified.out.includes('tells of other mutants')]).toEqual([1, true]);
    }));

  test('changes one byte of what the ledger vouches for, whichever it is: one of both checks says so', async () => {
    const vouched =
      /^(?:runs\/|events\.jsonl$|master\.json$|content\/\.git\/(?:objects|refs)\/|content\/[^.].*$)/u;
    const files = readdirSync(session.dir, { recursive: true, withFileTypes: true })
      .filter((each) => each.isFile())
      .map((each) => relative(session.dir, join(each.parentPath, each.name)))
      .filter((path) => vouched.test(path) && readFileSync(session.path(path)).length > 0);
    expect(files.length).toBeGreaterThan(60);
    const silent: string[] = [];
    for (let draw = 0; draw < BYTES_TRIED; draw += 1) {
      const path = session.path(files[randomInt(files.length)] ?? '');
      const was = readFileSync(path);
      const at = randomInt(was.length);
      const now = Buffer.from(was);
      // Another letter or digit where it was one: what cannot be read is told anyway.
      now[at] = (was[at] ?? 0) ^ 1;
      writeFileSync(path, now);
      const said = (await productSays().catch(String)) || (await auditSays().catch(String));
      writeFileSync(path, was);
      if (said === '') silent.push(`${path} at ${String(at)}`);
    }
    expect(silent).toEqual([]);
    expect(await productSays()).toBe('');
  });
});

describe('a branch that somebody moved', () => {
  const content = (...args: string[]): string =>
    plainGit(['-C', session.path('content'), '-c', 'user.name=p', '-c', 'user.email=p@p', ...args]);

  /** `git -C sums/content branch …, then git …`: as it is printed, by a shell beside the session. */
  function follow(nextStep: string): void {
    for (const step of nextStep.replace(/; then a7-rt.*$/, '').split(', then ')) {
      plainGit(step.replace(/^git /, '').split(' '), { cwd: join(session.dir, '..') });
    }
  }

  test('by a commit over a grounded node: run, doctor, status, why and both checks say so; the way out works', () =>
    afterwardsWhole(session.dir, async () => {
      writeFileSync(session.path('content/sum/add.py'), 'def add(a, b):\n    return 0\n');
      content('commit', '-qam', 'Make it simpler');
      const refused = await session.at([...RUN, '--json'], model.env);
      expect([refused.code, refused.out]).toEqual([
        2,
        expect.stringContaining('no verdict covers sum/add.py of sum.add'),
      ]);
      expect(await productSays()).toContain('changes sum/add.py of sum.add, and no verdict covers it');
      expect(await auditSays()).toContain('changes sum/add.py of sum.add');
      const doctored = await session.at(['doctor', '--json']);
      expect(doctored.out).toContain('content/ was committed to by hand');
      const told = await why(session.dir, 'sum.add');
      expect(told.ok && told.value.reasons[0]).toContain('committed to by hand');
      const seen = await status({ env: { A7_HOME: home } }, session.dir);
      const problem = seen.ok ? seen.value.branchProblem : null;
      expect(problem?.message).toContain('sum/add.py');
      follow((problem?.nextStep ?? '').replaceAll(session.dir, 'sums'));
      expect(await productSays()).toBe('');
      expect((await session.at(RUN, model.env)).code).toBe(0);
    }));

  test('back behind the ledger: what is missing is named, and brought back', () =>
    afterwardsWhole(session.dir, async () => {
      content('reset', '-q', '--hard', 'HEAD~1');
      const refused = await session.at(RUN, model.env);
      expect([refused.code, refused.err]).toEqual([
        2,
        expect.stringContaining('the branch of content/ was moved: 1 commit of the ledger is not on it'),
      ]);
      expect(await productSays()).toContain(
        'is committed by the ledger for sum.add, and is not on the branch',
      );
      follow(/next {2}(.*)/.exec(refused.err)?.[1] ?? '');
      expect(await productSays()).toBe('');
    }));

  test("by a commit of scaffold: that is a person's right", () =>
    afterwardsWhole(session.dir, async () => {
      writeFileSync(session.path('content/NOTES.md'), 'mine\n');
      content('add', 'NOTES.md');
      content('commit', '-qm', 'Note');
      expect(await productSays()).toBe('');
    }));
});

describe('a lost key', () => {
  test('is made anew: older lines are still known, and both keys are told', () =>
    afterwardsWhole(session.dir, async () => {
      const before = (await checked()).keys.map((key) => key.keyId);
      rmSync(join(home, 'keys', 'signing.pem'));
      const sent = await session.at(['input', 'hello', '--json']);
      expect(sent.code).toBe(0);
      const after = await checked();
      expect([after.signedBy, after.findings, after.keys.length, after.keys[0]?.keyId]).toEqual([
        'home',
        [],
        2,
        before[0],
      ]);
    }));
});
