/** `runs/` and `reports/` against their own records, each other and the ledger: edited evidence is found. */
import { readFile, readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { readIteration } from '../../../adapters/store/artifacts.ts';
import { FILES_RECORD, readFolderRecord } from '../../../adapters/store/folder-record.ts';
import { sha256 } from '../../../adapters/system/sha256.ts';
import { isSoundReport } from '../../../core/gate/report/make-report.ts';
import type { KeyRing } from '../../../core/ports/signing.ts';
import { recordText } from '../../../core/record/dsse.ts';
import type { RecordFinding } from '../../../core/record/finding.ts';
import { canonicalJson } from '../../../core/text/canonical.ts';
import { GateReport } from '../../../schemas/report.ts';

export interface FolderCheck {
  readonly runsDir: string;
  readonly reportsDir: string;
  readonly ring: KeyRing;
  /** True: the session was signed from its first line, so that every record has to be. */
  readonly isSigned: boolean;
}

const VERIFICATION = /^(iteration|test-run)-\d+(\.earlier-\d+)?$/;

/** Every folder of artifacts, and the reports that they hold. */
export async function folderFindings(check: FolderCheck): Promise<readonly RecordFinding[]> {
  const found: RecordFinding[] = [];
  for (const run of await foldersIn(check.runsDir)) {
    for (const step of await foldersIn(join(check.runsDir, run))) {
      const folder = join(check.runsDir, run, step);
      found.push(...(await recordFindings(check, folder, await filesIn(folder, false))));
      for (const name of await foldersIn(folder)) {
        if (!VERIFICATION.test(name)) continue;
        const inner = join(folder, name);
        found.push(...(await recordFindings(check, inner, await filesIn(inner, true))));
        found.push(...(await reportFindings(check, inner)));
      }
    }
  }
  return found;
}

/** Files of a folder against `files.json`, and that against its signature. */
async function recordFindings(
  check: FolderCheck,
  folder: string,
  names: readonly string[],
): Promise<readonly RecordFinding[]> {
  const path = relative(check.runsDir, folder).split(sep).join('/');
  const at = (name: string, message: string): RecordFinding => ({
    check: 'artifacts',
    subject: `runs/${path}/${name}`,
    message,
  });
  const files = names.filter((name) => name !== FILES_RECORD);
  const record = await readFolderRecord(folder);
  if (record === null)
    return check.isSigned && files.length > 0 ? [at(FILES_RECORD, 'is missing, or cannot be read')] : [];
  const found: RecordFinding[] = [];
  const { signature, ...told } = record;
  if (signature === undefined) {
    if (check.isSigned) found.push(at(FILES_RECORD, 'is not signed'));
  } else {
    const place = path.replace(/\.earlier-\d+$/, '');
    if (check.ring.check(recordText(place, told), signature).status === 'wrong')
      found.push(at(FILES_RECORD, `carries a signature that key ${signature.keyid} did not make`));
  }
  for (const name of files.filter((each) => record.files[each] === undefined))
    found.push(at(name, 'was added: files.json does not name it'));
  for (const [name, hash] of Object.entries(record.files)) {
    const bytes = await readFile(join(folder, name)).catch(() => null);
    if (bytes === null) found.push(at(name, 'is missing'));
    else if (sha256(bytes) !== hash) found.push(at(name, 'was changed after it was written'));
  }
  return found;
}

/** The report of a verification against its record, its digest, and the copies below `reports/`. */
async function reportFindings(check: FolderCheck, folder: string): Promise<readonly RecordFinding[]> {
  const path = relative(check.runsDir, folder).split(sep).join('/');
  const at = (message: string): RecordFinding => ({
    check: 'reports',
    subject: `runs/${path}/report.json`,
    message,
  });
  const record = await readIteration(folder);
  const report = await readReport(join(folder, 'report.json'));
  if (record === null || report === null) return record === null ? [] : [at('cannot be read')];
  const found: RecordFinding[] = [];
  if (!isSoundReport(report, sha256)) found.push(at('does not hash to its digest: it was changed'));
  if (report.digest !== record.reportDigest)
    found.push(at(`has digest ${report.digest}, iteration.json says ${record.reportDigest}`));
  if (report.verdict !== record.verdict)
    found.push(at(`says ${report.verdict}, iteration.json says ${record.verdict}`));
  const kept = await readReport(join(check.reportsDir, 'by-digest', `${record.reportDigest.slice(7)}.json`));
  if (kept === null || !isSoundReport(kept, sha256))
    found.push(at(`names ${record.reportDigest}, which is not in reports/by-digest or was changed there`));
  else if (kept.verdict !== report.verdict)
    found.push(at(`says ${report.verdict}, reports/by-digest says ${kept.verdict}`));
  if (report.mutation !== undefined) {
    const check_ = await readJson(join(check.reportsDir, `${report.key.slice(7)}.mutation.json`));
    if (check_ !== undefined && canonicalJson(check_) !== canonicalJson(report.mutation))
      found.push(at(`tells of other mutants than reports/${report.key.slice(7)}.mutation.json`));
  }
  return found;
}

async function readReport(path: string): Promise<GateReport | null> {
  const parsed = GateReport.safeParse(await readJson(path));
  return parsed.success ? parsed.data : null;
}

async function readJson(path: string): Promise<unknown> {
  const text = await readFile(path, 'utf8').catch(() => null);
  if (text === null) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

async function foldersIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory() && !entry.name.endsWith('.tmp'))
    .map((entry) => entry.name);
}

/** Names of regular files and of anything else that is no folder, with `/`. */
async function filesIn(folder: string, deep: boolean): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: deep }).catch(() => []);
  return entries
    .filter((entry) => !entry.isDirectory() && !entry.name.endsWith('.tmp'))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'));
}
