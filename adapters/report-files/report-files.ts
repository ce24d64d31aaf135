/** Stored reports, `reports/<key>.json`: created exclusively and never changed, so that the first verdict wins (gate.md part 7). */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { ReportStore } from '../../core/ports/gate.ts';
import { errorCode } from '../../core/text/error-text.ts';
import { GateReport } from '../../schemas/report.ts';
import { createExclusively } from '../system/files.ts';

/** @param folder absolute path; made when the first report is stored. Only the verifier may write there. */
export function createReportFiles(folder: string): ReportStore {
  return {
    get: (key) => readReport(fileOf(folder, key)),
    async put(report) {
      const target = fileOf(folder, report.key);
      await createExclusively(target, `${JSON.stringify(report)}\n`, { mode: 0o600 });
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
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
  return GateReport.parse(JSON.parse(text));
}
