/** Artifacts of verifications, `<session>/runs/r<run>/<step>/iteration-<n>/` (design part 8), and reports by digest. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { renderReportHtml } from '../../core/gate/render-report.ts';
import type { ArtifactStore } from '../../core/ports/artifacts.ts';
import type { GateArtifact } from '../../core/ports/gate.ts';
import { GateReport } from '../../schemas/report.ts';
import { errorCode } from '../../core/text/error-text.ts';
import { writeDurably } from '../system/files.ts';

/** Names of artifacts come from us, but a slip must not leave the folder. */
const SAFE_NAME = /^[A-Za-z0-9_.-]+(\/[A-Za-z0-9_.-]+)*$/;

/** Artifacts of the session whose folders these are. */
export function createArtifactStore(options: { runsDir: string; reportsDir: string }): ArtifactStore {
  const byDigest = (digest: string): string =>
    join(options.reportsDir, 'by-digest', `${digest.replace('sha256:', '')}.json`);
  return {
    async saveVerification(run, step, iteration, report, files): Promise<void> {
      const folder = join(options.runsDir, `r${String(run)}`, step, `iteration-${iteration}`);
      const json = `${JSON.stringify(report, null, 2)}\n`;
      for (const file of files) await writeDurably(join(folder, safeName(file)), file.bytes);
      await writeDurably(join(folder, 'report.json'), json);
      await writeDurably(join(folder, 'report.html'), renderReportHtml(report));
      // What hashes to the digest stands alone: a mutation check is no part of the verdict.
      const { mutation: _mutation, ...judged } = report;
      await writeDurably(byDigest(report.digest), `${JSON.stringify(judged, null, 2)}\n`);
    },
    async reportByDigest(digest): Promise<GateReport | null> {
      try {
        return GateReport.parse(JSON.parse(await readFile(byDigest(digest), 'utf8')));
      } catch (error) {
        if (errorCode(error) === 'ENOENT') return null;
        throw error;
      }
    },
  };
}

function safeName(file: GateArtifact): string {
  if (!SAFE_NAME.test(file.name) || file.name.includes('..')) {
    throw new Error(`Cannot store artifact "${file.name}": names are letters, digits, "_", ".", "-" and "/"`);
  }
  return file.name;
}
