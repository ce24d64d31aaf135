// Waiting for slow tests: four independent nodes whose suites burn processor time, at once against one after the other.
import { NODES, SECOND_MS, speedUp, spend } from './support/four-nodes.mjs';

/** Each builder's gate burns a second; a suite's own gate does not, because stubs end it first. */
export async function measure(lab, { once }) {
  const load = { burnMs: SECOND_MS };
  if (once) {
    const { ms } = await spend(lab, 'tests-once', 1, { nodes: 1, burnMs: 1 });
    return [speedUp('tests that burn next to nothing, once', ms, ms, null)];
  }
  await spend(lab, 'tests-warm', NODES, {});
  const atOnce = await spend(lab, 'tests-at-once', NODES, load);
  const alone = await spend(lab, 'tests-alone', 1, load);
  return [speedUp('tests that burn 1 s of processor', atOnce.ms, alone.ms, 1.7)];
}
