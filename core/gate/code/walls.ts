/** Which wall held against a piece of code, in words for visitors: from a report's findings, without a word of the suite. */
import type { Finding, FindingCode, GateReport } from '../../../schemas/report.ts';
import { idKey } from '../test-id.ts';

/** One thing that did not let the code through. */
export interface Wall {
  /** Short name, for example `locked test ids`. */
  readonly name: string;
  /** One sentence: what was seen. Nothing in it comes from the suite. */
  readonly words: string;
  readonly code: FindingCode | 'tree_rules';
  /** How many findings say so. */
  readonly count: number;
}

const EXPORTS = 'export check';
const IDS = 'locked test ids';
const RUNNER = 'runner report';
const LIMITS = 'limits';

/** Name and sentence of each finding. `null` as sentence: the finding's own text, which is the gate's. */
const WALLS: Partial<Record<FindingCode, readonly [name: string, words: string | null]>> = {
  write_set: ['write set', null],
  scaffold_touched: ['scaffold', null],
  suite_changed: ['suite lock', 'the suite in the tree is not the locked one, byte for byte'],
  entry_missing: [EXPORTS, null],
  source_unparsable: [EXPORTS, null],
  export_missing: [EXPORTS, null],
  export_deleted: [EXPORTS, null],
  export_kind: [EXPORTS, null],
  export_async: [EXPORTS, null],
  export_arity: [EXPORTS, null],
  export_annotation: [EXPORTS, null],
  export_member: [EXPORTS, null],
  project_rule: ['rules of the project', null],
  test_failed: ['locked suite', 'a test of the locked suite failed'],
  example_failed: ['examples of the contract', null],
  collection_error: ['locked suite', 'the code cannot be imported the way the contract says'],
  late_error: ['locked suite', 'an error was raised outside any test'],
  id_vanished: [IDS, "the suite's locked ids did not all run"],
  id_added: [IDS, 'something ran that the locked suite does not have'],
  skipped: [IDS, 'a test was skipped that ran on the stubs'],
  xpassed: [IDS, 'a test passed that is marked as expected to fail'],
  early_exit: [RUNNER, 'the process ended before the runner had told its end'],
  report_missing: [RUNNER, 'no report was there when the process ended'],
  report_second: [RUNNER, 'a second report was written beside the one of the runner'],
  report_broken: [RUNNER, 'the report is not as our runner writes it'],
  plain_failed: ['plain judge', 'the suite fails where code and suite share one process'],
  follows_suite: ['changed suite', 'the code also passes a suite that expects something else'],
  wall_only: [
    'glass wall',
    'the suite fails behind the wall, and passes where code and suite share one process',
  ],
  flaky: ['second run', 'two runs of the suite differ'],
  wall_limit: [LIMITS, null],
  memory_limit: [LIMITS, null],
  output_limit: [LIMITS, null],
  process_limit: [LIMITS, null],
  disk_limit: [LIMITS, null],
  platform_lost: ['nobody: the platform failed', null],
  platform_wall: ['nobody: the platform failed', null],
  plan_empty: ['gate plan', null],
  tier_refused: ['tier', null],
};

/** What came back over the glass wall and was no value of the contract. */
const BREACH = /(^|\.)Builder(Fault|Ended)$/u;

/** Walls of a report that says FAIL or INVALID, each once, in the order of its findings; empty for PASS. */
export function wallsOf(report: GateReport): readonly Wall[] {
  if (report.verdict === 'PASS') return [];
  const walls = new Map<string, Wall>();
  for (const found of report.levels.flatMap((level) => level.findings)) {
    const wall = wallOf(found, report);
    const key = `${wall.code}\n${wall.name}\n${wall.words}`;
    const known = walls.get(key);
    walls.set(key, known === undefined ? wall : { ...known, count: known.count + 1 });
  }
  return [...walls.values()];
}

function wallOf(found: Finding, report: GateReport): Wall {
  // The runner lives on the other side and told its end: only the code's process is gone.
  if (found.code === 'early_exit' && report.tier === 'glass_wall' && found.testId !== null)
    return { name: 'glass wall', words: found.text, code: found.code, count: 1 };
  const breach = breachOf(found, report);
  if (breach !== null) return { name: 'glass wall', words: breach, code: found.code, count: 1 };
  const [name, words] = WALLS[found.code] ?? [found.code.replaceAll('_', ' '), null];
  const outcome = found.outcome === null || words === null ? '' : ` (${found.outcome.replaceAll('_', ' ')})`;
  return { name, words: `${words ?? found.text}${outcome}`, code: found.code, count: 1 };
}

/** The trusted side's own words for what it did not let through. */
function breachOf(found: Finding, report: GateReport): string | null {
  if (found.code !== 'test_failed' || report.tier !== 'glass_wall' || found.testId === null) return null;
  const key = idKey(found.testId);
  const failure = report.tests.find((test) => idKey(test.id) === key)?.failure;
  if (failure === undefined || failure === null || !BREACH.test(failure.exceptionType)) return null;
  return failure.message.split('\n')[0]?.slice(0, WORDS_MAX) ?? null;
}

const WORDS_MAX = 300;
