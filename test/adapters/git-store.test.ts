/** The tree store against plain git: same ids, same listings, valid objects (gate.md part 8). */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { createObjectStore } from '../../adapters/git/object-store.ts';
import type { TreeChange, TreeResult, TreeStore } from '../../core/ports/git.ts';
import { type TempFolder, plainGit, tempFolder } from '../support/git-repo.ts';

let folder: TempFolder;
let gitDir: string;
let store: TreeStore;

beforeEach(async () => {
  folder = await tempFolder();
  gitDir = join(folder.path, 'store.git');
  store = await createObjectStore({ gitDir });
});

afterEach(async () => {
  await store.close();
  await folder.remove();
});

const write = (path: string, text: string, executable?: boolean): TreeChange => ({
  kind: 'write',
  path,
  bytes: Buffer.from(text),
  executable,
});

function treeOf(result: TreeResult): string {
  if (result.status === 'refused') throw new Error(JSON.stringify(result.refusals));
  return result.tree;
}

async function make(files: Readonly<Record<string, string>>): Promise<string> {
  return treeOf(
    await store.writeFiles(
      store.emptyTree,
      Object.entries(files).map(([path, text]) => write(path, text)),
    ),
  );
}

function lsTree(tree: string): string[] {
  const text = plainGit(['--git-dir', gitDir, 'ls-tree', '-r', '-z', tree]);
  return text.split('\0').filter((line) => line !== '');
}

type Step =
  | {
      readonly kind: 'write';
      readonly path: string;
      readonly text: string;
      readonly executable: boolean | undefined;
    }
  | { readonly kind: 'delete'; readonly path: string };

/** What a plain map says: no file is a folder of another, only files can be deleted. */
function modelAccepts(model: ReadonlyMap<string, unknown>, kind: 'write' | 'delete', path: string): boolean {
  if (kind === 'delete') return model.has(path);
  return [...model.keys()].every((other) => !other.startsWith(`${path}/`) && !path.startsWith(`${other}/`));
}

const MODES = {
  blob: '100644 blob',
  executable: '100755 blob',
  symlink: '120000 blob',
  gitlink: '160000 commit',
};

describe('writeFiles()', () => {
  test('gives the tree id that git itself gives', async () => {
    const tree = await make({ 'a.py': 'a\n', 'a/b.py': 'b\n', 'a0.py': '', 'z/ü.txt': 'ü' });
    const work = join(folder.path, 'plain');
    plainGit(['init', '-q', work]);
    const input = lsTree(tree)
      .map((line) => `${line}\n`)
      .join('');
    const again = plainGit(['--git-dir', gitDir, 'hash-object', '-t', 'blob', '--stdin'], { input: 'a\n' });
    expect(input).toContain(`${again}\ta.py`);
    expect(plainGit(['--git-dir', gitDir, 'fsck', '--strict', '--no-dangling', tree])).toBe('');
  });

  test('equals a plain map under random edit sequences, and git agrees', async () => {
    const name = fc.constantFrom('a', 'b', 'c.py', 'd', 'é', 'x y');
    const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'));
    const step = fc.oneof(
      fc.record({
        kind: fc.constant('write' as const),
        path,
        text: fc.string({ maxLength: 30 }),
        executable: fc.option(fc.boolean(), { nil: undefined }),
      }),
      fc.record({ kind: fc.constant('delete' as const), path }),
    );
    const run = async (steps: readonly Step[]): Promise<void> => {
      const model = new Map<string, { text: string; executable: boolean }>();
      let tree = store.emptyTree;
      for (const one of steps) {
        const change: TreeChange = one.kind === 'delete' ? one : write(one.path, one.text, one.executable);
        const result = await store.writeFiles(tree, [change]);
        expect(result.status).toBe(modelAccepts(model, one.kind, one.path) ? 'ok' : 'refused');
        if (result.status === 'refused') continue;
        tree = result.tree;
        if (one.kind === 'delete') model.delete(one.path);
        else
          model.set(one.path, {
            text: one.text,
            executable: one.executable ?? model.get(one.path)?.executable ?? false,
          });
      }
      const entries = await store.listTree(tree);
      expect(entries.map((entry) => `${MODES[entry.kind]} ${entry.oid}\t${entry.path}`)).toEqual(
        lsTree(tree),
      );
      expect(new Set(entries.map((entry) => entry.path))).toEqual(new Set(model.keys()));
      for (const entry of entries) {
        const expected = model.get(entry.path);
        expect((await store.readFile(tree, entry.path))?.toString()).toBe(expected?.text);
        expect(entry.kind).toBe(expected?.executable === true ? 'executable' : 'blob');
      }
      if (tree !== store.emptyTree) await store.keep('refs/a7/test/last', tree);
    };
    await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 25 }), run), { numRuns: 60 });
    expect(plainGit(['--git-dir', gitDir, 'fsck', '--strict', '--no-dangling'])).toBe('');
  });

  test.each([
    ['', 'empty'],
    ['/etc/passwd', 'absolute'],
    ['../x', 'dot'],
    ['a/../x', 'dot'],
    ['./x', 'dot'],
    ['a//b', 'empty'],
    ['a/', 'empty'],
    ['.git/config', 'git'],
    ['a/.GIT/hooks/x', 'git'],
    ['.gIt', 'git'],
    ['git~1/x', 'git'],
    ['GIT~2', 'git'],
    ['.g\u200cit/x', 'invisible'],
    ['.git\ufeff', 'invisible'],
    ['.git ', 'edge'],
    ['.git.', 'edge'],
    ['.g\u0131t', 'dotless i'],
    ['.git::$INDEX_ALLOCATION/x', 'stream'],
    ['a\\b', 'backslash'],
    ['a\nb', 'line break'],
    ['a\0b', 'NUL'],
    ['a\u202eb', 'direction'],
    ['e\u0301', 'not NFC'],
    ['\ud800', 'surrogate'],
    ['a/'.repeat(20) + 'b', 'too deep'],
    ['x'.repeat(201), 'long name'],
    [Array.from({ length: 5 }, () => 'x'.repeat(150)).join('/'), 'long path'],
  ])('refuses the path %j (%s)', async (path) => {
    const result = await store.writeFiles(store.emptyTree, [write('ok.py', ''), write(path, 'x')]);
    expect(result).toMatchObject({ status: 'refused', refusals: [{ path, reason: 'path' }] });
  });

  test.each([
    ['auth/jwt.py', 'auth/JWT.py'],
    ['auth/jwt.py', 'Auth/other.py'],
    ['straße', 'STRASSE'],
    ['é/x', 'É/y'],
    ['K', '\u212a'.normalize('NFKC').toLowerCase()],
  ])('refuses %j beside %j', async (there, added) => {
    const tree = await make({ [there]: '' });
    const result = await store.writeFiles(tree, [write(added, '')]);
    expect(result).toMatchObject({ status: 'refused', refusals: [{ reason: 'collision' }] });
  });

  test('refuses a file where a folder is, and a folder where a file is', async () => {
    const tree = await make({ 'a/b': '', c: '' });
    expect(await store.writeFiles(tree, [write('a', '')])).toMatchObject({
      refusals: [{ reason: 'file_and_folder' }],
    });
    expect(await store.writeFiles(tree, [write('c/d', '')])).toMatchObject({
      refusals: [{ reason: 'file_and_folder' }],
    });
  });

  test('lets a rename change letter case, and a file give way to a folder', async () => {
    const tree = await make({ a: 'x', c: '' });
    const found = await store.lookup(tree, 'a');
    if (found.kind !== 'file') throw new Error('expected a file');
    const next = treeOf(
      await store.writeFiles(tree, [
        { kind: 'place', path: 'A', entry: found.entry },
        { kind: 'delete', path: 'a' },
        { kind: 'delete', path: 'c' },
        write('c/d', ''),
      ]),
    );
    expect((await store.listTree(next)).map((entry) => entry.path)).toEqual(['A', 'c/d']);
  });

  test('leaves links alone and makes none', async () => {
    const oid = plainGit(['--git-dir', gitDir, 'hash-object', '-w', '--stdin'], { input: '/etc/passwd' });
    const tree = plainGit(['--git-dir', gitDir, 'mktree'], { input: `120000 blob ${oid}\tlink\n` });
    expect(await store.writeFiles(tree, [write('link', 'x')])).toMatchObject({
      refusals: [{ reason: 'link' }],
    });
    expect(await store.writeFiles(tree, [{ kind: 'delete', path: 'link' }])).toMatchObject({
      refusals: [{ reason: 'link' }],
    });
    expect(
      await store.writeFiles(tree, [{ kind: 'place', path: 'l2', entry: { kind: 'symlink', oid } }]),
    ).toMatchObject({
      refusals: [{ reason: 'link' }],
    });
    expect(treeOf(await store.writeFiles(tree, [write('x', '')]))).not.toBe(tree);
    await expect(store.files(tree)).rejects.toMatchObject({ name: 'UnsafeTreeError', path: 'link' });
    expect(await store.readFile(tree, 'link')).toBeNull();
  });
});

describe('files()', () => {
  test('gives raw bytes and modes, whatever .gitattributes says', async () => {
    const tree = treeOf(
      await store.writeFiles(store.emptyTree, [
        write('.gitattributes', '* export-ignore text eol=crlf ident\n'),
        write('run.sh', '$Id$\n', true),
      ]),
    );
    const files = await store.files(tree);
    expect(files.map((file) => [file.path, Buffer.from(file.bytes).toString(), file.executable])).toEqual([
      ['.gitattributes', '* export-ignore text eol=crlf ident\n', false],
      ['run.sh', '$Id$\n', true],
    ]);
    expect(treeOf(await store.importFiles(files))).toBe(tree);
  });

  test('refuses a tree whose names git accepted and we do not', async () => {
    const oid = plainGit(['--git-dir', gitDir, 'hash-object', '-w', '--stdin'], { input: 'x' });
    for (const names of [['.git'], ['..'], ['a', 'A']]) {
      const input = names.map((name) => `100644 blob ${oid}\t${name}\n`).join('');
      const tree = plainGit(['--git-dir', gitDir, 'mktree'], { input });
      await expect(store.files(tree)).rejects.toMatchObject({ name: 'UnsafeTreeError' });
    }
  });
});

describe('lookup()', () => {
  test('never hands a path to git: line breaks and ".." find nothing', async () => {
    const tree = await make({ 'a/b': 'x', hidden: 'secret' });
    const hidden = await store.lookup(tree, 'hidden');
    const oid = hidden.kind === 'file' ? hidden.entry.oid : '';
    for (const path of [`nope\n${oid}`, '../hidden', 'a/../hidden', 'a/b/c', '/hidden', oid]) {
      expect(await store.lookup(tree, path)).toEqual({ kind: 'missing' });
    }
    await expect(store.readBlob(`nope\n${oid}`)).rejects.toThrow('must be 40 hex digits');
    await expect(store.readBlob('0'.repeat(40))).rejects.toMatchObject({ name: 'GitObjectError' });
    expect((await store.readFile(tree, 'a/b'))?.toString()).toBe('x');
  });
});

describe('overlay()', () => {
  test('replaces exactly the own paths', async () => {
    const head = await make({ 'auth/jwt.py': 'old', 'auth/gone.py': '', 'price/money.py': 'head' });
    const source = await make({ 'auth/jwt.py': 'new', 'auth/more.py': '', 'price/money.py': 'shadow' });
    const result = treeOf(await store.overlay({ headTree: head, ownGlobs: ['auth/**'], sourceTree: source }));
    expect(result).toBe(await make({ 'auth/jwt.py': 'new', 'auth/more.py': '', 'price/money.py': 'head' }));
  });

  test('refuses a path outside the write set and one that head changed since', async () => {
    const before = await make({ 'auth/jwt.py': '1', 'price/money.py': '1' });
    const headTree = await make({ 'auth/jwt.py': '2', 'price/money.py': '2' });
    const sourceTree = await make({ 'auth/jwt.py': '3', 'price/money.py': '3' });
    const start = { sourceTree: before, headTree: before };
    const result = await store.overlay({ headTree, ownGlobs: ['auth/**'], sourceTree, start });
    expect(result).toMatchObject({
      status: 'refused',
      refusals: [
        { path: 'price/money.py', reason: 'outside_write_set' },
        { path: 'auth/jwt.py', reason: 'changed_in_head' },
      ],
    });
  });
});

describe('filterTree() and mergeDisjoint()', () => {
  test('take a tree apart and put it together again', async () => {
    const tree = await make({ 'a/x': '1', 'a/y': '2', 'b/z': '3', c: '4' });
    const left = await store.filterTree(tree, (path) => path.endsWith('x'));
    const right = await store.filterTree(tree, (path) => !path.endsWith('x'));
    expect((await store.listTree(left)).map((entry) => entry.path)).toEqual(['a/x']);
    expect(await store.mergeDisjoint([left, right])).toEqual({ status: 'ok', tree });
    expect(await store.mergeDisjoint([left, tree])).toEqual({ status: 'ok', tree });
    expect(await store.filterTree(tree, () => false)).toBe(store.emptyTree);
    expect(await store.mergeDisjoint([])).toEqual({ status: 'ok', tree: store.emptyTree });
  });

  test.each([
    [{ a: '1' }, { a: '2' }],
    [{ a: '1' }, { 'a/b': '2' }],
    [{ a: '1' }, { A: '1' }],
    [{ 'd/a': '1' }, { 'D/b': '1' }],
  ])('refuse %j with %j', async (one, two) => {
    expect(await store.mergeDisjoint([await make(one), await make(two)])).toMatchObject({
      status: 'refused',
      refusals: [{ reason: 'collision' }],
    });
  });
});

describe('diff()', () => {
  test('names what differs', async () => {
    const before = await make({ a: '1', 'd/b': '1', 'd/c': '1' });
    const after = await make({ 'a/x': '1', 'd/b': '2', 'd/c': '1' });
    const paths = (await store.diff(before, after)).map((one) => [
      one.path,
      one.before !== null,
      one.after !== null,
    ]);
    expect(paths).toEqual([
      ['a', true, false],
      ['a/x', false, true],
      ['d/b', true, true],
    ]);
  });
});

describe('refs', () => {
  test('are kept, listed, read by git, packed by git, and deleted', async () => {
    const tree = await make({ a: '1' });
    await store.keep('refs/a7/suite/auth.jwt', tree);
    await store.keep('refs/a7/prov/x', store.emptyTree);
    await store.keep('refs/a7/prov/x', tree);
    expect(plainGit(['--git-dir', gitDir, 'rev-parse', 'refs/a7/prov/x'])).toBe(tree);
    plainGit(['--git-dir', gitDir, 'pack-refs', '--all']);
    expect(await store.readRef('refs/a7/suite/auth.jwt')).toBe(tree);
    await store.keep('refs/a7/prov/y', tree);
    expect((await store.listRefs('refs/a7/prov/')).map((one) => one.ref)).toEqual([
      'refs/a7/prov/x',
      'refs/a7/prov/y',
    ]);
    await store.deleteRef('refs/a7/prov/y');
    expect(await store.readRef('refs/a7/prov/y')).toBeNull();
    plainGit(['--git-dir', gitDir, 'gc', '--prune=now', '--quiet']);
    expect((await store.listTree(tree)).length).toBe(1);
  });

  test.each([
    'refs/heads/main',
    'refs/a7/../heads/main',
    'refs/a7/a.lock',
    'refs/a7//a',
    'refs/a7/.a',
    'refs/a7/a\nb',
  ])('refuse the name %j', async (ref) => {
    await expect(store.keep(ref, store.emptyTree)).rejects.toThrow('Cannot use ref');
  });
});

describe('importCommit() and packBase()', () => {
  test('copy a tree as one pack; a reader process that dies is replaced', async () => {
    const work = join(folder.path, 'work');
    plainGit(['init', '-q', '-b', 'main', work]);
    await writeFile(join(work, 'a.py'), 'x\n');
    plainGit(['add', '.'], { cwd: work });
    plainGit(['commit', '-q', '-m', 'x'], { cwd: work });
    const tree = await store.importCommit(join(work, '.git'), plainGit(['rev-parse', 'HEAD'], { cwd: work }));
    expect((await store.readFile(tree, 'a.py'))?.toString()).toBe('x\n');
    await store.close();
    const next = treeOf(await store.writeFiles(tree, [write('b.py', 'y')]));
    await store.packBase(next);
    const fresh = await createObjectStore({ gitDir });
    expect((await fresh.readFile(next, 'b.py'))?.toString()).toBe('y');
    await fresh.close();
    expect(plainGit(['--git-dir', gitDir, 'config', 'gc.auto'])).toBe('0');
  });
});
