// Each commit's suite: green on the commit, with the tests that the report names, and red once its code is a stub.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { readBlobs } from './git.mjs';
import { isCode, matchesAny, suiteGlobs } from './globs.mjs';
import { javascriptRunner } from './javascript.mjs';
import { pythonRunner } from './python.mjs';
import { ToolMissing } from './runners.mjs';
import { typescriptRunner } from './typescript.mjs';

const CHECK = 'suites';
/** Limit of one run: several times what the gate allows by default, for slow machines. */
const RUN_TIMEOUT_MS = 300_000;
const RUNNERS = { python: pythonRunner, javascript: javascriptRunner, typescript: typescriptRunner };

/** One row a commit: tests that ran, and how many went red on each stub. */
export async function auditSuites({ branch, books, reports, tools }, found) {
  const rows = [];
  const base = mkdtempSync(join(tmpdir(), 'a7-audit-'));
  try {
    for (const commit of branch.commits) {
      const contracts = books.at(commit.event?.seq ?? Infinity);
      const contract = contracts.find((each) => each.id === commit.node);
      if (contract === undefined || contract.tests === 'none') continue;
      const runner = RUNNERS[contract.language];
      if (runner === undefined) {
        found.fail(CHECK, commit.id, `cannot be run: this audit has no runner for ${contract.language}`);
        continue;
      }
      const missing = runner.missing(tools);
      if (missing !== null) throw new ToolMissing(missing);
      const blobs = await readBlobs(
        branch.gitDir,
        commit.files.map((file) => file.oid),
      );
      const prepared = (path, bytes) => runner.prepare?.(tools, path, bytes) ?? bytes;
      const tree = commit.files.map(({ path, mode, oid }) => ({
        path,
        mode,
        bytes: prepared(path, blobs.get(oid)),
      }));
      const context = {
        base,
        tools,
        runner,
        contract,
        tree,
        suite: suiteFiles(contract, tree, runner),
        count: 0,
      };
      rows.push(await auditCommit(context, commit, { contracts, report: reports.get(commit.id) }, found));
    }
  } finally {
    rmSync(base, { recursive: true, force: true, maxRetries: 3 });
  }
  found.done(CHECK, `${rows.length} commits run`);
  return rows;
}

function suiteFiles(contract, tree, runner) {
  const paths = tree.map((file) => file.path).filter((path) => matchesAny(suiteGlobs(contract), path));
  return paths.filter((path) => runner.isTest(path));
}

async function auditCommit(context, commit, { contracts, report }, found) {
  const row = { commit: commit.id, node: commit.node, tests: 0, green: false, red: {} };
  const fail = (message) => found.fail(CHECK, commit.id, `${commit.node}: ${message}`);
  const run = await runOn(context, context.tree, true);
  row.tests = run.tests.length;
  row.green =
    run.ended &&
    run.error === null &&
    run.tests.length > 0 &&
    run.tests.every((test) => test.outcome === 'passed');
  if (!row.green) fail(`its suite is not green: ${describe(run)}`);
  if (report !== undefined) compareIds(run, report, fail);
  const stubbed = await stubFiles(context, contracts);
  const inert = isInert(context.contract);
  const red = await Promise.all([
    redOn(context, stubbed.empty),
    inert ? null : redOnHollow(context, stubbed),
  ]);
  [row.red.empty, row.red.hollow] = red;
  if (row.red.empty === 0) fail('its suite is green on empty files');
  if (row.red.hollow === 0) fail('its suite is green where every function returns nothing');
  if (inert)
    found.note(
      CHECK,
      commit.id,
      `${commit.node} does nothing observable by its contract: not run on hollow code`,
    );
  return row;
}

/** Data and exceptions are their own stub: where hollow code leaves a suite green, wrong code decides. */
async function redOnHollow(context, stubbed) {
  return (await redOn(context, stubbed.hollow)) || (await redOn(context, stubbed.wrong));
}

/** How many tests are red; a suite that cannot even be loaded counts as one. */
async function redOn(context, tree) {
  const run = await runOn(context, tree, false);
  const red = run.tests.filter((test) => test.outcome === 'failed').length;
  return red === 0 && (run.error !== null || !run.ended) ? 1 : red;
}

async function stubFiles(context, contracts) {
  const { contract, runner, tree, tools } = context;
  const targets =
    contract.type === 'test'
      ? contracts.filter((each) => contract.structural_deps.includes(each.id))
      : [contract];
  const isTarget = ({ path }) => runner.isSource(path) && targets.some((target) => isCode(target, path));
  const replaced = (make) =>
    Promise.all(
      tree.map(async (file) => (isTarget(file) ? { ...file, bytes: Buffer.from(await make(file)) } : file)),
    );
  return {
    empty: await replaced(() => ''),
    hollow: await replaced((file) => runner.stub(tools, 'hollow', file.bytes.toString('utf8'))),
    wrong: await replaced((file) => runner.stub(tools, 'wrong', file.bytes.toString('utf8'))),
  };
}

async function runOn(context, tree, needsIds) {
  context.count += 1;
  const folder = join(context.base, `${context.contract.id}-${context.count}`);
  for (const file of tree) {
    const path = join(folder, 'work', ...file.path.split('/'));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, file.bytes);
    if (file.mode === '100755') chmodSync(path, 0o755);
  }
  const { environment } = context.contract;
  const env = { TZ: environment?.timeZone ?? 'UTC', ...environment?.variables };
  try {
    return await context.runner.run(context.tools, {
      folder,
      suite: context.suite,
      env,
      timeoutMs: RUN_TIMEOUT_MS,
      needsIds,
    });
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** The tests that ran here are those that the report says ran: by file, groups and name, as often as there. */
function compareIds(run, report, fail) {
  const here = run.tests.map((test) => test.id).sort();
  const told = (report.ids?.ran ?? []).map((id) => [id.file, ...id.nesting, id.name].join('::')).sort();
  if (here.length !== told.length) fail(`${here.length} tests ran here, its report says ${told.length}`);
  else if (here.join('\n') !== told.join('\n')) {
    const other = here.find((id) => !told.includes(id)) ?? here[0];
    fail(`other tests ran here than its report says, for example ${other}`);
  }
}

function isInert(contract) {
  const { exports = [], inert = [] } = contract.interface ?? {};
  return exports.length > 0 && inert.length >= exports.length;
}

function describe(run) {
  if (run.error !== null) return run.error;
  if (!run.ended) return 'the run did not end by itself';
  if (run.tests.length === 0) return 'no test ran';
  const bad = run.tests.filter((test) => test.outcome !== 'passed');
  return `${bad.length} of ${run.tests.length} tests, for example ${bad[0]?.id} ${bad[0]?.outcome}`;
}
