/** The audit script against sessions that lie: each kind of lie is found. */
import { describe, expect, test } from '@jest/globals';
import { chmod, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { auditSession } from '../support/audit.ts';
import { plainGit } from '../support/git-repo.ts';
import { MONEY, TOTAL, edit, found, made } from './audit-help.ts';

describe('a ledger that lies', () => {
  test('audit-session finds a line that was changed', async () => {
    const dir = await made(MONEY);
    await edit(join(dir, 'events.jsonl'), (text) => text.replace('"summary":"done"', '"summary":"fine"'));
    expect(found(await auditSession(dir, ['--no-suites']), 'ledger chain')).toEqual([
      expect.stringContaining('does not hash to what it says'),
    ]);
  });

  test('audit-session finds a line that was taken out of the middle', async () => {
    const dir = await made(MONEY);
    await edit(join(dir, 'events.jsonl'), (text) => text.split('\n').toSpliced(3, 1).join('\n'));
    expect(found(await auditSession(dir, ['--no-suites']), 'ledger chain')).toEqual([
      'line 4 has sequence number 5, expected 4',
    ]);
  });

  test('audit-session finds lines that were taken off the end', async () => {
    const dir = await made(MONEY);
    await edit(
      join(dir, 'events.jsonl'),
      (text) => `${text.trimEnd().split('\n').slice(0, -1).join('\n')}\n`,
    );
    expect(found(await auditSession(dir, ['--no-suites']), 'fold = master.json')).toEqual([
      expect.stringContaining('the ledger has 9 good lines'),
    ]);
  });

  test('audit-session finds a committed event without its commit', async () => {
    const dir = await made(MONEY);
    const content = join(dir, 'content');
    plainGit(['reset', '--quiet', '--hard', 'HEAD~1'], { cwd: content });
    expect(found(await auditSession(dir, ['--no-suites']), 'branch').join('\n')).toMatch(
      /not on the branch.*\n.*grounded and has no commit/,
    );
  });
});

describe('a master.json that lies', () => {
  test('audit-session finds a status that no committed event gave', async () => {
    const dir = await made(MONEY, { ...TOTAL, code: TOTAL.code });
    const events = join(dir, 'events.jsonl');
    // The ledger ends before the second node's commit; master.json says grounded all the same.
    const lines = (await readFile(events, 'utf8')).trimEnd().split('\n').slice(0, 10);
    await writeFile(events, `${lines.join('\n')}\n`);
    const last = JSON.parse(lines.at(-1) ?? '{}') as { seq: number; hash: string };
    await editJson(join(dir, 'master.json'), (master) => ({
      ...master,
      seq: last.seq,
      head_hash: last.hash,
    }));
    expect(found(await auditSession(dir, ['--no-suites']), 'fold = master.json')).toContain(
      'shop.total status is "grounded" in master.json and "near" by the ledger',
    );
  });

  test('audit-session finds an edited stage and an edited hash', async () => {
    const dir = await made(MONEY);
    await editJson(join(dir, 'master.json'), (master) => ({
      ...master,
      head_hash: `sha256:${'1'.repeat(64)}`,
    }));
    await edit(join(dir, 'master.json'), (text) => text.replace('"status": "sealed"', '"status": "active"'));
    const messages = found(await auditSession(dir, ['--no-suites']), 'fold = master.json');
    expect(messages).toEqual([
      expect.stringContaining('head_hash'),
      expect.stringContaining('core status is "active"'),
    ]);
  });
});

describe('a branch that lies', () => {
  test('audit-session finds a commit without trailers', async () => {
    const dir = await made({ ...MONEY, trailers: [] });
    expect(found(await auditSession(dir, ['--no-suites']), 'branch')).toContainEqual(
      expect.stringContaining('has no trailer A7-Node and changes shop/money.py of shop.money'),
    );
  });

  test('audit-session finds a missing report trailer and a commit that nobody recorded', async () => {
    const dir = await made({ ...MONEY, trailers: ['A7-Node', 'A7-Dispatch'] });
    const content = join(dir, 'content');
    await writeFile(join(content, 'shop', 'money.py'), 'def cents(text):\n    return 1\n');
    plainGit(
      [
        'commit',
        '--quiet',
        '-am',
        'more\n\nA7-Node: shop.money\nA7-Dispatch: shop.money.b9\nA7-Report: none',
      ],
      { cwd: content },
    );
    const messages = found(await auditSession(dir, ['--no-suites']), 'branch').join('\n');
    expect(messages).toMatch(/lacks the trailer A7-Report/);
    expect(messages).toMatch(/no committed event of kind code names it/);
    expect(messages).toMatch(/second commit of shop.money/);
  });

  test('audit-session finds a file outside the globs of the node', async () => {
    const dir = await made({ ...MONEY, stray: { 'shop/other.py': 'x = 1\n' } });
    expect(found(await auditSession(dir, ['--no-suites']), 'branch')).toEqual([
      expect.stringContaining('shop/other.py is outside the files of shop.money'),
    ]);
  });

  test('audit-session finds a symbolic link', async () => {
    const dir = await made(MONEY);
    const content = join(dir, 'content');
    await execa('ln', ['-s', '/etc/passwd', join(content, 'link')]);
    plainGit(['add', 'link'], { cwd: content });
    plainGit(['commit', '--quiet', '-m', 'Link'], { cwd: content });
    expect(found(await auditSession(dir, ['--no-suites']), 'branch')).toContainEqual(
      expect.stringContaining('link has mode 120000'),
    );
  });

  test.each([
    ['a changed file', 'shop/money.py', 'differs from the branch'],
    ['a file that is not on the branch', 'notes.txt', 'is in the work tree and not on the branch'],
    ['a lock', '.git/index.lock', 'is a lock that somebody left'],
  ])('audit-session finds %s', async (_what, path, message) => {
    const dir = await made(MONEY);
    await writeFile(join(dir, 'content', path), 'x = 1\n');
    expect(found(await auditSession(dir, ['--no-suites']), 'work tree')).toEqual([`${path} ${message}`]);
  });

  test('audit-session finds a staged change', async () => {
    const dir = await made(MONEY);
    plainGit(['rm', '--quiet', '--cached', 'shop/money.py'], { cwd: join(dir, 'content') });
    expect(found(await auditSession(dir, ['--no-suites']), 'work tree')).toEqual([
      'shop/money.py is missing in the index',
    ]);
  });

  test('audit-session finds a broken object', async () => {
    const dir = await made(MONEY);
    const content = join(dir, 'content');
    const oid = plainGit(['rev-parse', 'HEAD:shop/__init__.py'], { cwd: content });
    const path = join(content, '.git', 'objects', oid.slice(0, 2), oid.slice(2));
    await chmod(path, 0o600);
    await writeFile(path, 'broken');
    expect(found(await auditSession(dir, ['--no-suites']), 'branch')).toEqual([
      expect.stringMatching(/^git fsck/),
    ]);
  });
});

describe('a verdict that lies', () => {
  test('audit-session finds a report that was changed, and one that is missing', async () => {
    const dir = await made(MONEY, TOTAL);
    const folder = join(dir, 'reports', 'by-digest');
    const [first = '', second = ''] = await readdir(folder);
    await edit(join(folder, first), (text) => text.replace('"PASS"', '"FAIL"'));
    await execa('rm', [join(folder, second)]);
    const messages = found(await auditSession(dir, ['--no-suites']), 'reports').join('\n');
    expect(messages).toMatch(/says FAIL/);
    expect(messages).toMatch(/does not hash to its digest/);
    expect(messages).toMatch(/not in reports\/by-digest/);
  });

  test('audit-session finds a report about other bytes', async () => {
    const dir = await made({ ...MONEY, stray: { 'scaffold.txt': 'x' } });
    const [name = ''] = await readdir(join(dir, 'reports', 'by-digest'));
    await edit(join(dir, 'reports', 'by-digest', name), (text) =>
      text.replace(/"projection":"[0-9a-f]{40}"/, `"projection":"${'1'.repeat(40)}"`),
    );
    expect(found(await auditSession(dir, ['--no-suites']), 'gated bytes')).toEqual([
      expect.stringContaining('its report is about 1111'),
    ]);
  });

  test('audit-session finds a suite that is red on its own commit', async () => {
    const result = await auditSession(await made({ ...MONEY, code: 'def cents(text):\n    return 7\n' }));
    expect(found(result, 'suites')).toEqual([
      expect.stringContaining('its suite is not green: 1 of 1 tests'),
    ]);
  });

  test('audit-session finds a suite that is green on stubs', async () => {
    const suite = 'from shop.money import cents\n\n\ndef test_whole():\n    cents("3")\n';
    const result = await auditSession(await made({ ...MONEY, suite }));
    expect(found(result, 'suites')).toEqual([
      expect.stringContaining('green where every function returns nothing'),
    ]);
  });

  test('audit-session finds a suite that does not import the code at all', async () => {
    const result = await auditSession(
      await made({ ...MONEY, suite: 'def test_whole():\n    assert True\n' }),
    );
    expect(found(result, 'suites')).toEqual([
      expect.stringContaining('green on empty files'),
      expect.stringContaining('green where every function returns nothing'),
    ]);
  });

  test('audit-session finds tests that were skipped, and tests that the report does not know', async () => {
    const skipped = 'import pytest\n\n\n@pytest.mark.skip\ndef test_whole():\n    assert False\n';
    const more = `${MONEY.suite}\n\ndef test_more():\n    assert cents("1") == 100\n`;
    const result = await auditSession(
      await made(
        { ...MONEY, suite: skipped },
        { ...MONEY, id: 'shop.coins', code: MONEY.code, suite: more.replace('shop.money', 'shop.coins') },
      ),
    );
    const messages = found(result, 'suites').join('\n');
    expect(messages).toMatch(/shop\.money: its suite is not green: 1 of 1 tests, .* skipped/);
    expect(messages).toMatch(/shop\.coins: 2 tests ran here, its report says 1/);
  });
});

async function editJson(
  path: string,
  change: (value: Record<string, unknown>) => Record<string, unknown>,
): Promise<void> {
  const value = change(JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>);
  await writeFile(path, `${JSON.stringify(value, null, 2)}\n`);
}
