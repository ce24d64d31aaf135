/** Stored reports, `reports/<key>.json`, and mutation checks beside them: created exclusively and never changed, so that the first wins (gate.md part 7). */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { ReportStore } from '../../core/ports/gate.ts';
import { errorCode } from '../../core/text/error-text.ts';
import { GateReport, MutationCheck } from '../../schemas/report.ts';
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
    mutation: (key) => readMutation(mutationFileOf(folder, key)),
    async putMutation(key, check) {
      const target = mutationFileOf(folder, key);
      await createExclusively(target, `${JSON.stringify(check)}\n`, { mode: 0o600 });
      return (await readMutation(target)) ?? check;
    },
  };
}

function fileOf(folder: string, key: string): string {
  if (!/^sha256:[0-9a-f]{64}$/u.test(key))
    throw new RangeError(`Cannot find a report: the key must be sha256: and 64 hex digits, it is "${key}"`);
  return path.join(folder, `${key.slice('sha256:'.length)}.json`);
}

function mutationFileOf(folder: string, key: string): string {
  return fileOf(folder, key).replace(/\.json$/u, '.mutation.json');
}

async function readReport(file: string): Promise<GateReport | null> {
  const read = await readJson(file);
  return read === null ? null : GateReport.parse(read);
}

async function readMutation(file: string): Promise<MutationCheck | null> {
  const read = await readJson(file);
  return read === null ? null : MutationCheck.parse(read);
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}
