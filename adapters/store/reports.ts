/** The report cache, `<session>/reports/<key>.json`: exclusive create, the first stored report of a key wins (gate.md part 7). */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ReportStore } from '../../core/ports/gate.ts';
import { GateReport } from '../../schemas/report.ts';
import { createExclusively, errorCode } from './files.ts';

/** Reports below `folder`. */
export function createReportStore(folder: string): ReportStore {
  const pathOf = (key: string): string => join(folder, `${key.replace('sha256:', '')}.json`);
  const get = async (key: string): Promise<GateReport | null> => {
    try {
      return GateReport.parse(JSON.parse(await readFile(pathOf(key), 'utf8')));
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return null;
      throw error;
    }
  };
  return {
    get,
    async put(report) {
      if (await createExclusively(pathOf(report.key), `${JSON.stringify(report)}\n`)) return report;
      return (await get(report.key)) ?? report;
    },
  };
}
