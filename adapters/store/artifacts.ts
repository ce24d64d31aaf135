/** Artifacts of verifications, `<session>/runs/r<run>/<step>/iteration-<n>/` (design part 8), and reports by digest. */
import { readFile, readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { isSoundReport } from '../../core/gate/report/make-report.ts';
import { renderReportHtml } from '../../core/gate/report/render-report.ts';
import type { ArtifactStore, SavedVerification } from '../../core/ports/artifacts.ts';
import type { GateArtifact } from '../../core/ports/gate.ts';
import type { Signer } from '../../core/ports/signing.ts';
import { IterationRecord } from '../../schemas/artifacts.ts';
import { FILES_RECORD, readFolderRecord, signedRecord } from './folder-record.ts';
import { GateReport } from '../../schemas/report.ts';
import { errorCode } from '../../core/text/error-text.ts';
import { createExclusively, writeAllDurably, writeDurably } from '../system/files.ts';
import { putFolder } from '../system/folders.ts';
import { sha256 } from '../system/sha256.ts';
import { strictJson } from '../../core/text/strict-json.ts';

/** Names of artifacts come from us, but a slip must not leave the folder. */
const SAFE_NAME = /^[A-Za-z0-9_.-]+(\/[A-Za-z0-9_.-]+)*$/;
const RECORD = 'iteration.json';
const CACHED_LOG =
  'Nothing ran: a stored report of the same key answered. The logs lie beside the first report with this digest.\n';
/** What a verification was asked: enough to ask it again. */
const INPUTS = 'inputs.json';

/** Where a session keeps reports by digest, and what they were asked. */
export interface ReportPlaces {
  readonly runsDir: string;
  readonly reportsDir: string;
  /** Who signs what folders hold; absent: their records stay unsigned. */
  readonly signer?: () => Promise<Signer>;
}

/** Artifacts of the session whose folders these are. */
export function createArtifactStore(places: ReportPlaces): ArtifactStore {
  const stepFolder = (run: number, step: string): string =>
    join(places.runsDir, `r${String(run)}`, safeName(step));
  return {
    async saveVerification(saved): Promise<void> {
      const { run, step, outcome } = saved;
      const files = filesOf(saved);
      const folder = join(stepFolder(run, step), safeName(saved.folder));
      const known = await readIteration(folder);
      if (known?.reportDigest !== outcome.report.digest)
        await putFolder(folder, await withRecord(places, folder, files));
      await saveByDigest(places, outcome.report, files);
    },
    async iterationAt(run, step, turn): Promise<number> {
      const folder = stepFolder(run, step);
      const numbers = (await namesOf(folder)).flatMap((name) => /^iteration-(\d+)$/.exec(name)?.[1] ?? []);
      for (const number of numbers) {
        const record = await readIteration(join(folder, `iteration-${number}`));
        if (record?.turn === turn) return Number(number);
      }
      return Math.max(0, ...numbers.map(Number)) + 1;
    },
    async saveStepFiles(run, step, files): Promise<void> {
      const folder = stepFolder(run, step);
      const former = await readFolderRecord(folder);
      // The record comes first: what a crash leaves out is missed, and written by the retry.
      const [record] = await withRecord(places, folder, files, former?.files);
      const all = record === undefined ? files : [record, ...files];
      await writeAllDurably(all.map(({ name, bytes }) => ({ path: join(folder, safeName(name)), bytes })));
    },
    async saveFolder(run, step, folder, files): Promise<void> {
      const path = join(stepFolder(run, step), safeName(folder));
      if ((await namesOf(path)).length === 0) await putFolder(path, await withRecord(places, path, files));
    },
    async reportByDigest(digest): Promise<GateReport | null> {
      const text = await readOrNull(digestPath(places, 'by-digest', digest));
      const parsed = text === null ? null : GateReport.safeParse(strictJson(text));
      if (parsed === null || !parsed.success) return null;
      return parsed.data.digest === digest && isSoundReport(parsed.data, sha256) ? parsed.data : null;
    },
  };
}

/** The record of an iteration's folder; null when there is none that can be read. */
export async function readIteration(folder: string): Promise<IterationRecord | null> {
  const text = await readOrNull(join(folder, RECORD));
  const parsed = text === null ? null : IterationRecord.safeParse(strictJson(text));
  return parsed?.success === true ? parsed.data : null;
}

/** What the verification behind a digest was asked, as JSON; null when it was not recorded. */
export async function readInputs(places: ReportPlaces, digest: string): Promise<unknown> {
  const text = await readOrNull(digestPath(places, 'inputs', digest));
  return text === null ? null : strictJson(text);
}

function filesOf(saved: SavedVerification): GateArtifact[] {
  const { report, cacheHit, artifacts } = saved.outcome;
  const files = [
    ...artifacts,
    ...saved.files,
    ...(cacheHit ? [textFile('logs/cached.log', CACHED_LOG)] : []),
    textFile('report.json', `${JSON.stringify(report, null, 2)}\n`),
    textFile('report.html', renderReportHtml(report)),
  ];
  const record: IterationRecord = {
    version: 1,
    run: saved.run,
    step: saved.step,
    purpose: saved.purpose,
    role: saved.role,
    turn: saved.turn,
    node: report.subject.node,
    kind: report.subject.kind,
    verdict: report.verdict,
    fault: report.fault,
    reportDigest: report.digest,
    cached: cacheHit,
    files: Object.fromEntries(files.map((file) => [safeName(file.name), sha256(file.bytes)])),
  };
  return [...files, textFile(RECORD, `${JSON.stringify(record, null, 2)}\n`)];
}

/** The files, led by the record that names them. */
async function withRecord(
  { runsDir, signer }: ReportPlaces,
  folder: string,
  files: readonly GateArtifact[],
  former: Readonly<Record<string, string>> = {},
): Promise<readonly GateArtifact[]> {
  const hashes = Object.fromEntries(files.map(({ name, bytes }) => [safeName(name), sha256(bytes)]));
  const path = relative(runsDir, folder).split(sep).join('/');
  const record = signedRecord(path, { ...former, ...hashes }, (await signer?.()) ?? null);
  return [textFile(FILES_RECORD, `${JSON.stringify(record, null, 2)}\n`), ...files];
}

/** One file a digest: who has it writes nothing. A damaged one is replaced. */
export async function saveByDigest(
  places: ReportPlaces,
  report: GateReport,
  files: readonly GateArtifact[],
): Promise<void> {
  const path = digestPath(places, 'by-digest', report.digest);
  // What hashes to the digest stands alone: a mutation check is no part of the verdict.
  const { mutation: _mutation, ...judged } = report;
  const text = `${JSON.stringify(judged, null, 2)}\n`;
  const known = await readOrNull(path);
  const parsed = known === null ? null : GateReport.safeParse(strictJson(known));
  if (parsed?.success !== true || !isSoundReport(parsed.data, sha256)) await writeDurably(path, text);
  const inputs = files.find((file) => file.name === INPUTS);
  if (inputs !== undefined)
    await createExclusively(digestPath(places, 'inputs', report.digest), inputs.bytes);
}

function digestPath(places: ReportPlaces, folder: string, digest: string): string {
  const hex = /^sha256:([0-9a-f]{64})$/.exec(digest)?.[1];
  if (hex === undefined)
    throw new RangeError(`Cannot find a report: a digest is sha256: and 64 hex digits, it is "${digest}"`);
  return join(places.reportsDir, folder, `${hex}.json`);
}

function textFile(name: string, text: string): GateArtifact {
  return { name, bytes: Buffer.from(text) };
}

async function namesOf(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(() => []);
}

async function readOrNull(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return null;
    throw error;
  }
}

function safeName(name: string): string {
  if (!SAFE_NAME.test(name) || name.includes('..')) {
    throw new Error(`Cannot store artifact "${name}": names are letters, digits, "_", ".", "-" and "/"`);
  }
  return name;
}
