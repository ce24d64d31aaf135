/** The verdict table of gate.md part 5 as data: what each finding decides, for code and for a suite, and which outweighs which. */
import type { Finding, FindingCode } from '../../schemas/report.ts';
import { gravest, type VerdictRow as Row } from './verdict-row.ts';

const refusedByPlan: Row = { verdict: 'INVALID', fault: 'manager', rank: 0 };
const platform: Row = { verdict: 'INVALID', fault: 'platform', rank: 2 };

/** Contract checks come first: they are certain whatever the sandbox did. */
const contractFailure: Row = { verdict: 'FAIL', fault: 'builder', rank: 1 };
/** Above all that the wall alone saw: it is the wall's until shown otherwise. */
const wallOnly: Row = { verdict: 'INVALID', fault: 'manager', rank: 2.5 };
const limitHit: Row = { verdict: 'FAIL', fault: 'builder', rank: 3 };
const forgedRun: Row = { verdict: 'INVALID', fault: 'builder', rank: 5 };
const red: Row = { verdict: 'FAIL', fault: 'builder', rank: 7 };
const onlyWithCode: Row = { verdict: 'INVALID', fault: 'manager', rank: 8 };

const suiteInvalid: Row = { verdict: 'INVALID', fault: 'author', rank: 4 };
const suiteWeak: Row = { verdict: 'FAIL', fault: 'author', rank: 5 };

const BOTH = {
  plan_empty: refusedByPlan,
  tier_refused: refusedByPlan,
  isolation_refused: refusedByPlan,
  platform_lost: platform,
  platform_wall: platform,
};

const CODE: Partial<Record<FindingCode, Row>> = {
  ...BOTH,
  write_set: contractFailure,
  scaffold_touched: contractFailure,
  entry_missing: contractFailure,
  source_unparsable: contractFailure,
  export_missing: contractFailure,
  export_deleted: contractFailure,
  export_kind: contractFailure,
  export_async: contractFailure,
  export_arity: contractFailure,
  export_annotation: contractFailure,
  export_member: contractFailure,
  project_rule: contractFailure,
  impure: contractFailure,
  impure_run: contractFailure,
  suite_changed: { verdict: 'INVALID', fault: 'manager', rank: 0 },
  wall_limit: limitHit,
  memory_limit: limitHit,
  output_limit: limitHit,
  process_limit: limitHit,
  disk_limit: limitHit,
  xpassed: { verdict: 'INVALID', fault: 'author', rank: 4 },
  early_exit: forgedRun,
  report_missing: forgedRun,
  report_second: forgedRun,
  report_broken: forgedRun,
  id_vanished: forgedRun,
  flaky: { verdict: 'INVALID', fault: 'manager', rank: 6 },
  export_uncalled: { verdict: 'INVALID', fault: 'author', rank: 9 },
  wall_only: wallOnly,
  plain_failed: red,
  follows_suite: red,
  export_unnoticed: { verdict: 'INVALID', fault: 'author', rank: 9 },
  mutation_score: { verdict: 'INVALID', fault: 'author', rank: 9 },
  suite_contradicts_example: { verdict: 'INVALID', fault: 'author', rank: 6 },
  message_unstated: { verdict: 'INVALID', fault: 'author', rank: 6 },
  test_failed: red,
  example_failed: red,
  fixture_failed: red,
  collection_error: red,
  late_error: red,
  skipped: onlyWithCode,
  id_added: onlyWithCode,
};

const SUITE: Partial<Record<FindingCode, Row>> = {
  ...BOTH,
  write_set: { verdict: 'FAIL', fault: 'author', rank: 1 },
  scaffold_touched: { verdict: 'FAIL', fault: 'author', rank: 1 },
  project_rule: { verdict: 'FAIL', fault: 'author', rank: 1 },
  contract_unusable: refusedByPlan,
  early_exit: suiteInvalid,
  report_missing: suiteInvalid,
  report_second: suiteInvalid,
  report_broken: suiteInvalid,
  collection_error: suiteInvalid,
  suite_empty: suiteInvalid,
  file_without_tests: suiteInvalid,
  ids_differ: suiteInvalid,
  flaky: suiteInvalid,
  forbidden_outcome: suiteInvalid,
  xpassed: suiteInvalid,
  construct_refused: suiteInvalid,
  wall_limit: suiteWeak,
  memory_limit: suiteWeak,
  output_limit: suiteWeak,
  process_limit: suiteWeak,
  disk_limit: suiteWeak,
  not_red: suiteWeak,
  not_green: suiteWeak,
  test_never_red: suiteWeak,
  red_without_reach: suiteWeak,
  export_unreached: suiteWeak,
  clause_uncovered: suiteWeak,
  covers_unknown: suiteWeak,
};

/** The row that decides, or null when nothing was found: PASS. @throws {RangeError} for a finding that the table does not have. */
export function decidingRow(findings: readonly Finding[], judged: 'code' | 'suite'): Row | null {
  const table = judged === 'code' ? CODE : SUITE;
  return gravest(
    findings.map(({ code }) => {
      const row = table[code];
      if (row !== undefined) return row;
      throw new RangeError(`Cannot judge ${judged}: finding "${code}" has no row in the verdict table`);
    }),
  );
}
