// The branch against the ledger: who committed what, and that nobody wrote what was not theirs.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { git, gitText, listTree, tryGit } from './git.mjs';
import { matchesAny, ownGlobs } from './globs.mjs';
import { checkMoreTrailers } from './trailers.mjs';

const CHECK = 'branch';
const TRAILERS = ['A7-Node', 'A7-Dispatch', 'A7-Report'];

/** Commits of `main`, oldest first, each with its trailers, files and the `committed` event that names it. */
export async function auditBranch({ dir, ledger, fold, books }, found) {
  const gitDir = join(dir, 'content', '.git');
  const branch = { gitDir, head: null, commits: [] };
  if (!existsSync(gitDir)) {
    if (Object.values(fold.nodes).some((node) => node.status === 'grounded')) {
      found.fail(CHECK, 'content', 'holds no repository, though nodes are grounded');
    }
    found.done(CHECK, 'no repository');
    return branch;
  }
  const head = await tryGit(gitDir, ['rev-parse', '--verify', '--quiet', 'refs/heads/main^{commit}']);
  branch.head = head.code === 0 ? head.stdout.toString('utf8').trim() : null;
  const ids =
    branch.head === null
      ? []
      : (await gitText(gitDir, ['rev-list', '--reverse', branch.head])).trim().split('\n');
  const events = committedEvents(ledger.lines);
  for (const id of ids) branch.commits.push(await readCommit(gitDir, id, events, found));
  await auditRepository(gitDir, found);
  checkEvents(branch, events, ledger, found);
  checkNodes(branch, fold, ledger, found);
  checkHead(branch, fold, found);
  for (const [index, commit] of branch.commits.entries()) {
    const next = branch.commits.slice(index).find((each) => each.event !== null);
    await checkPaths(gitDir, commit, books.at(next?.event.seq ?? Infinity), found);
  }
  found.done(
    CHECK,
    `${branch.commits.filter((each) => each.node !== null).length} commits of nodes, ${branch.commits.filter((each) => each.node === null).length} of scaffold`,
  );
  return branch;
}

/** Code commits by object id, with their intent and place in the ledger. */
function committedEvents(lines) {
  const intents = new Map();
  const events = new Map();
  for (const line of lines) {
    if (line.type === 'commit_intent') intents.set(line.data.intent.intentId, line.data.intent);
    if (line.type !== 'committed' || line.data.kind !== 'code') continue;
    const before = events.get(line.data.commit) ?? [];
    events.set(line.data.commit, [
      ...before,
      { ...line.data, seq: line.seq, intent: intents.get(line.data.intentId) ?? null },
    ]);
  }
  return events;
}

async function readCommit(gitDir, id, events, found) {
  const text = await gitText(gitDir, ['cat-file', 'commit', id]);
  const blank = text.indexOf('\n\n');
  const header = text.slice(0, blank).split('\n');
  const parents = header.filter((row) => row.startsWith('parent ')).map((row) => row.slice(7));
  const tree = header[0].slice(5);
  if (parents.length > 1) found.fail(CHECK, id, `has ${parents.length} parents: the branch is one line`);
  const trailers = trailersOf(text.slice(blank + 2));
  for (const [name, values] of Object.entries(trailers)) {
    if (values.length > 1) found.fail(CHECK, id, `has the trailer ${name} ${values.length} times`);
  }
  const node = trailers['A7-Node']?.[0] ?? null;
  const missing = TRAILERS.filter((name) => trailers[name] === undefined);
  if (node !== null && missing.length > 0) found.fail(CHECK, id, `lacks the trailer ${missing.join(', ')}`);
  const files = await listTree(gitDir, tree);
  const event = events.get(id)?.[0] ?? null;
  const dispatch = trailers['A7-Dispatch']?.[0] ?? null;
  return {
    id,
    parent: parents[0] ?? null,
    tree,
    node,
    dispatch,
    report: trailers['A7-Report']?.[0] ?? null,
    trailers,
    files,
    event,
    isWithdrawal: trailers['A7-Withdrawn'] !== undefined,
  };
}

/** Trailers of the last paragraph, by name. */
function trailersOf(message) {
  const paragraph = message.trimEnd().split(/\n\n+/u).at(-1) ?? '';
  const trailers = {};
  for (const row of paragraph.split('\n')) {
    const match = /^([A-Za-z][A-Za-z0-9-]*): (.*)$/u.exec(row);
    if (match !== null) trailers[match[1]] = [...(trailers[match[1]] ?? []), match[2].trim()];
  }
  return trailers;
}

async function auditRepository(gitDir, found) {
  const fsck = await tryGit(gitDir, ['fsck', '--full', '--no-dangling', '--no-progress']);
  const said = `${fsck.stdout.toString('utf8')}${fsck.stderr.toString('utf8')}`.trim();
  if (fsck.code !== 0) found.fail(CHECK, 'git fsck', said.slice(0, 500));
  for (const name of ['objects/info/alternates', 'info/grafts', 'shallow']) {
    if (existsSync(join(gitDir, name)))
      found.fail(CHECK, name, 'must not exist: history would come from elsewhere');
  }
  const symbolic = await tryGit(gitDir, ['symbolic-ref', 'HEAD']);
  const head = symbolic.stdout.toString('utf8').trim();
  if (head !== 'refs/heads/main')
    found.fail(CHECK, 'HEAD', `is at ${head || 'no branch'}, not at refs/heads/main`);
}

/** Each commit of a node is named by exactly one event that says the same, in the same order. */
function checkEvents(branch, events, ledger, found) {
  const onBranch = new Set(branch.commits.map((commit) => commit.id));
  for (const [id, told] of events) {
    if (told.length > 1) found.fail(CHECK, id, `is named by ${told.length} committed events`);
    if (!onBranch.has(id))
      found.fail(CHECK, id, `is committed by the ledger for ${told[0].nodeId} and not on the branch`);
  }
  let seq = 0;
  for (const commit of branch.commits.filter((each) => each.node !== null)) {
    const { event } = commit;
    if (event === null) {
      found.fail(CHECK, commit.id, `says it is ${commit.node}, and no committed event of kind code names it`);
      continue;
    }
    if (event.nodeId !== commit.node)
      found.fail(CHECK, commit.id, `says ${commit.node}, the ledger says ${event.nodeId}`);
    if (event.intent?.dispatchId !== commit.dispatch)
      found.fail(
        CHECK,
        commit.id,
        `has the dispatch ${commit.dispatch}, its intent ${event.intent?.dispatchId}`,
      );
    if (event.intent?.reportDigest !== commit.report)
      found.fail(
        CHECK,
        commit.id,
        `has the report ${commit.report}, its intent ${event.intent?.reportDigest}`,
      );
    checkMoreTrailers(commit, event, ledger, found);
    if (event.seq < seq)
      found.fail(CHECK, commit.id, 'lies on the branch in another order than in the ledger');
    seq = event.seq;
  }
}

/** One commit a grounded node; a second one only where the node was opened again in between. */
function checkNodes(branch, fold, ledger, found) {
  for (const [id, node] of Object.entries(fold.nodes)) {
    const own = branch.commits.filter((commit) => commit.node === id);
    const isGrounded = node.status === 'grounded' || node.was?.status === 'grounded';
    if (isGrounded && own.length === 0) found.fail(CHECK, id, 'is grounded and has no commit on the branch');
    for (const [index, commit] of own.slice(1).entries()) {
      const from = own[index].event?.seq ?? 0;
      const upTo = commit.event?.seq ?? Infinity;
      const isReopened = ledger.lines.some((line) => line.seq > from && line.seq < upTo && reopens(line, id));
      if (!isReopened)
        found.fail(CHECK, commit.id, `is a second commit of ${id}, which nothing opened again`);
    }
  }
}

function reopens(line, id) {
  if (line.type === 'contract_changed') return line.data.nodes.some((node) => node.id === id);
  if (line.type === 'replaced') return line.data.nodeId === id || line.data.dependents.includes(id);
  return line.type === 'healed' && line.data.root === id;
}

/** The head that the ledger knows is the branch, or the branch went on with scaffold only. */
function checkHead(branch, fold, found) {
  if (fold.head === null || fold.head === branch.head) return;
  const at = branch.commits.findIndex((commit) => commit.id === fold.head);
  if (at === -1) found.fail(CHECK, fold.head, 'is the head by the ledger and not on the branch');
  else if (branch.commits.slice(at + 1).some((commit) => commit.node !== null))
    found.fail(CHECK, branch.head, 'goes on with work that the ledger does not know');
}

/** A commit of a node changes its own files only; one of scaffold changes no file of any node. */
async function checkPaths(gitDir, commit, contracts, found) {
  for (const { mode, path } of commit.files) {
    if (mode !== '100644' && mode !== '100755')
      found.fail(CHECK, commit.id, `${path} has mode ${mode}: regular files only`);
    if (path.split('/').some(isGitName))
      found.fail(CHECK, commit.id, `${path} is a name that git itself uses`);
  }
  const own = contracts.find((contract) => contract.id === commit.node);
  if (commit.node !== null && own === undefined) {
    found.fail(CHECK, commit.id, `names the node ${commit.node}, which no contract knows`);
    return;
  }
  for (const path of await changedPaths(gitDir, commit)) {
    if (own !== undefined && !matchesAny(ownGlobs(own), path))
      found.fail(CHECK, commit.id, `${path} is outside the files of ${own.id}`);
    const owner =
      own === undefined ? contracts.find((contract) => matchesAny(ownGlobs(contract), path)) : undefined;
    const isGone = !commit.files.some((file) => file.path === path);
    if (owner !== undefined && !(commit.isWithdrawal && isGone))
      found.fail(CHECK, commit.id, `has no trailer A7-Node and changes ${path} of ${owner.id}`);
  }
}

async function changedPaths(gitDir, commit) {
  const range = commit.parent === null ? ['--root', commit.id] : [commit.parent, commit.id];
  const args = [
    'diff-tree',
    '-r',
    '-z',
    '--no-commit-id',
    '--no-renames',
    '--no-ext-diff',
    '--name-only',
    ...range,
  ];
  const text = (await git(gitDir, args)).toString('utf8');
  return text.split('\0').filter((path) => path !== '');
}

function isGitName(name) {
  const plain = name
    .normalize('NFKC')
    .replace(/[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/gu, '')
    .toLowerCase();
  return /^(?:\.git|git~\d+|\.|\.\.|)[. ]*$/u.test(plain);
}
