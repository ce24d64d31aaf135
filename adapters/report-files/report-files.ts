/**
 * Stored reports, `reports/<key>.json`, and mutation checks beside them: created exclusively and never changed, so that the
 * first verdict wins (gate.md part 7). `<key>.doubt.json` says that the wall alone has refused these bytes once. An entry counts only if it names its own key and hashes to its digest: a damaged,
 * copied or hand-made one is no entry, and the next verdict of that key takes its place.
 */
import { readFile, rename } from 'node:fs/promises';
import path from 'node:path';
import { isSoundReport } from '../../core/gate/report/make-report.ts';
import type { ReportStore } from '../../core/ports/gate.ts';
import { errorCode } from '../../core/text/error-text.ts';
import { GateReport, MutationCheck } from '../../schemas/report.ts';
import { createExclusively, writeDurably } from '../system/files.ts';
import { sha256 } from '../system/sha256.ts';
import { strictJson } from '../../core/text/strict-json.ts';

/** @param folder absolute path; made when the first report is stored. Only the verifier may write there. */
export function createReportFiles(folder: string): ReportStore {
  return {
    get: (key) => readReport(folder, key),
    async put(report) {
      if (!isSoundReport(report, sha256))
        throw new RangeError(`Cannot store a report: it does not hash to its digest "${report.digest}"`);
      const target = fileOf(folder, report.key);
      const text = `${JSON.stringify(report)}\n`;
      if (await createExclusively(target, text, { mode: 0o600 })) return report;
      const stored = await readReport(folder, report.key);
      if (stored !== null) return stored;
      await writeDurably(target, text, { mode: 0o600 });
      return report;
    },
    async withdraw(key) {
      const file = fileOf(folder, key);
      // Kept for people: what was said once stays to be read.
      await rename(file, file.replace(/\.json$/u, '.withdrawn.json')).catch((error: unknown) => {
        if (errorCode(error) !== 'ENOENT') throw error;
      });
    },
    doubted: async (key) => (await readJson(doubtFileOf(folder, key))) !== null,
    async putDoubt(key) {
      await createExclusively(doubtFileOf(folder, key), '{"version":1}\n', { mode: 0o600 });
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

function doubtFileOf(folder: string, key: string): string {
  return fileOf(folder, key).replace(/\.json$/u, '.doubt.json');
}

/** The entry of a key; null when there is none, or none that can be believed. */
async function readReport(folder: string, key: string): Promise<GateReport | null> {
  const parsed = GateReport.safeParse(await readJson(fileOf(folder, key)));
  const isEntry = parsed.success && parsed.data.key === key && isSoundReport(parsed.data, sha256);
  return isEntry ? parsed.data : null;
}

async function readMutation(file: string): Promise<MutationCheck | null> {
  const parsed = MutationCheck.safeParse(await readJson(file));
  return parsed.success ? parsed.data : null;
}

/** Null for a file that is not there or holds no JSON. */
async function readJson(file: string): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
  return strictJson(text) ?? null;
}
