/** The file tools on real trees: every text that a model reads, and that a failure changes nothing. */
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createFileTools } from '../../adapters/git/file-tools.ts';
import { createObjectStore } from '../../adapters/git/object-store.ts';
import type { TreeStore } from '../../core/ports/git.ts';
import type { FileToolResult, FileTools } from '../../core/ports/shadow.ts';
import type { FileToolCall } from '../../schemas/agent-tools.ts';
import { type TempFolder, tempFolder } from '../support/git-repo.ts';

const SCOPE = { writeSet: ['auth/jwt.py', 'auth/jwt/**'] };

let folder: TempFolder;
let store: TreeStore;
let tools: FileTools;
let tree: string;

beforeEach(async () => {
  folder = await tempFolder();
  store = await createObjectStore({ gitDir: join(folder.path, 'store.git') });
  tools = createFileTools(store);
  tree = await make({
    'auth/jwt.py': 'import re\r\n\r\ndef verify(t):\r\n    return None\r\n',
    'auth/jwt/keys.py': 'KEYS = {}\n',
    'price/money.py': 'def parse():\n    return 1\n',
    'tests/auth_jwt/test_jwt.py': 'SECRET_CANARY = 1\n',
    'logo.png': '\u0000binary',
  });
});

afterEach(async () => {
  await store.close();
  await folder.remove();
});

async function make(files: Readonly<Record<string, string>>): Promise<string> {
  const list = Object.entries(files).map(([path, text]) => ({ path, bytes: Buffer.from(text) }));
  const result = await store.importFiles(list);
  if (result.status === 'refused') throw new Error(JSON.stringify(result.refusals));
  return result.tree;
}

const run = (call: FileToolCall, on = tree): Promise<FileToolResult> => tools.run(on, SCOPE, call);
const hashIn = (text: string): string => /content_hash: ([0-9a-f]{16})/.exec(text)?.[1] ?? '';
const read = async (path: string, on = tree): Promise<string> =>
  (await run({ tool: 'read_file', input: { path } }, on)).text;

describe('read_file and preview_file', () => {
  test('show a header with the hash and numbered lines', async () => {
    expect(await read('auth/jwt.py')).toBe(
      [
        'path: auth/jwt.py',
        `content_hash: ${hashIn(await read('auth/jwt.py'))}`,
        'lines: 4, showing 1-4, CRLF line endings',
        '---',
        '1|import re',
        '2|',
        '3|def verify(t):',
        '4|    return None',
      ].join('\n'),
    );
  });

  test('cut long files and say how to go on', async () => {
    const on = await make({ 'long.py': 'x = 1\n'.repeat(2_500), 'wide.py': 'x'.repeat(5_000) });
    const whole = await read('long.py', on);
    expect(whole.split('\n')[2]).toBe('lines: 2500, showing 1-2000');
    expect(whole.split('\n').at(-1)).toBe(
      '[Showing lines 1-2000 of 2500. Go on with preview_file path="long.py" offset=2001.]',
    );
    const part = await run(
      { tool: 'preview_file', input: { path: 'long.py', offset: 2_499, max_lines: 10 } },
      on,
    );
    expect(part.text.split('\n').slice(2)).toEqual([
      'lines: 2500, showing 2499-2500',
      '---',
      '2499|x = 1',
      '2500|x = 1',
    ]);
    expect((await read('wide.py', on)).endsWith('x [cut: the line has 5000 characters]')).toBe(true);
    const past = await run({ tool: 'preview_file', input: { path: 'long.py', offset: 2_501 } }, on);
    expect(past).toMatchObject({
      status: 'failure',
      text: 'Cannot read "long.py" from line 2501: it has 2500 lines',
    });
  });

  test('say the same of a hidden file as of one that never was', async () => {
    const visible = await store.filterTree(tree, (path) => !path.startsWith('tests/'));
    const hidden = await run({ tool: 'read_file', input: { path: 'tests/auth_jwt/test_jwt.py' } }, visible);
    const never = await run({ tool: 'read_file', input: { path: 'tests/auth_jwt/test_abc.py' } }, visible);
    expect(hidden).toMatchObject({ status: 'failure', errorType: 'not_found', retryable: true });
    expect(hidden.text.replace('test_jwt', 'test_abc')).toBe(never.text);
    for (const call of [
      { tool: 'grep_content', input: { pattern: 'CANARY' } },
      { tool: 'list_files', input: { glob: 'tests/**' } },
    ] as const) {
      expect((await run(call, visible)).text).toMatch(/^No (line|file) matches/);
    }
  });

  test('refuse what is no text, a folder, and paths that lead elsewhere', async () => {
    expect(await read('logo.png')).toBe('Cannot read "logo.png": it is not UTF-8 text (7 bytes)');
    expect(await read('auth')).toBe('Cannot read "auth": it is a folder. Use list_files with glob "auth/**"');
    expect(await read('../etc/passwd')).toContain('there is no such file');
  });
});

describe('write_file', () => {
  test('creates, replaces and keeps the mode', async () => {
    const made = await run({
      tool: 'write_file',
      input: { path: 'auth/jwt/run.sh', content: 'a\n', executable: true },
    });
    expect(made.text).toMatch(/^Created "auth\/jwt\/run.sh": 1 line, 2 bytes\ncontent_hash: [0-9a-f]{16}$/);
    const again = await run(
      { tool: 'write_file', input: { path: 'auth/jwt/run.sh', content: 'b\n' } },
      made.tree,
    );
    expect(again.text).toMatch(/^Replaced/);
    expect(await store.lookup(again.tree, 'auth/jwt/run.sh')).toMatchObject({
      entry: { kind: 'executable' },
    });
    expect(hashIn(again.text)).toBe(hashIn(await read('auth/jwt/run.sh', again.tree)));
    const same = await run(
      { tool: 'write_file', input: { path: 'auth/jwt/run.sh', content: 'b\n' } },
      again.tree,
    );
    expect(same).toMatchObject({ status: 'success', tree: again.tree });
    expect(same.text).toMatch(/^Unchanged/);
  });

  test.each([
    [
      'price/money.py',
      'outside_write_set',
      'Cannot write "price/money.py": it is outside your files. You may write: auth/jwt.py, auth/jwt/**',
    ],
    [
      'auth/jwt/../../x',
      'bad_path',
      'Cannot write "auth/jwt/../../x": the path must not contain "." or ".." as a part',
    ],
    [
      'auth/jwt/.git/config',
      'bad_path',
      'Cannot write "auth/jwt/.git/config": the path must not contain ".git" or a name that a file system takes for it',
    ],
    [
      'auth/jwt/KEYS.py',
      'bad_path',
      'Cannot write "auth/jwt/KEYS.py": it must differ from "auth/jwt/keys.py" in more than letter case',
    ],
    ['auth/jwt/keys.py/x', 'bad_path', 'Cannot write "auth/jwt/keys.py": it must be a folder, it is a file'],
  ])('refuses %j as %s', async (path, errorType, text) => {
    const result = await run({ tool: 'write_file', input: { path, content: 'x' } });
    expect(result).toEqual({
      status: 'failure',
      tree,
      text,
      errorType,
      retryable: errorType !== 'outside_write_set',
    });
  });

  test('refuses what is no text and what is too large', async () => {
    for (const content of ['a\0b', '\ud800']) {
      expect(await run({ tool: 'write_file', input: { path: 'auth/jwt.py', content } })).toMatchObject({
        errorType: 'not_text',
        tree,
      });
    }
    const content = 'x'.repeat(600_000);
    expect(await run({ tool: 'write_file', input: { path: 'auth/jwt.py', content } })).toMatchObject({
      errorType: 'too_large',
      text: 'Cannot write "auth/jwt.py": a file must have at most 524288 bytes, this one has 600000. Split it',
    });
  });
});

describe('edit_file and edit_files', () => {
  const change = { op: 'replace' as const, start_line: 4, content: '    return t' };

  test('change the lines named and no other byte', async () => {
    const content_hash = hashIn(await read('auth/jwt.py'));
    const result = await run({
      tool: 'edit_file',
      input: { path: 'auth/jwt.py', content_hash, operations: [change] },
    });
    expect((await store.readFile(result.tree, 'auth/jwt.py'))?.toString()).toBe(
      'import re\r\n\r\ndef verify(t):\r\n    return t\r\n',
    );
    expect(result.text).toBe(
      `Edited "auth/jwt.py": 1 line out, 1 in, now 4\ncontent_hash: ${hashIn(await read('auth/jwt.py', result.tree))}`,
    );
    const stale = await run(
      { tool: 'edit_file', input: { path: 'auth/jwt.py', content_hash, operations: [change] } },
      result.tree,
    );
    expect(stale).toMatchObject({
      status: 'failure',
      errorType: 'stale_hash',
      retryable: true,
      tree: result.tree,
    });
  });

  test('in a batch all happen or none', async () => {
    const jwt = {
      path: 'auth/jwt.py',
      content_hash: hashIn(await read('auth/jwt.py')),
      operations: [change],
    };
    const keys = {
      path: 'auth/jwt/keys.py',
      content_hash: hashIn(await read('auth/jwt/keys.py')),
      operations: [{ ...change, start_line: 1 }],
    };
    const both = await run({ tool: 'edit_files', input: { edits: [jwt, keys] } });
    expect(both.status).toBe('success');
    expect((await store.diff(tree, both.tree)).map((one) => one.path)).toEqual([
      'auth/jwt.py',
      'auth/jwt/keys.py',
    ]);
    const bad = { ...keys, content_hash: '0'.repeat(16) };
    expect(await run({ tool: 'edit_files', input: { edits: [jwt, bad] } })).toMatchObject({
      status: 'failure',
      errorType: 'stale_hash',
      tree,
    });
    const twice = await run({ tool: 'edit_files', input: { edits: [jwt, jwt] } });
    expect(twice.text).toBe(
      'Cannot edit "auth/jwt.py" twice in one call: put all its operations into one entry\nNo file was changed',
    );
  });
});

describe('rename_file, mv, delete_file and create_directory', () => {
  test('move content and mode, and refuse what is taken, foreign or missing', async () => {
    const moved = await run({
      tool: 'mv',
      input: { old_path: 'auth/jwt/keys.py', new_path: 'auth/jwt/Keys.py' },
    });
    expect(moved.text).toBe('Moved "auth/jwt/keys.py" to "auth/jwt/Keys.py"; mode and content are unchanged');
    expect((await store.diff(tree, moved.tree)).map((one) => one.path)).toEqual([
      'auth/jwt/Keys.py',
      'auth/jwt/keys.py',
    ]);
    const rename = (old_path: string, new_path: string): Promise<FileToolResult> =>
      run({ tool: 'rename_file', input: { old_path, new_path } });
    expect(await rename('auth/jwt.py', 'auth/jwt/keys.py')).toMatchObject({ errorType: 'exists', tree });
    expect(await rename('auth/jwt.py', 'price/x.py')).toMatchObject({ errorType: 'outside_write_set', tree });
    expect(await rename('price/money.py', 'auth/jwt/x.py')).toMatchObject({
      errorType: 'outside_write_set',
      tree,
    });
    expect(await rename('auth/jwt/none.py', 'auth/jwt/x.py')).toMatchObject({ errorType: 'not_found', tree });
  });

  test('delete own files only, and folders need not be made', async () => {
    const gone = await run({ tool: 'delete_file', input: { path: 'auth/jwt/keys.py' } });
    expect(gone.text).toBe('Deleted "auth/jwt/keys.py"');
    expect(await run({ tool: 'delete_file', input: { path: 'price/money.py' } })).toMatchObject({
      errorType: 'outside_write_set',
    });
    expect(await run({ tool: 'create_directory', input: { path: 'auth/jwt/new' } })).toEqual({
      status: 'success',
      tree,
      text: 'Nothing to do for "auth/jwt/new": folders exist through their files. Write a file below it',
    });
  });
});

describe('list_files and grep_content', () => {
  test('select by glob; a glob without "/" is about names', async () => {
    expect((await run({ tool: 'list_files', input: { glob: '*.py' } })).text).toBe(
      '4 files match "*.py"\nauth/jwt.py\nauth/jwt/keys.py\nprice/money.py\ntests/auth_jwt/test_jwt.py',
    );
    expect((await run({ tool: 'list_files', input: {} })).text.split('\n')[0]).toBe('5 files');
    expect(await run({ tool: 'list_files', input: { glob: '/etc/*' } })).toMatchObject({
      errorType: 'bad_pattern',
    });
    expect((await run({ tool: 'grep_content', input: { pattern: '^def ', glob: 'price/**' } })).text).toBe(
      '1 line in 1 file\nprice/money.py:1: def parse():',
    );
    expect(await run({ tool: 'grep_content', input: { pattern: '(' } })).toMatchObject({
      errorType: 'bad_pattern',
    });
  });

  test.each([
    '((a{1000}){1000}){1000}',
    '(?:.|\\n)*z',
    'a{9999}b{9999}c{9999}',
    `${'(?:'.repeat(30)}a${'){3}'.repeat(30)}`,
  ])('never throw or hang for the pattern %j', async (pattern) => {
    const on = await make({ 'a.txt': 'a'.repeat(1_000_000) });
    const result = await run({ tool: 'grep_content', input: { pattern } }, on);
    expect(result.tree).toBe(on);
    if (result.status === 'failure') expect(['too_slow', 'bad_pattern']).toContain(result.errorType);
  });

  test('stop a pattern that would backtrack for ever', async () => {
    const on = await make({ 'a.txt': `${'a'.repeat(60)}!\n` });
    const started = performance.now();
    const result = await run({ tool: 'grep_content', input: { pattern: '(a+)+$' } }, on);
    expect(result).toMatchObject({ status: 'failure', errorType: 'too_slow', retryable: true });
    expect(result.text).toContain('matching took longer than 1000 ms');
    expect(performance.now() - started).toBeLessThan(5_000);
    expect((await run({ tool: 'grep_content', input: { pattern: 'a!' } }, on)).status).toBe('success');
  });
});
