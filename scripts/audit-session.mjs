// Checks a session with plain git and plain test runners. Imports Node builtins, scripts/audit and, for TypeScript, swc:
// nothing here shares a line with the product, so an error of the product cannot hide itself.
import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { auditArtifacts } from './audit/artifacts.mjs';
import { auditBranch } from './audit/branch.mjs';
import { createFindings } from './audit/findings.mjs';
import { foldLedger } from './audit/fold.mjs';
import { auditMaster } from './audit/master.mjs';
import { auditProjection } from './audit/projection.mjs';
import { readContracts } from './audit/contracts.mjs';
import { readLedger } from './audit/ledger.mjs';
import { auditOrder, isOrder } from './audit/order.mjs';
import { auditReports } from './audit/reports.mjs';
import { findRunners, ToolMissing } from './audit/runners.mjs';
import { auditSignatures } from './audit/signatures.mjs';
import { auditSuites } from './audit/suites.mjs';
import { auditWorkTree } from './audit/work-tree.mjs';
import { renderJson, renderTable } from './audit/render.mjs';

const USAGE = `Usage: scripts/audit-session SESSION | ORDER | order.bundle [options]

Checks a session folder: hash chain, signatures, fold against master.json, branch, reports, artifacts, and every commit's suite
(green there, red on stubs). Of an order: chain, signatures, plan, reports, each snapshot's tree and patch by git, and its
test commands run again; a bundle alone is enough, on any machine. The suites are code of the project: with bwrap they run without network and with a
read-only view of this machine, without it they run as you.

Options:
  --json           print one JSON document
  --python PATH    python with pytest (default: python3 on PATH)
  --node PATH      node (default: the one that runs this)
  --rootfs DIR     take python from this root file system, by bwrap
  --key KEY        the only key that may have signed the ledger: its id, or a file with the public key
  --home DIR       the home whose keys are known (default: A7_HOME, else ~/.a7)
  --no-suites      leave the suites out; the result then says so
  -h, --help       this text

Exit codes: 0 all holds, 1 something does not, 2 wrong use, 4 a tool is missing`;

const OPTIONS = {
  json: { type: 'boolean', default: false },
  python: { type: 'string' },
  node: { type: 'string' },
  rootfs: { type: 'string' },
  key: { type: 'string' },
  home: { type: 'string' },
  'no-suites': { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
};

process.exitCode = await main(process.argv.slice(2));

async function main(argv) {
  const asked = readArguments(argv);
  if (typeof asked === 'number') return asked;
  try {
    const { dir, values } = asked;
    const result = isOrder(dir)
      ? await auditOrder(dir, values, await findRunners(values))
      : await audit(dir, values);
    process.stdout.write(`${asked.values.json ? renderJson(result) : renderTable(result)}\n`);
    return result.findings.length === 0 ? 0 : 1;
  } catch (error) {
    if (!(error instanceof ToolMissing)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 4;
  }
}

function readArguments(argv) {
  let parsed;
  try {
    parsed = parseArgs({ args: argv, options: OPTIONS, allowPositionals: true });
  } catch (error) {
    return wrongUse(error.message);
  }
  const { values, positionals } = parsed;
  if (values.help) {
    process.stdout.write(`${USAGE}\n`);
    return 0;
  }
  if (positionals.length !== 1) return wrongUse(`One session is needed, got ${positionals.length}`);
  const dir = resolve(positionals[0]);
  if (existsSync(dir) && isOrder(dir)) return { dir, values };
  if (!isFolder(dir) || !existsSync(join(dir, 'events.jsonl'))) {
    return wrongUse(
      `Cannot audit "${dir}": it must be a session folder with an events.jsonl, the folder of an order, or its bundle`,
    );
  }
  return { dir, values };
}

function wrongUse(message) {
  process.stderr.write(`${message}\n\n${USAGE}\n`);
  return 2;
}

function isFolder(path) {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Suites that import packages can only be run where those are: whoever names python, node or a root says where. */
function refuseWithoutPackages(layers, values) {
  const isNamed = [values.rootfs, values.python, values.node].some((each) => each !== undefined);
  if (layers.length === 0 || isNamed || values['no-suites']) return;
  const last = layers.at(-1);
  const packages = last.packages.map(({ name, version }) => `${name} ${version}`).join(', ');
  const folder = String(last.hash).replace('sha256:', '').slice(0, 24);
  throw new ToolMissing(
    `Cannot run the suites: the session's packages are not here (${packages}). Give --python or --node of an environment ` +
      `that has them, --rootfs of their layer (~/.cache/a7-rt/layers/${folder}/rootfs), or --no-suites`,
  );
}

/** All checks in order; each leaves findings and goes on, so that one lie does not hide another. */
async function audit(dir, values) {
  const found = createFindings();
  const tools = await findRunners(values);
  const ledger = readLedger(dir, found);
  const signing = auditSignatures({ dir, ledger, home: values.home, key: values.key }, found);
  const fold = foldLedger(ledger.lines, found);
  auditMaster(dir, ledger, found);
  const books = readContracts(dir, ledger.lines, found);
  refuseWithoutPackages(books.layers, values);
  const branch = await auditBranch({ dir, ledger, fold, books }, found);
  await auditWorkTree(dir, branch, found);
  const reports = auditReports(dir, branch, found);
  auditArtifacts(dir, signing, found);
  await auditProjection({ dir, branch, books, reports, ledger }, found);
  const suites = values['no-suites'] ? [] : await auditSuites({ dir, branch, books, reports, tools }, found);
  return {
    session: dir,
    findings: found.findings,
    notes: found.notes,
    checks: found.checks,
    commits: suites,
    suitesLeftOut: values['no-suites'],
    facts: {
      lines: ledger.lines.length,
      headHash: ledger.headHash,
      head: branch.head,
      nodes: Object.fromEntries(Object.entries(fold.nodes).map(([id, node]) => [id, node.status])),
      sealed: fold.stageOrder.filter((id) => fold.stages[id].status === 'sealed'),
      dispatches: fold.dispatches,
      suites: Object.fromEntries(Object.entries(fold.nodes).map(([id, node]) => [id, node.suite])),
    },
    tools: tools.described,
  };
}
