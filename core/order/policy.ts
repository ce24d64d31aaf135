/**
 * What an order's change may not do, found before anything of it runs (seed 003, module B; G5).
 *  P1. The judge's own files are not changed: the profile, the CI files that the plan was read from, what configures the
 *      runners, and every file of the base that a command of the plan names. `--allow-gate-edit` allows one by name.
 *  P2. Test files of the base stay: an order that is done because its tests are gone is not done.
 *  P3. Paths outside `--paths` and those of `--forbid` are not changed.
 *  P4. A change that changes nothing has done nothing.
 *  P5. Compiled code is no part of a change: what is read and what runs are the same.
 */
import { matchesAnyGlob } from '../globs.ts';
import { isPlanFile } from '../repository/plan-files.ts';
import { repositoryFinding } from '../repository/finding.ts';
import { isCompiled, isSteeringFile } from './steering.ts';
import type { GatePlan } from '../../schemas/gate-plan.ts';
import type { OrderPolicy, Violation } from '../../schemas/order.ts';
import type { RepositoryFinding, RepositoryFindingCode } from '../../schemas/repository-report.ts';

export interface ChangedPath {
  readonly path: string;
  readonly kind: 'added' | 'changed' | 'deleted';
}

const TEST_FILES = [
  '**/test_*.py',
  '**/*_test.py',
  '**/tests.py',
  '**/*.test.*',
  '**/*.spec.*',
  '**/*_test.*',
  '**/*_spec.*',
  '**/*Test.*',
  '**/*Tests.*',
  '**/tests/**',
  '**/test/**',
  '**/__tests__/**',
  '**/spec/**',
  '**/testdata/**',
];
const VIOLATIONS_MAX = 200;

/** Whether a path is one of the tests, by its name. */
export function isTestFile(path: string): boolean {
  return matchesAnyGlob(TEST_FILES, path);
}

/** Violations by entries that were not taken out of the room, so that no tree shows them. */
export function refusedViolations(
  refused: readonly { readonly path: string; readonly reason: string }[],
): Violation[] {
  return refused.map(({ path, reason }) => refusedViolation(path, reason));
}

/** Every violation of a change. `basePaths`: the files that the base has. `entries`: of {@link refusedViolations}. */
export function violationsOf(input: {
  readonly changed: readonly ChangedPath[];
  readonly basePaths: ReadonlySet<string>;
  readonly plan: GatePlan;
  readonly policy: OrderPolicy;
  readonly entries: readonly Violation[];
}): Violation[] {
  const { changed, policy, entries } = input;
  const gate = gateFileTest(input.plan, input.basePaths);
  const found = changed.flatMap((each) => violationOf(each, policy, gate));
  const nothing: Violation[] =
    changed.length === 0 && entries.length === 0
      ? [
          {
            kind: 'no_change',
            path: null,
            text: 'Nothing was changed: the tree is as it was before the order',
          },
        ]
      : [];
  return [...entries, ...found, ...nothing].slice(0, VIOLATIONS_MAX);
}

function violationOf(
  { path, kind }: ChangedPath,
  policy: OrderPolicy,
  isGate: (path: string) => boolean,
): Violation[] {
  const isAllowed = matchesAnyGlob(policy.gateEdits, path);
  const undo = kind === 'added' ? 'take it away again' : 'put it back as it was';
  const of = (violation: Violation['kind'], text: string): Violation[] => [{ kind: violation, path, text }];
  if (!isAllowed && isGate(path))
    return of('gate_file', `${shown(path)} belongs to the gate and was ${kind}: ${undo}`);
  if (!isAllowed && kind !== 'deleted' && isCompiled(path))
    return of(
      'compiled',
      `${shown(path)} is compiled code and was ${kind}, and no source says what it does: ${undo}`,
    );
  if (!isAllowed && kind === 'deleted' && isTestFile(path))
    return of(
      'tests_removed',
      `The test file ${shown(path)} was deleted: put it back, or move what it tests`,
    );
  if (matchesAnyGlob(policy.forbid, path))
    return of('forbidden', `${shown(path)} was ${kind}, and the order forbids it`);
  if (!isAllowed && policy.paths.length > 0 && !matchesAnyGlob(policy.paths, path))
    return of('outside_paths', `${shown(path)} was ${kind}; the order allows ${policy.paths.join(', ')}`);
  return [];
}

/** In quotes, on one line, whatever its name is made of. */
function shown(path: string): string {
  return JSON.stringify(path.slice(0, 300));
}

const REASONS: Readonly<Record<string, string>> = {
  symlink: 'is a symbolic link: only links of the base, unchanged, may stay',
  hard_link: 'is a hard link: make it a file of its own',
  device: 'is a device',
  fifo: 'is a named pipe',
  socket: 'is a socket',
  path: 'has a name that no tree can hold',
  too_large: 'is too large to be taken out of the room',
};

function refusedViolation(path: string, reason: string): Violation {
  if (path === '')
    return {
      kind: 'too_much',
      path: null,
      text: `The change is too large to be taken (${reason}): nothing of it was taken`,
    };
  return {
    kind: 'refused_entry',
    path: path.slice(0, 1024),
    text: `${shown(path)} ${REASONS[reason] ?? reason}: it was not taken`,
  };
}

/** Whether a path belongs to the judge. */
export function gateFileTest(plan: GatePlan, basePaths: ReadonlySet<string>): (path: string) => boolean {
  const named = new Set(plan.steps.flatMap((step) => namedFiles(step, basePaths)));
  const isFromWorkflows = plan.sources.some(({ kind }) => kind === 'workflow');
  return (path) =>
    isPlanFile(path) ||
    (isFromWorkflows && path.startsWith('.github/')) ||
    isSteeringFile(path) ||
    named.has(path);
}

/** Files of the base that a command names: scripts, makefiles, package files of a package manager's script. */
function namedFiles(step: GatePlan['steps'][number], basePaths: ReadonlySet<string>): string[] {
  if (step.kind === 'schema_files') return step.schemaPath === null ? [] : [step.schemaPath];
  if (step.kind !== 'test_command' && step.kind !== 'setup') return [];
  const before = step.kind === 'test_command' ? (step.before ?? []) : [];
  const words = [...before.flat(), ...step.argv]
    .flatMap((word) => word.split(/[\s;&|()'"=]+/))
    .map((word) => word.replace(/^\.\//, ''));
  const scripts = words.filter((word) => basePaths.has(word) && !isTestFile(word));
  const makes = words.some((word) => /^(?:make|gmake)$/.test(word))
    ? ['Makefile', 'makefile', 'GNUmakefile']
    : [];
  return [...scripts, ...makes];
}

const CODES: Readonly<Record<Violation['kind'], RepositoryFindingCode>> = {
  gate_file: 'gate_file_changed',
  compiled: 'entry_refused',
  outside_paths: 'path_not_allowed',
  forbidden: 'path_not_allowed',
  refused_entry: 'entry_refused',
  tests_removed: 'tests_removed',
  too_much: 'too_much_changed',
  no_change: 'no_change',
};

/** Violations as findings of L0. */
export function violationFindings(violations: readonly Violation[]): RepositoryFinding[] {
  return violations.map(({ kind, path, text }) =>
    repositoryFinding(
      CODES[kind],
      'L0',
      text,
      path === null ? {} : { place: { file: path.slice(0, 500), line: 0 } },
    ),
  );
}
