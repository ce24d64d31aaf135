// A work order: its folder, or the bundle that it left, held against itself with plain git. Imports nothing of the product.
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createFindings } from './findings.mjs';
import { git, gitText, listTree, readBlobs, tryGit } from './git.mjs';
import { canonical, parsed, sha256 } from './json.mjs';
import { readLedger } from './ledger.mjs';
import { auditOrderRuns } from './order-runs.mjs';
import { auditSignatures } from './signatures.mjs';

const TREES = 'trees and patches';
const RECORD = 'record';
const VERDICTS = 'verdicts';
const FILES = 'artifacts';
const ALWAYS = ['order.json', 'task.md', 'events.jsonl', 'state.json', 'change.patch', 'summary.md'];
const OF_ITERATION = ['agent.log', 'build-notes.md', 'report.json', 'report.txt'];

/** True for a folder with an order in it, and for a bundle. */
export function isOrder(path) {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isFile())
    return readFileSync(path).subarray(0, 5).toString() === '# v2 ' || path.endsWith('.bundle');
  return existsSync(join(path, 'order.json')) && existsSync(join(path, 'events.jsonl'));
}

/** Every check; each leaves findings and goes on. `tools`: of findRunners. */
export async function auditOrder(path, values, tools) {
  const found = createFindings();
  const scratch = mkdtempSync(join(tmpdir(), 'audit-order-'));
  try {
    const isFolder = statSync(path).isDirectory();
    const bundle = isFolder ? join(path, 'order.bundle') : path;
    const repo = await openBundle(bundle, scratch, found);
    const dir = isFolder ? path : await recordFolder(repo, scratch);
    const ledger = readLedger(dir, found);
    auditSignatures({ dir, ledger, home: values.home, key: values.key }, found);
    const events = ledger.lines.map(({ type, data }) => ({ type, data }));
    auditRecord(dir, events, found);
    if (isFolder) auditFiles(dir, events, found);
    const iterations = await auditIterations(repo, dir, events, found);
    const runs = values['no-suites']
      ? []
      : await auditOrderRuns({ repo, dir, iterations, scratch, tools }, found);
    const end = events.findLast(({ type }) => type === 'order_ended')?.data.end;
    return {
      session: path,
      findings: found.findings,
      notes: found.notes,
      checks: found.checks,
      commits: runs,
      suitesLeftOut: values['no-suites'],
      facts: { lines: ledger.lines.length, headHash: ledger.headHash, end, iterations },
      tools: tools.described,
    };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** A bare repository with what the bundle holds; null when there is none, as for an order without a base. */
async function openBundle(bundle, scratch, found) {
  if (!existsSync(bundle)) {
    found.note(TREES, 'order.bundle', 'is not there: the order ended before it had a base');
    return null;
  }
  const repo = join(scratch, 'repo.git');
  await git(repo, ['init', '--quiet', '--bare', repo]);
  await git(repo, ['fetch', '--quiet', bundle, '+refs/heads/*:refs/heads/*']);
  const fsck = await tryGit(repo, ['fsck', '--strict', '--no-dangling']);
  if (fsck.code !== 0) found.fail(TREES, 'order.bundle', `git fsck: ${fsck.stderr.toString().trim()}`);
  return repo;
}

/** The record branch as files. */
async function recordFolder(repo, scratch) {
  const dir = join(scratch, 'record');
  const entries = await listTree(repo, 'refs/heads/record');
  const blobs = await readBlobs(
    repo,
    entries.map(({ oid }) => oid),
  );
  for (const { path, oid, mode } of entries) {
    if (mode === '120000' || path.split('/').includes('..')) continue;
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), blobs.get(oid));
  }
  return dir;
}

/** Order, base and plan are those that the ledger names. */
function auditRecord(dir, events, found) {
  const order = readJson(dir, 'order.json');
  const submitted = events[0]?.type === 'order_submitted' ? events[0].data.order : undefined;
  if (canonical(order ?? null) !== canonical(submitted ?? {}))
    found.fail(RECORD, 'order.json', 'differs from what the ledger says was submitted');
  const prepared = events.findLast(({ type }) => type === 'prepared')?.data.base;
  if (prepared !== undefined) {
    if (canonical(readJson(dir, 'before.json') ?? null) !== canonical(prepared))
      found.fail(RECORD, 'before.json', 'differs from the base that the ledger names');
    if (digestOf(dir, 'plan.json') !== prepared.planDigest)
      found.fail(RECORD, 'plan.json', 'is not the plan that the ledger froze');
  }
  const ends = events.filter(({ type }) => type === 'order_ended');
  if (ends.length > 1) found.fail(RECORD, 'events.jsonl', `ends the order ${ends.length} times`);
  const isPassed = events.some(({ type, data }) => type === 'verified' && data.verdict === 'PASS');
  const status = ends[0]?.data.end.status;
  if (status !== undefined && (status === 'SUCCEEDED') !== isPassed)
    found.fail(RECORD, 'events.jsonl', `ends as ${status} ${isPassed ? 'with' : 'without'} a PASS`);
  found.done(RECORD, `${events.length} events, ${status ?? 'open'}`);
}

function auditFiles(dir, events, found) {
  const started = events.filter(({ type }) => type === 'build_started').map(({ data }) => data.iteration);
  const wanted = [...ALWAYS, ...started.flatMap((n) => OF_ITERATION.map((name) => `iteration-${n}/${name}`))];
  for (const name of wanted) if (!existsSync(join(dir, name))) found.fail(FILES, name, 'is missing');
  found.done(FILES, `${wanted.length} files`);
}

/** Trees by git, patches applied by git, reports by their digests. */
async function auditIterations(repo, dir, events, found) {
  const base = events.findLast(({ type }) => type === 'prepared')?.data.base;
  const rows = [];
  for (const { data: taken } of events.filter(({ type }) => type === 'snapshot_taken')) {
    const at = `iteration-${taken.iteration}`;
    const fail = (check, message) => found.fail(check, at, message);
    const snapshot = readJson(dir, `${at}/snapshot.json`);
    if (snapshot?.tree !== taken.tree || snapshot?.commit !== taken.commit)
      fail(TREES, 'snapshot.json differs from what the ledger says was taken');
    if (digestOf(dir, `${at}/change.patch`) !== snapshot?.patchDigest)
      fail(TREES, 'change.patch was changed');
    if (repo !== null && base !== undefined) await auditTree({ repo, dir, at, taken, base }, fail);
    const verified = events.findLast(
      ({ type, data }) => type === 'verified' && data.iteration === taken.iteration,
    )?.data;
    const report = readJson(dir, `${at}/report.json`);
    if (verified !== undefined) auditReport(report, verified, taken, fail);
    rows.push({ iteration: taken.iteration, tree: taken.tree, verdict: verified?.verdict ?? null });
  }
  found.done(TREES, `${rows.length} snapshots`);
  found.done(VERDICTS, rows.map(({ verdict }) => verdict ?? 'none').join(', ') || 'none');
  return rows;
}

async function auditTree({ repo, dir, at, taken, base }, fail) {
  const found = await tryGit(repo, ['rev-parse', '--verify', '--quiet', `refs/heads/${at}^{tree}`]);
  const tree = found.stdout.toString().trim();
  if (tree !== taken.tree)
    return fail(TREES, `the bundle holds tree ${tree || 'none'}, the ledger says ${taken.tree}`);
  const parent = (await gitText(repo, ['rev-parse', `refs/heads/${at}^^{tree}`])).trim();
  if (parent !== base.tree) fail(TREES, `begins at tree ${parent}, the base is ${base.tree}`);
  const patch = readFileSync(join(dir, at, 'change.patch'));
  await git(repo, ['read-tree', base.tree]);
  if (patch.length > 0) {
    const copy = join(dirname(repo), 'patch');
    cpSync(join(dir, at, 'change.patch'), copy);
    const applied = await tryGit(repo, ['apply', '--cached', '--binary', '--whitespace=nowarn', copy]);
    if (applied.code !== 0)
      return fail(
        TREES,
        `the patch does not apply to the base: ${applied.stderr.toString().trim().slice(0, 200)}`,
      );
  }
  const made = (await gitText(repo, ['write-tree'])).trim();
  if (made !== taken.tree) fail(TREES, `base and patch make tree ${made}, not ${taken.tree}`);
}

function auditReport(report, verified, taken, fail) {
  if (report === undefined) return fail(VERDICTS, 'report.json cannot be read');
  if (report.verdict !== verified.verdict || report.digest !== verified.digest)
    fail(
      VERDICTS,
      `report.json says ${report.verdict}, the ledger ${verified.verdict}, or their digests differ`,
    );
  if (report.subject?.tree !== taken.tree) fail(VERDICTS, 'report.json is about another tree');
  if (sha256(stableText(report)) !== report.digest)
    fail(VERDICTS, 'report.json does not hash to its digest: it was changed');
}

/** As docs/orders.md says: without times, and without what was printed. */
function stableText({ timings: _timings, digest: _digest, commands, levels, ...rest }) {
  return canonical({
    ...rest,
    commands: commands.map(({ level, name, command, outcome, tests }) => ({
      level,
      name,
      command,
      outcome,
      tests,
    })),
    levels: levels.map(({ findings, ...level }) => ({
      ...level,
      findings: findings.map(({ excerpt: _excerpt, actual: _actual, ...each }) => each),
    })),
  });
}

function digestOf(dir, name) {
  const path = join(dir, name);
  return existsSync(path) ? sha256(readFileSync(path)) : null;
}

function readJson(dir, name) {
  try {
    return parsed(readFileSync(join(dir, name), 'utf8'));
  } catch {
    return undefined;
  }
}
