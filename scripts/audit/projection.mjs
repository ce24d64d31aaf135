// The report is about these very bytes: the projection that it names is the commit's tree without what the gate leaves
// out, and the suite in it is the one that was locked.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { listTree, objectId } from './git.mjs';
import { isCode, matchesAny, ownGlobs, suiteGlobs } from './globs.mjs';

const CHECK = 'gated bytes';

export async function auditProjection({ dir, branch, books, reports, ledger }, found) {
  let compared = 0;
  for (const commit of branch.commits) {
    const contracts = books.at(commit.event?.seq ?? Infinity);
    const own = contracts.find((contract) => contract.id === commit.node);
    if (own === undefined) continue;
    const report = reports.get(commit.id);
    const projection = treeId(commit.files.filter(({ path }) => isProjected(path, own, contracts)));
    if (report !== undefined && report.subject.projection !== projection) {
      found.fail(
        CHECK,
        commit.id,
        `has the projection ${projection}, its report is about ${report.subject.projection}`,
      );
    }
    if (own.tests === 'none') found.fail(CHECK, commit.id, `is on the branch though ${own.id} has no tests`);
    else if (!commit.files.some(({ path }) => matchesAny(suiteGlobs(own), path)))
      found.fail(CHECK, commit.id, 'holds no suite of its node');
    // A node of type `test` that exports nothing is its suite alone.
    const mayLackCode = own.type === 'test' && own.interface.exports.length === 0;
    if (!mayLackCode && !commit.files.some(({ path }) => isCode(own, path)))
      found.fail(CHECK, commit.id, 'holds no code of its node');
    await checkLock(dir, commit, own, ledger, found);
    compared += 1;
  }
  found.done(CHECK, `${compared} commits`);
}

/** Scaffold, the node's own files and suite, the files of all that it needs. */
function isProjected(path, own, contracts) {
  const globs = [...ownGlobs(own), ...closure(own.id, contracts).flatMap((contract) => contract.files)];
  return matchesAny(globs, path) || !contracts.some((contract) => matchesAny(ownGlobs(contract), path));
}

function closure(id, contracts, seen = new Map()) {
  const deps = contracts.find((contract) => contract.id === id)?.structural_deps ?? [];
  for (const dep of deps) {
    const contract = contracts.find((each) => each.id === dep);
    if (contract === undefined || seen.has(dep)) continue;
    seen.set(dep, contract);
    closure(dep, contracts, seen);
  }
  return [...seen.values()];
}

/** The suite in the commit is the locked version that its intent names. */
async function checkLock(dir, commit, own, ledger, found) {
  const { event } = commit;
  if (event === null || event.intent === null) return;
  const lock = ledger.lines.findLast(
    (line) => line.seq < event.seq && isLock(line, commit.node, event.intent.suite, ledger),
  );
  if (lock === undefined) {
    found.fail(CHECK, commit.id, `was judged by suite ${event.intent.suite}, which the ledger never locked`);
    return;
  }
  const store = join(dir, 'store.git');
  if (!existsSync(store)) {
    found.note(CHECK, commit.id, 'cannot be compared with its locked suite: store.git is not there');
    return;
  }
  let files;
  try {
    files = await listTree(store, lock.data.commit);
  } catch {
    found.note(
      CHECK,
      commit.id,
      'cannot be compared with its locked suite: the object is not in store.git any more',
    );
    return;
  }
  if (suiteText(files, own) !== suiteText(commit.files, own))
    found.fail(CHECK, commit.id, `has another suite than the locked version ${event.intent.suite}`);
}

function isLock(line, node, version, ledger) {
  if (line.type !== 'committed' || line.data.kind !== 'suite' || line.data.nodeId !== node) return false;
  const intent = ledger.lines.find(
    (each) => each.type === 'commit_intent' && each.data.intent.intentId === line.data.intentId,
  );
  return intent?.data.intent.suite === version;
}

function suiteText(files, own) {
  const suite = files.filter(({ path }) => matchesAny(suiteGlobs(own), path));
  return suite
    .map(({ mode, oid, path }) => `${mode} ${oid} ${path}`)
    .sort()
    .join('\n');
}

/** Id of the tree that holds these files and nothing else. */
export function treeId(files) {
  const entries = new Map();
  for (const file of files) {
    const [name, ...rest] = file.path.split('/');
    if (rest.length === 0) entries.set(name, { mode: file.mode, oid: file.oid });
    else
      entries.set(name, {
        mode: '40000',
        files: [...(entries.get(name)?.files ?? []), { ...file, path: rest.join('/') }],
      });
  }
  const rows = [...entries].map(([name, entry]) => {
    const key = Buffer.from(entry.files === undefined ? name : `${name}/`);
    const oid = entry.files === undefined ? entry.oid : treeId(entry.files);
    return { key, bytes: Buffer.concat([Buffer.from(`${entry.mode} ${name}\0`), Buffer.from(oid, 'hex')]) };
  });
  rows.sort((left, right) => Buffer.compare(left.key, right.key));
  return objectId('tree', Buffer.concat(rows.map((row) => row.bytes)));
}
