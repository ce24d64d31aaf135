/** Saves one iteration after another until it is killed. Arguments: runs folder, reports folder. Run with `--import tsx`. */
import { createArtifactStore } from '../../adapters/store/artifacts.ts';
import { gateReport } from './gate-report.ts';

const [runsDir = '', reportsDir = ''] = process.argv.slice(2);
const store = createArtifactStore({ runsDir, reportsDir });
const files = Array.from({ length: 8 }, (_, index) => ({
  name: `logs/part-${index}.log`,
  bytes: Buffer.alloc(40_000, String(index)),
}));

for (let number = 1; ; number += 1) {
  await store.saveVerification({
    run: 1,
    step: 'd1',
    folder: `iteration-${number}`,
    purpose: 'attempt',
    role: 'builder',
    turn: number,
    outcome: { report: gateReport(), cacheHit: false, artifacts: [] },
    files,
  });
}
