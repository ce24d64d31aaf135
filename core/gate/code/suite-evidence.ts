/**
 * The mutation check as evidence (gate.md part 12): an export of which changes were tried and none was noticed has no test.
 *  V1. Changes of an export's own text speak for it; only where it has none, those of what it uses.
 *  V2. What it gives back or changes speaks first: a suite that only asks for its errors notices every other change of it. That
 *      nothing is given back is asked on stubs already.
 *  V3. One noticed change is enough: the others of that export are spared, so that an honest suite costs a run or two.
 *  V4. What the author is told are exports, clauses and kinds of change, nothing of the code.
 */
import type { Mutant } from '../../ports/mutants.ts';
import type { ResolvedContract } from '../../../schemas/contract.ts';
import type { MutantOutcome, MutationOperator } from '../../../schemas/mutation.ts';
import type { Finding } from '../../../schemas/report.ts';
import { clausesOf } from '../suite/clauses.ts';
import { finding } from '../finding.ts';
import { ORDER } from './mutation.ts';

/** A change to try, with the export that it speaks for. */
export interface Witness {
  readonly mutant: Mutant;
  readonly exportName: string;
}

/** Changes of one export that are tried at most: a suite that notices none of so many notices none. */
const WITNESSES_MAX = 8;

/** The changes to try, the most telling one of each export first, then a second one of each. */
export function witnessesOf(
  names: readonly string[],
  made: readonly Mutant[],
  max: number,
): readonly Witness[] {
  const lists = names.map((name) =>
    telling(name, made)
      .slice(0, WITNESSES_MAX)
      .map((mutant) => ({ mutant, exportName: name })),
  );
  const rounds = Array.from({ length: WITNESSES_MAX }, (_each, round) =>
    lists.flatMap((list) => list[round] ?? []),
  );
  return rounds.flat().slice(0, max);
}

/** What an export gives back or changes. */
const SEEN: ReadonlySet<MutationOperator> = new Set<MutationOperator>(['value', 'effect', 'call']);

function telling(name: string, made: readonly Mutant[]): readonly Mutant[] {
  const own = made.filter(
    (mutant) => mutant.within === name || mutant.within?.startsWith(`${name}.`) === true,
  );
  const [owner] = name.split('.');
  const used = made.filter((mutant) => owner !== undefined && mutant.serves.includes(owner));
  const near = own.length > 0 ? own : used;
  const seen = near.filter(({ operator }) => SEEN.has(operator));
  const changing = near.filter(({ operator }) => operator !== 'return' && operator !== 'raise');
  return byLine(seen.length > 0 ? seen : changing);
}

/** One of each line before a second one, the strongest first. */
function byLine(mutants: readonly Mutant[]): readonly Mutant[] {
  const ordered = mutants.toSorted(
    (one, other) => ORDER.indexOf(one.operator) - ORDER.indexOf(other.operator),
  );
  const rank = (mutant: Mutant): number =>
    ordered.filter((other) => other.file === mutant.file && other.line === mutant.line).indexOf(mutant);
  const ranks = new Map(ordered.map((mutant) => [mutant, rank(mutant)]));
  return ordered.toSorted((one, other) => (ranks.get(one) ?? 0) - (ranks.get(other) ?? 0));
}

/** A finding for each export of which changes were tried and none was noticed. `outcomes` is by position in `tried`, from 1. */
export function unnoticedFindings(
  contract: ResolvedContract,
  tried: readonly Witness[],
  outcomes: ReadonlyMap<number, MutantOutcome>,
): Finding[] {
  const clauses = clausesOf(contract.interface);
  const results = tried.map((witness, at) => ({ ...witness, outcome: outcomes.get(at + 1) ?? 'not_run' }));
  return [...new Set(tried.map(({ exportName }) => exportName))].flatMap((name) => {
    const own = results.filter(({ exportName }) => exportName === name);
    const survivors = own.filter(({ outcome }) => outcome === 'survived').map(({ mutant }) => mutant);
    const isSeen = own.some(({ outcome }) => outcome === 'killed' || outcome === 'spared');
    const [first] = survivors;
    if (isSeen || first === undefined || !isEnough(survivors)) return [];
    const clause = clauses.find(({ exportName }) => exportName === name.split('.')[0]);
    const kinds = [...new Set(survivors.map(({ operator }) => operator))].join(', ');
    const count =
      survivors.length === 1
        ? 'One small change of it was tried'
        : `${String(survivors.length)} small changes of it were tried`;
    const text = `No test notices a change of "${name}"${clause === undefined ? '' : ` (clause ${clause.id})`}. ${count} (${kinds}), and no assertion failed: assert the exact value that it gives back, or what it changes`;
    const place = { file: first.file, line: first.line };
    return [
      finding('export_unnoticed', 'L1', text, { exportName: name, clauseId: clause?.id ?? null, place }),
    ];
  });
}

/** One dropped call, or one moved bound, may be what nobody can see. */
function isEnough(survivors: readonly Mutant[]): boolean {
  return survivors.length > 1 || survivors.some(({ operator }) => operator === 'value');
}

/** Where the unchanged code is red as soon as suite and code share one process: nothing can be tried of it. */
export function unmadeFinding(): Finding {
  const text =
    'The suite is not green on the unchanged code where both share one process, so that no change of the code could be tried: assertions may not depend on how or by what the suite is run';
  return finding('mutation_unmade', 'L1', text);
}
