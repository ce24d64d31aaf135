// The order of test files: long ones first, so that no worker is idle at the end, and never two crash files at once as far
// as two workers can avoid it, because each of them starts several sessions of its own.
import { relative, sep } from 'node:path';
import Sequencer from '@jest/test-sequencer';

/** Seconds on two busy cores, rounded; what is not named takes a few. Only the order depends on them. */
const SECONDS = {
  'crash/worker-kills': 95,
  'attacks/attack-suite': 165,
  'examples/demo': 90,
  'crash/chaos': 60,
  'orders/people': 60,
  'cli/seed-plan': 46,
  'scripts/bench': 25,
  'orders/scenarios': 45,
  'orders/kills': 45,
  'package/first-hour': 40,
  'gate/suite-evidence': 40,
  'record/record': 32,
  'cli/restore': 30,
  'gate/honest-suites': 29,
  'cli/run': 70,
  'crash/engine': 63,
  'crash/servers': 60,
  'crash/stopped': 53,
  'wall/script-attacks': 50,
  'core/stage-properties': 35,
  'wall/wall-attacks': 32,
  'audit/audit-session': 29,
  'cli/machine': 29,
  'crash/people': 29,
  'crash/commands': 60,
  'gate/typescript-gate': 29,
  'cli/visitors': 28,
  'qa/steered-project': 28,
  'repository/gate-run': 28,
  'adapters/sandbox-contract': 27,
  'workflows/bounds': 26,
  'gate/python-gate': 25,
  'runner/python-stub-suites': 24,
  'blindness/blindness': 23,
  'cli/bad-input': 23,
  'adapters/git-content': 22,
  'wall/script-honest': 22,
  'workflows/build-stage': 22,
  'adapters/model-crash': 20,
  'audit/forced-gate': 19,
  'cli/packages': 18,
  'adapters/layers': 17,
  'gate/python-suites': 17,
  'cli/project-plan': 16,
  'cli/wrong-suite': 16,
  'gate/lying-suites': 16,
  'wall/wall-honest': 15,
  'wall/wall-tier': 15,
  'gate/javascript-gate': 12,
  'gate/mutation-check': 12,
  'runner/node-runner': 12,
  'runner/pytest-runner': 12,
  'runner/python-declarations': 10,
  'gate/suite-room': 9,
  'gate/two-runs': 9,
  'adapters/git-file-tools': 8,
  'adapters/sandbox-docker': 8,
  'feedback/feedback': 8,
  'runner/javascript-stubs': 8,
  'adapters/git-store': 7,
  'adapters/sandbox-isolation': 6,
  'cli/bad-contracts': 6,
  'examples/water-bill': 6,
  'gate/gate-request': 5,
};
const USUAL_SECONDS = 2;
const WORKERS = 2;

export default class LongestFirst extends Sequencer {
  sort(tests) {
    const files = tests.map((test) => ({ test, ...weightOf(test) }));
    files.sort((left, right) => right.seconds - left.seconds || (left.name < right.name ? -1 : 1));
    return dealt(files).map(({ test }) => test);
  }
}

function weightOf({ path, context }) {
  const name = relative(context.config.rootDir, path)
    .split(sep)
    .slice(1)
    .join('/')
    .replace(/\.test\.ts$/, '');
  return { name, seconds: SECONDS[name] ?? USUAL_SECONDS, isCrash: name.startsWith('crash/') };
}

/** Plays the run with two workers: who is free first takes the longest file that may run beside the other's. */
function dealt(files) {
  const left = [...files];
  const order = [];
  const workers = Array.from({ length: WORKERS }, () => ({ until: 0, isCrash: false }));
  while (left.length > 0) {
    const [free, ...others] = workers.sort((one, other) => one.until - other.until);
    const crashBeside = others.some(({ isCrash }) => isCrash);
    const crash = crashBeside ? undefined : left.find(({ isCrash }) => isCrash);
    const next = crash ?? left.find(({ isCrash }) => !isCrash) ?? left[0];
    left.splice(left.indexOf(next), 1);
    order.push(next);
    free.until += next.seconds;
    free.isCrash = next.isCrash;
  }
  return order;
}
