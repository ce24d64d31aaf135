/** Every kind of thing that a gate finds; what each decides stands in core/gate/verdict-table.ts. */
import { z } from 'zod';

export const FindingCode = z.enum([
  // L0, code
  'write_set',
  'scaffold_touched',
  'suite_changed',
  'entry_missing',
  'source_unparsable',
  'export_missing',
  'export_deleted',
  'export_kind',
  'export_async',
  'export_arity',
  'export_annotation',
  'export_member',
  'export_extra',
  'export_unchecked',
  'surroundings',
  // L0 in the sources, L1 as it ran: code of a pure stage
  'impure',
  'impure_run',
  // L0, any: a rule of the project's verify.yaml
  'project_rule',
  // L1, code
  'test_failed',
  'example_failed',
  'collection_error',
  'late_error',
  'id_vanished',
  'id_added',
  'skipped',
  'xpassed',
  'early_exit',
  'report_missing',
  'report_second',
  'report_broken',
  'flaky',
  // L1, code behind the wall and the same in plain: the two judges differ
  'plain_failed',
  'wall_only',
  'wall_twice',
  // L1, code that a suite with other expectations passes, too
  'follows_suite',
  // L2, code
  'fixture_failed',
  'mutant_survived',
  'mutation_score',
  'suite_contradicts_example',
  'message_unstated',
  'export_uncalled',
  'export_unnoticed',
  // Only told, never a verdict
  'mutation_unmade',
  // Only in records older than decision 0027
  'unasserted',
  // L1, any run
  'wall_limit',
  'memory_limit',
  'output_limit',
  'process_limit',
  'disk_limit',
  'platform_lost',
  'platform_wall',
  'plan_empty',
  'tier_refused',
  'isolation_refused',
  'contract_unusable',
  // L1, suite
  'suite_empty',
  'file_without_tests',
  'ids_differ',
  'forbidden_outcome',
  'construct_refused',
  'not_red',
  'not_green',
  'test_never_red',
  'red_without_reach',
  'export_unreached',
  'clause_uncovered',
  'covers_unknown',
]);
export type FindingCode = z.infer<typeof FindingCode>;
