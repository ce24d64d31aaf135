// The order of test files: long ones first, so that no worker is idle at the end, and never two crash files at once as far
// as two workers can avoid it, because each of them starts several sessions of its own.
import { relative, sep } from 'node:path';
import Sequencer from '@jest/test-sequencer';

/** Seconds on two busy cores, rounded; what is not named takes a few. Only the order depends on them. */
const SECONDS = {
  'crash/worker-kills': 150,
  'attacks/attack-suite': 130,
  'examples/demo': 120,
  'cli/run': 90,
  'crash/chaos': 90,
  'crash/engine': 70,
  'crash/servers': 60,
  'gate/python-suites': 60,
  'wall/wall-honest': 60,
  'gate/typescript-gate': 55,
  'crash/people': 50,
  'crash/stopped': 50,
  'blindness/blindness': 45,
  'audit/audit-session': 45,
  'wall/script-attacks': 45,
  'cli/machine': 40,
  'audit/forced-gate': 35,
  'cli/bad-input': 35,
  'wall/wall-attacks': 35,
  'adapters/sandbox-contract': 30,
  'core/stage-properties': 30,
  'qa/steered-project': 30,
  'gate/javascript-gate': 25,
  'gate/python-gate': 25,
  'workflows/bounds': 25,
  'gate/gate-request': 20,
  'gate/lying-suites': 20,
  'gate/two-runs': 20,
  'repository/gate-run': 20,
  'runner/python-stub-suites': 20,
  'workflows/build-stage': 20,
  'adapters/model-crash': 15,
  'examples/water-bill': 10,
};
const USUAL_SECONDS = 5;
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
