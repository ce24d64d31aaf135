/** Stored reports, `reports/<key>.json`: created exclusively and never changed, so that the first verdict wins (gate.md part 7). */
import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import type { ReportStore } from '../../core/ports/gate.ts';
import { GateReport } from '../../schemas/report.ts';

/** @param folder absolute path; made when the first report is stored. Only the verifier may write there. */
export function createReportFiles(folder: string): ReportStore {
  return {
    get: (key) => readReport(fileOf(folder, key)),
    async put(report) {
      const target = fileOf(folder, report.key);
      await createExclusively(folder, target, `${JSON.stringify(report)}\n`);
      const stored = await readReport(target);
      if (stored === null)
        throw new Error(`Cannot store a report: "${target}" was removed while it was written`);
      return stored;
    },
  };
}

function fileOf(folder: string, key: string): string {
  if (!/^sha256:[0-9a-f]{64}$/u.test(key))
    throw new RangeError(`Cannot find a report: the key must be sha256: and 64 hex digits, it is "${key}"`);
  return path.join(folder, `${key.slice('sha256:'.length)}.json`);
}

async function readReport(file: string): Promise<GateReport | null> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
  return GateReport.parse(JSON.parse(text));
}

/** Whole or not at all: written beside, synced, then linked to its name, which fails where one exists. */
async function createExclusively(folder: string, target: string, text: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const draft = path.join(folder, `.${randomUUID()}.tmp`);
  try {
    const handle = await open(draft, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await link(draft, target);
    const directory = await open(folder, 'r');
    await directory.sync().finally(() => directory.close());
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

function codeOf(error: unknown): string | null {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : null;
}
