// runs/ and reports/: each folder holds what its signed files.json says, each report hashes to its digest, copies agree.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { canonical, isRecord, parsed, sha256 } from './json.mjs';
import { digestOf } from './reports.mjs';
import { checkOne, encoded } from './signatures.mjs';

const CHECK = 'artifacts';
const RECORD = 'application/vnd.a7-rt.artifacts+json';
const VERIFICATION = /^(iteration|test-run)-\d+(\.earlier-\d+)?$/u;

export function auditArtifacts(dir, signing, found) {
  const runs = join(dir, 'runs');
  let folders = 0;
  for (const run of foldersIn(runs)) {
    for (const step of foldersIn(join(runs, run))) {
      const folder = join(runs, run, step);
      auditFolder({ runs, folder, names: filesIn(folder, false), signing }, found);
      for (const name of foldersIn(folder).filter((each) => VERIFICATION.test(each))) {
        const inner = join(folder, name);
        folders += 1;
        auditFolder({ runs, folder: inner, names: filesIn(inner, true), signing }, found);
        auditReport(dir, inner, found);
      }
    }
  }
  found.done(CHECK, `${folders} verifications`);
}

function auditFolder({ runs, folder, names, signing }, found) {
  const path = relative(runs, folder).split(sep).join('/');
  const files = names.filter((name) => name !== 'files.json');
  const record = readJson(join(folder, 'files.json'));
  if (!isRecord(record) || !isRecord(record.files)) {
    if (signing.isSigned && files.length > 0) found.fail(CHECK, path, 'has no files.json that can be read');
    return;
  }
  const { signature, ...told } = record;
  const place = path.replace(/\.earlier-\d+$/u, '');
  if (signature === undefined) {
    if (signing.isSigned) found.fail(CHECK, path, 'has a files.json without signature');
  } else if (
    checkOne(signing.keys, encoded(RECORD, canonical({ path: place, record: told })), signature) === 'wrong'
  ) {
    found.fail(CHECK, path, 'has a files.json that its key did not sign');
  }
  for (const name of files) {
    if (record.files[name] === undefined) found.fail(CHECK, `${path}/${name}`, 'is not named by files.json');
  }
  for (const [name, hash] of Object.entries(record.files)) {
    const bytes = readBytes(join(folder, name));
    if (bytes === null) found.fail(CHECK, `${path}/${name}`, 'is missing');
    else if (sha256(bytes) !== hash) found.fail(CHECK, `${path}/${name}`, 'was changed after it was written');
  }
}

/** Folders older than `files.json` have at least this much. */
function auditReport(dir, folder, found) {
  const subject = relative(dir, join(folder, 'report.json')).split(sep).join('/');
  const record = readJson(join(folder, 'iteration.json'));
  const report = readJson(join(folder, 'report.json'));
  if (!isRecord(record)) return;
  if (!isRecord(report) || !isRecord(report.subject)) {
    found.fail(CHECK, subject, 'cannot be read');
    return;
  }
  for (const [name, hash] of Object.entries(record.files ?? {})) {
    const bytes = readBytes(join(folder, name));
    if (bytes === null || sha256(bytes) !== hash)
      found.fail(CHECK, subject.replace('report.json', name), 'is not what iteration.json says');
  }
  if (report.digest !== record.reportDigest || digestOf(report) !== record.reportDigest)
    found.fail(CHECK, subject, 'does not hash to the digest of iteration.json');
  if (report.verdict !== record.verdict)
    found.fail(CHECK, subject, `says ${report.verdict}, iteration.json says ${record.verdict}`);
  const kept = readJson(join(dir, 'reports', 'by-digest', `${String(record.reportDigest).slice(7)}.json`));
  if (!isRecord(kept) || kept.verdict !== record.verdict)
    found.fail(CHECK, subject, `is about a verdict that reports/by-digest does not have`);
  const check = readJson(join(dir, 'reports', `${String(report.key).slice(7)}.mutation.json`));
  if (report.mutation !== undefined && check !== undefined && canonical(check) !== canonical(report.mutation))
    found.fail(CHECK, subject, 'tells of other mutants than the check beside its report');
}

function readJson(path) {
  const bytes = readBytes(path);
  return bytes === null ? undefined : parsed(bytes.toString('utf8'));
}

function readBytes(path) {
  try {
    return readFileSync(path);
  } catch {
    return null;
  }
}

function foldersIn(folder) {
  return entriesOf(folder)
    .filter((entry) => entry.isDirectory() && !entry.name.endsWith('.tmp'))
    .map((entry) => entry.name);
}

function filesIn(folder, recursive) {
  return entriesOf(folder, recursive)
    .filter((entry) => !entry.isDirectory() && !entry.name.endsWith('.tmp'))
    .map((entry) =>
      relative(folder, join(entry.parentPath ?? entry.path, entry.name))
        .split(sep)
        .join('/'),
    );
}

function entriesOf(folder, recursive = false) {
  try {
    return readdirSync(folder, { withFileTypes: true, recursive });
  } catch {
    return [];
  }
}
