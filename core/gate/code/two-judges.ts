/**
 * Two judges of different kind: the suite behind the glass wall, and the same suite with its ordinary runner in one process, as
 * a user will run it (gate.md part 12). PASS needs both: what forges the one is refused by the other.
 *  J1. Red for both: what the wall saw decides.
 *  J2. Red in plain only: FAIL. Of it a builder hears one fixed sentence and an export: there its code could have read the suite.
 *  J3. Red behind the wall only: no PASS, and nobody is to blame, until the same bytes have failed so twice.
 */
import type { Finding, GateReport, LockedSuite, PlainJudge } from '../../../schemas/report.ts';
import type { TestId } from '../../../schemas/runner-report.ts';
import type { Execution } from '../execution.ts';
import { finding } from '../finding.ts';
import type { RunnerRun } from '../runner-reading.ts';
import { idKey } from '../test-id.ts';
import { counted } from '../../text/plural.ts';

type TestLine = RunnerRun['tests'][number];

/** What the plain judge said, once it was clear that nothing but its kind makes it differ from the wall. */
export interface PlainVerdict {
  /** For example `pytest`. */
  readonly runner: string;
  readonly execution: Execution;
  /** The same bytes have failed behind the wall alone before. */
  readonly isSecond: boolean;
}

const DIFFERENCES_MAX = 50;
const PLATFORM: ReadonlySet<string> = new Set(['platform_lost', 'platform_wall']);

/** True when every locked id ran and passed, and nothing else was told. */
export function isGreen(execution: Execution, locked: LockedSuite): boolean {
  if (execution.kind !== 'complete') return false;
  const { tests, collected, collectErrors, lateErrors } = execution.run;
  const passed = new Set(tests.filter((test) => test.outcome === 'passed').map((test) => idKey(test.id)));
  return (
    collectErrors.length + lateErrors.length === 0 &&
    passed.size === tests.length &&
    collected.length === locked.tests.length &&
    locked.tests.every((test) => passed.has(idKey(test.id)))
  );
}

/** True when the machine, not the code, kept a run from its end. */
export function isPlatform(execution: Execution): boolean {
  return execution.kind === 'unusable' && PLATFORM.has(execution.finding.code);
}

/** Red in plain only: the finding for the builder; a run that left nothing usable has its own. */
export function plainFindings({ runner, execution }: PlainVerdict, locked: LockedSuite): Finding[] {
  if (execution.kind === 'unusable') return [execution.finding];
  const red = execution.run.tests.find((test) => test.outcome !== 'passed');
  const text = `The suite is green behind the glass wall and red in plain ${runner}, where code and suite share one process`;
  return [
    finding('plain_failed', 'L1', text, {
      testId: red?.id ?? null,
      exportName: red === undefined ? null : soleExport(red.id, locked),
    }),
  ];
}

/** Red behind the wall only, for the first time. */
export function wallOnlyFinding({ runner }: PlainVerdict): Finding {
  const text = `The suite passes in plain ${runner} and fails behind the glass wall: nobody is blamed, unless the same files fail so a second time`;
  return finding('wall_only', 'L1', text);
}

/** True for a report whose second judge passes what the wall refuses, for the first time. */
export function isWallOnly({ levels }: Pick<GateReport, 'levels'>): boolean {
  return levels.some((level) => level.findings.some((found) => found.code === 'wall_only'));
}

/** The same for the second time: listed beside what the wall saw. */
export function wallTwiceWarning({ runner }: PlainVerdict): Finding {
  const text = `The suite passes in plain ${runner}; the same files have failed behind the glass wall twice`;
  return finding('wall_twice', 'L1', text);
}

/** What the lock says that the test reached; null unless it is one export. */
export function soleExport(id: TestId, locked: LockedSuite): string | null {
  const reached = locked.tests.find((test) => idKey(test.id) === idKey(id))?.reached ?? [];
  const names = new Set(reached.map((name) => name.split('.')[0] ?? name));
  return names.size === 1 ? ([...names][0] ?? null) : null;
}

/** Both judges side by side, for managers and people: each test on which they differ, with what either saw. */
export function sideBySide(wall: Execution, plain: PlainVerdict, locked: LockedSuite): PlainJudge {
  const { runner, execution } = plain;
  const behind = linesOf(wall);
  const beside = linesOf(execution);
  const ids = new Map([...behind.values(), ...beside.values()].map(({ id }) => [idKey(id), id]));
  const differing = [...ids].filter(([key]) => behind.get(key)?.outcome !== beside.get(key)?.outcome);
  return {
    runner,
    outcome: execution.kind === 'unusable' ? 'unusable' : isGreen(execution, locked) ? 'green' : 'red',
    differing: differing.length,
    differences: differing.slice(0, DIFFERENCES_MAX).map(([key, id]) => ({
      id,
      wall: sideOf(behind.get(key)),
      plain: sideOf(beside.get(key)),
    })),
  };
}

/** `12 of 14 tests differ`, for a headline; empty where the judges agree. */
export function judgesText({ runner, outcome, differing }: PlainJudge): string {
  const how = outcome === 'green' ? 'passes' : outcome === 'red' ? 'fails' : 'has no usable end';
  const many = differing === 0 ? '' : `, ${counted(differing, 'test')} otherwise than behind the wall`;
  return `${how} in plain ${runner}${many}`;
}

function linesOf(execution: Execution): ReadonlyMap<string, TestLine> {
  if (execution.kind === 'unusable') return new Map();
  return new Map(execution.run.tests.map((test) => [idKey(test.id), test]));
}

function sideOf(line: TestLine | undefined): PlainJudge['differences'][number]['wall'] {
  if (line === undefined) return { outcome: null, failure: null };
  const { outcome, failure, counterexample } = line;
  return { outcome, failure, ...(counterexample === undefined ? {} : { counterexample }) };
}
