/** Every kind of repository: what an order can work on stays byte for byte as it was, the rest is refused before anything is paid. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import {
  lstatSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { plainGit } from '../support/git-repo.ts';
import { type OrderYard, orderYard } from '../support/orders.ts';

let yard: OrderYard;
beforeAll(async () => {
  yard = await orderYard();
});
afterAll(() => yard.close());

/** Contract checks alone: what is tried is the way in and out. */
const CONTRACT = {
  from: 'file' as const,
  text: 'version: 1\ncontract:\n  required_files: [README.md, manifest.json]\nfixtures:\n  - { name: ok, command: ["true"], expect: { exit_code: 0 } }\n',
  file: 'p.yaml',
};
const EDIT = 'echo edited >> README.md';

const place = (name: string): string => join(yard.home, 'repos', name);

/** The toy with a past of two commits, which partial clones may be made of. */
function origin(name: string): string {
  const repo = yard.repository(name);
  writeFileSync(join(repo, 'README.md'), 'second\n');
  plainGit(['commit', '--quiet', '-am', 'second'], { cwd: repo });
  plainGit(['config', 'uploadpack.allowFilter', 'true'], { cwd: repo });
  return repo;
}

/** Clones with these options, also by the address of a file, which shallow and partial clones need. */
function clone(from: string, name: string, ...options: string[]): string {
  plainGit(['clone', '--quiet', ...options, `file://${from}`, place(name)]);
  return place(name);
}

/** Names, modes, times and bytes of everything in the folders. */
function allOf(folders: readonly string[]): readonly string[] {
  const walk = (at: string): string[] => {
    const stats = lstatSync(at);
    if (stats.isDirectory())
      return [`${at} ${String(stats.mtimeMs)}`, ...readdirSync(at).flatMap((name) => walk(join(at, name)))];
    const bytes = stats.isSymbolicLink() ? readlinkSync(at) : readFileSync(at);
    const digest = createHash('sha256').update(bytes).digest('hex');
    return [`${at} ${String(stats.mode)} ${String(stats.mtimeMs)} ${digest}`];
  };
  return folders.flatMap(walk);
}

/** A repository, and all folders that belong to it. */
type Kind = readonly [repo: string, ...others: string[]];

const KINDS: Readonly<Record<string, () => Kind>> = {
  bare: () => [clone(origin('o-bare'), 'bare.git', '--bare')],
  shallow: () => [clone(origin('o-shallow'), 'shallow', '--depth', '1')],
  'of a work tree': () => {
    const main = origin('o-tree');
    plainGit(['worktree', 'add', '--quiet', '-b', 'side', place('tree')], { cwd: main });
    return [place('tree'), main];
  },
  'with a detached head': () => {
    const repo = origin('detached');
    plainGit(['checkout', '--quiet', '--detach'], { cwd: repo });
    return [repo];
  },
  'that borrows its objects': () => {
    const lender = origin('lender');
    plainGit(['clone', '--quiet', '--shared', lender, place('borrower')]);
    return [place('borrower'), lender];
  },
  'cloned without files': () => {
    const from = origin('o-partial');
    return [clone(from, 'partial', '--filter=blob:none', '--no-checkout'), from];
  },
  'cloned without folders': () => {
    const from = origin('o-treeless');
    return [clone(from, 'treeless', '--filter=tree:0', '--no-checkout'), from];
  },
  'cloned without files, with a commit of its own': () => {
    const from = origin('o-ahead');
    const repo = clone(from, 'ahead', '--filter=blob:none', '--sparse');
    writeFileSync(join(repo, 'own.txt'), 'own\n');
    plainGit(['add', 'own.txt'], { cwd: repo });
    plainGit(['commit', '--quiet', '-m', 'own'], { cwd: repo });
    return [repo, from];
  },
};

test.each(Object.entries(KINDS))(
  'a repository %s is worked on, stays as it was, and takes the promotion',
  async (_kind, make) => {
    const [repo, ...others] = make();
    const before = allOf([repo, ...others]);
    const { id, state } = await yard.run(repo, {
      gate: CONTRACT,
      command: `cat README.md; git ls-files | wc -l; ${EDIT}`,
    });
    expect(state?.status).toBe('SUCCEEDED');
    expect(allOf([repo, ...others])).toEqual(before);
    expect(yard.read(id, 'iteration-1/agent.log')).toContain('second');

    expect(await yard.services.promote(id, { kind: 'branch', name: 'work' })).toMatchObject({ ok: true });
    expect(plainGit(['show', 'work:README.md'], { cwd: repo })).toBe('second\nedited');
    expect(plainGit(['rev-list', '--count', 'HEAD..work'], { cwd: repo })).toBe('1');
    plainGit(['fsck', '--strict'], { cwd: repo });
  },
);

test('of a partial clone, what its remote does not give is told before anything is paid', async () => {
  const from = origin('o-gone');
  const repo = clone(from, 'gone', '--filter=blob:none', '--no-checkout');
  renameSync(from, `${from}-moved`);
  const before = allOf([repo]);
  const told = await yard.submit(repo, { gate: CONTRACT });
  expect(told).toMatchObject({
    exitCode: 2,
    problems: [{ message: expect.stringContaining('this is a partial clone, and "file://') }],
    nextStep: expect.stringContaining('git fetch --refetch --no-filter'),
  });
  expect(allOf([repo])).toEqual(before);
  // What the advice brings is enough.
  renameSync(`${from}-moved`, from);
  plainGit(['fetch', '--quiet', '--refetch', '--no-filter'], { cwd: repo });
  rmSync(from, { recursive: true });
  expect((await yard.run(repo, { gate: CONTRACT, command: EDIT })).state?.status).toBe('SUCCEEDED');
});

/** What is refused, what the message names, and what the next step says. */
const REFUSED: Readonly<Record<string, readonly [() => string, string, string]>> = {
  'with a submodule': [
    () => {
      const repo = origin('modules');
      plainGit(
        ['-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', origin('o-module'), 'lib'],
        { cwd: repo },
      );
      plainGit(['commit', '--quiet', '-m', 'module'], { cwd: repo });
      return repo;
    },
    '"lib" is a submodule',
    'leave_out',
  ],
  'with a pointer of Git LFS': [
    () => {
      const repo = origin('lfs');
      writeFileSync(join(repo, '.gitattributes'), '*.bin filter=lfs\n');
      const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'7'.repeat(64)}\nsize 5\n`;
      writeFileSync(join(repo, 'a.bin'), pointer);
      plainGit(['-c', 'filter.lfs.clean=cat', 'add', '-A'], { cwd: repo });
      plainGit(['commit', '--quiet', '-m', 'pointer'], { cwd: repo });
      return repo;
    },
    '"a.bin" is a pointer of Git LFS',
    'leave_out',
  ],
  'with a link to a folder': [
    () => {
      const repo = origin('links');
      symlinkSync('tests', join(repo, 'checks'));
      plainGit(['add', '-A'], { cwd: repo });
      plainGit(['commit', '--quiet', '-m', 'link'], { cwd: repo });
      return repo;
    },
    '"checks" is a link to "tests", which is no file',
    'leave_out',
  ],
  'with objects of sha256': [
    () => {
      plainGit(['init', '--quiet', '--object-format=sha256', place('sha256')]);
      writeFileSync(join(place('sha256'), 'README.md'), 'x\n');
      plainGit(['add', '-A'], { cwd: place('sha256') });
      plainGit(['commit', '--quiet', '-m', 'x'], { cwd: place('sha256') });
      return place('sha256');
    },
    'its object format must be sha1, current format is sha256',
    '--repo',
  ],
  'whose branch is not born': [
    () => {
      const repo = origin('unborn');
      plainGit(['checkout', '--quiet', '--orphan', 'fresh'], { cwd: repo });
      return repo;
    },
    'the branch that is checked out, "fresh", has no commit',
    '--base',
  ],
  'without a commit': [
    () => {
      plainGit(['init', '--quiet', place('empty')]);
      return place('empty');
    },
    'the repository has no commit',
    'git add . && git commit',
  ],
};

test('a link to a folder that the plan leaves out stays, and the order is judged', async () => {
  const repo = origin('left');
  symlinkSync('tests', join(repo, 'checks'));
  plainGit(['add', '-A'], { cwd: repo });
  plainGit(['commit', '--quiet', '-m', 'link'], { cwd: repo });
  const gate = { ...CONTRACT, text: `${CONTRACT.text}policy: { leave_out: [checks] }\n` };
  const { id, folder, state } = await yard.run(repo, { gate, command: `ls checks/ && ${EDIT}` });
  expect(state?.status).toBe('SUCCEEDED');
  // A plain clone of its bundle is what the order came to.
  plainGit(['clone', '--quiet', join(folder, 'order.bundle'), place('of-bundle')]);
  expect(readFileSync(join(place('of-bundle'), 'README.md'), 'utf8')).toBe('second\nedited\n');
  expect(yard.read(id, 'iteration-1/agent.log')).toContain('test_total.py');
  expect(await yard.services.promote(id, { kind: 'branch', name: 'work' })).toMatchObject({ ok: true });
  expect(plainGit(['ls-tree', 'work', 'checks'], { cwd: repo })).toMatch(/^120000 /);
});

test('the room holds the bytes of git, whatever attributes say of a checkout, and each turn begins with those of the one before', async () => {
  const repo = origin('attributes');
  writeFileSync(
    join(repo, '.gitattributes'),
    '*.txt text eol=crlf working-tree-encoding=UTF-16\n*.id ident\n',
  );
  const blob = plainGit(['hash-object', '-w', '--stdin', '--no-filters'], {
    cwd: repo,
    input: 'a\nb\n',
  }).trim();
  const ident = plainGit(['hash-object', '-w', '--stdin'], { cwd: repo, input: '$Id$\n' }).trim();
  const deep = `${'long-folder/'.repeat(10)}ä b.txt`;
  for (const [mode, oid, path] of [
    ['100644', blob, 'plain.txt'],
    ['100755', blob, deep],
    ['100644', ident, 'CON.id'],
  ])
    plainGit(['update-index', '--add', '--cacheinfo', `${mode},${oid},${path}`], { cwd: repo });
  plainGit(['update-index', '--add', '.gitattributes'], { cwd: repo });
  plainGit(['commit', '--quiet', '-m', 'attributes'], { cwd: repo });
  const look = `git status --short; git diff --stat; cat CON.id; od -c plain.txt; test -x '${deep}' && echo runs`;
  const gate = {
    ...CONTRACT,
    text: CONTRACT.text.replace('command: ["true"]', 'command: [test, -e, b.txt]'),
  };
  const command = `${look}; if [ "$A7_ITERATION" = 1 ]; then echo 1 > a.txt; rm CON.id; else ls; touch b.txt; fi`;
  const { id, state } = await yard.run(repo, { gate, command, limits: { iterationsMax: 2 } });
  expect(state?.status).toBe('SUCCEEDED');
  const log = yard.read(id, 'iteration-1/agent.log');
  expect(log).toContain('$Id$\n0000000   a  \\n   b  \\n\n0000004\nruns\n');
  expect(log).not.toContain(' M ');
  expect(yard.read(id, 'iteration-2/agent.log')).toMatch(/ D CON\.id\n\?\? a\.txt\n/u);
  const patch = yard.read(id, 'iteration-2/change.patch');
  expect([...patch.matchAll(/^diff --git a\/(.*) b/gmu)].map(([, path]) => path)).toEqual([
    'CON.id',
    'a.txt',
    'b.txt',
  ]);
});

test.each(Object.entries(REFUSED))(
  'a repository %s is refused with the next step, and stays as it was',
  async (_kind, [make, message, next]) => {
    const repo = make();
    const before = allOf([repo]);
    expect(await yard.submit(repo, {})).toMatchObject({
      exitCode: 2,
      problems: [{ message: expect.stringContaining(message) }],
      nextStep: expect.stringContaining(next),
    });
    expect(allOf([repo])).toEqual(before);
  },
);
