/** What git would do on the host by itself: hooks, filters, monitors, links into other stores, replaced objects. */
import { existsSync } from 'node:fs';
import { appendFile, chmod, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createContentRepo } from '../../../adapters/git/content-repo.ts';
import { createObjectStore } from '../../../adapters/git/object-store.ts';
import { plainGit } from '../../support/git-repo.ts';
import { family, type Act, type Held } from '../attack.ts';
import type { Field } from '../field.ts';
import { blocked, through } from '../perform.ts';
import { linkedTree } from '../linked-tree.ts';

const write = (path: string): Act => ({
  kind: 'tool',
  call: { tool: 'write_file', input: { path, content: '#!/bin/sh\n', executable: true, intent: 'attack' } },
});

interface Trap {
  /** A file that exists once a program of the repository ran. */
  readonly sprung: string;
  readonly gitDir: string;
  readonly workTree: string;
  /** A program of the attacker. */
  readonly program: string;
}

/** A person's repository with a trap in it: the product makes a commit there, and the trap must not spring. */
function trapped(set: (trap: Trap) => Promise<void>, files: Readonly<Record<string, string>> = {}): Act {
  return { kind: 'staged', run: (field) => commitInto(field, set, files) };
}

async function commitInto(
  field: Field,
  set: (trap: Trap) => Promise<void>,
  files: Readonly<Record<string, string>>,
): Promise<Held> {
  const folder = await mkdtemp(join(field.folder, 'trap-'));
  const [workTree, storeDir, sprung] = [
    join(folder, 'content'),
    join(folder, 'store.git'),
    join(folder, 'SPRUNG'),
  ];
  const store = await createObjectStore({ gitDir: storeDir });
  const repo = createContentRepo({ workTree, storeDir });
  try {
    await repo.init();
    const program = join(folder, 'program.sh');
    await writeFile(program, `#!/bin/sh\ntouch ${sprung}\ncat\n`);
    await chmod(program, 0o755);
    await set({ sprung, gitDir: join(workTree, '.git'), workTree, program });
    const text = { 'shop/thing.py': 'VALUE = 1\n', ...files };
    const made = await store.importFiles(
      Object.entries(text).map(([path, body]) => ({ path, bytes: Buffer.from(body) })),
    );
    if (made.status === 'refused') return blocked(made.refusals[0]?.reason ?? 'refused');
    const head = await repo.head();
    const done = await repo.commit({
      expectedHead: head,
      tree: made.tree,
      message: 'work',
      trailers: [],
      dateSeconds: 1,
    });
    await repo.status();
    if (existsSync(sprung)) return through('a program of the repository ran on the host');
    if (done.status !== 'committed') return blocked(done.status);
    const onDisk = await readFile(join(workTree, 'shop/thing.py'), 'utf8');
    return onDisk === 'VALUE = 1\n' ? blocked('not_run') : through('a filter changed the bytes');
  } finally {
    await Promise.all([store.close(), repo.close()]);
  }
}

/** A name that git's batch protocol would take for an object. */
async function injectedName(field: Field): Promise<Held> {
  const hidden = await field.store.importFiles([{ path: 'hidden', bytes: Buffer.from('HIDDEN') }]);
  if (hidden.status === 'refused') return blocked('refused');
  const found = await field.store.lookup(hidden.tree, 'hidden');
  if (found.kind !== 'file') return through('the canary is not there');
  const path = `nope\n${found.entry.oid}`;
  const result = await field.tools.run(
    field.store.emptyTree,
    { writeSet: [] },
    {
      tool: 'read_file',
      input: { path, intent: 'attack' },
    },
  );
  const shown = await field.store.readFile(hidden.tree, 'hidden');
  if (result.text.includes('HIDDEN') || shown?.toString() !== 'HIDDEN') return through('the answers shifted');
  return result.status === 'failure' ? blocked(result.errorType) : through('the path was read');
}

/** A tree whose objects lie about themselves by a replace ref. */
async function replacedObject(field: Field): Promise<Held> {
  const gitDir = join(field.folder, 'store.git');
  const make = async (text: string): Promise<string> => {
    const made = await field.store.importFiles([{ path: 'a.py', bytes: Buffer.from(text) }]);
    if (made.status === 'refused') throw new Error('refused');
    return made.tree;
  };
  const [good, evil] = [await make('GOOD\n'), await make('EVIL\n')];
  plainGit(['--git-dir', gitDir, 'update-ref', `refs/replace/${good}`, evil]);
  const store = await createObjectStore({ gitDir });
  try {
    const text = (await store.readFile(good, 'a.py'))?.toString();
    return text === 'GOOD\n' ? blocked('replace_refs_off') : through('the replaced object was read');
  } finally {
    await store.close();
    plainGit(['--git-dir', gitDir, 'update-ref', '-d', `refs/replace/${good}`]);
  }
}

/** Links and other repositories in a tree that is to be laid into a room. */
async function unsafeTree(field: Field, kind: 'link' | 'submodule'): Promise<Held> {
  const gitDir = join(field.folder, 'store.git');
  const made = await field.store.importFiles([{ path: 'shop/thing.py', bytes: Buffer.from('/etc/passwd') }]);
  const found = made.status === 'ok' ? await field.store.lookup(made.tree, 'shop/thing.py') : null;
  if (made.status !== 'ok' || found?.kind !== 'file') return through('no base');
  const rows = `160000 commit ${'1'.repeat(40)}\tevil\n`;
  const tree =
    kind === 'link'
      ? linkedTree(gitDir, made.tree, 'shop', 'link', found.entry.oid)
      : plainGit(['--git-dir', gitDir, 'mktree', '--missing'], { input: rows });
  const outcome = await field.store.files(tree).then(
    () => 'laid',
    (error: unknown) => (error instanceof Error ? error.name : 'error'),
  );
  return outcome === 'laid' ? through('it was laid') : blocked(outcome);
}

/** Variables of a person's shell that point git elsewhere. */
async function environment(field: Field): Promise<Held> {
  const gitDir = join(field.folder, 'store.git');
  const names = { GIT_DIR: '/nonexistent', GIT_OBJECT_DIRECTORY: '/nonexistent', GIT_CONFIG_COUNT: '1' };
  const before = Object.fromEntries(Object.keys(names).map((name) => [name, process.env[name]]));
  Object.assign(process.env, names, { GIT_CONFIG_KEY_0: 'core.hooksPath', GIT_CONFIG_VALUE_0: '/tmp' });
  const store = await createObjectStore({ gitDir });
  try {
    const made = await store.importFiles([{ path: 'a', bytes: Buffer.from('a') }]);
    if (made.status === 'refused') return through('the store could not write');
    await store.keep('refs/a7/attack/environment', made.tree);
    const kept = await store.readRef('refs/a7/attack/environment');
    return kept === made.tree ? blocked('environment_ignored') : through('git looked elsewhere');
  } finally {
    await store.close();
    for (const [name, value] of Object.entries(before))
      if (value === undefined) Reflect.deleteProperty(process.env, name);
    for (const name of ['GIT_CONFIG_KEY_0', 'GIT_CONFIG_VALUE_0']) Reflect.deleteProperty(process.env, name);
  }
}

const setting =
  (name: string) =>
  async ({ workTree, program }: Trap) => {
    plainGit(['-C', workTree, 'config', name, program]);
    return Promise.resolve();
  };
const hook =
  (name: string) =>
  async ({ gitDir, sprung }: Trap): Promise<void> => {
    await mkdir(join(gitDir, 'hooks'), { recursive: true });
    await writeFile(join(gitDir, 'hooks', name), `#!/bin/sh\ntouch ${sprung}\n`);
    await chmod(join(gitDir, 'hooks', name), 0o755);
  };
const filter = async (trap: Trap): Promise<void> => {
  for (const side of ['clean', 'smudge', 'process']) await setting(`filter.evil.${side}`)(trap);
  await mkdir(join(trap.gitDir, 'info'), { recursive: true });
  await appendFile(join(trap.gitDir, 'info/attributes'), '* filter=evil ident eol=crlf\n');
};

export const GIT = family('git tricks', {
  'tool: a hook': write('.git/hooks/post-commit'),
  'tool: a hook below the own files': write('shop/thing/.git/hooks/post-checkout'),
  'tool: the configuration in other letters': write('shop/thing/.GiT/config'),
  'tool: the short name of .git': write('shop/thing/GIT~1/config'),
  'tool: .gitmodules': write('.gitmodules'),
  'tool: .gitattributes': write('shop/thing/.gitattributes'),
  'import: .git of another folder': { kind: 'import', paths: ['shop/.git/config'] },
  'import: .git with a letter that HFS ignores': { kind: 'import', paths: ['shop/.g\u200cit/config'] },
  'import: the short name of .git': { kind: 'import', paths: ['git~1/config'] },
  'archive: a hook in other letters': {
    kind: 'archive',
    entries: [{ name: '0/.GIT/hooks/post-checkout', body: '#!/bin/sh\n' }],
  },
  'repository: hooks of a commit': trapped(hook('post-commit')),
  'repository: a hook of each ref': trapped(hook('reference-transaction')),
  'repository: a hook of the index': trapped(hook('post-index-change')),
  'repository: a monitor of files': trapped(setting('core.fsmonitor')),
  'repository: a pager, an editor, a signer': trapped(async (trap) => {
    for (const name of ['core.pager', 'core.editor', 'gpg.program', 'diff.external', 'core.sshCommand'])
      await setting(name)(trap);
    plainGit(['-C', trap.workTree, 'config', 'commit.gpgSign', 'true']);
  }),
  'repository: filters and attributes': trapped(filter),
  'tree: attributes that name a filter': trapped(filter, { 'shop/.gitattributes': '* filter=evil\n' }),
  'tree: a link laid into a room': { kind: 'staged', run: (field) => unsafeTree(field, 'link') },
  'tree: a submodule laid into a room': { kind: 'staged', run: (field) => unsafeTree(field, 'submodule') },
  'store: a replaced object': { kind: 'staged', run: replacedObject },
  'store: a name that is an object': { kind: 'staged', run: injectedName },
  'store: variables that point elsewhere': { kind: 'staged', run: environment },
});
