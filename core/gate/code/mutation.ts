/**
 * The mutation check (gate.md part 11): what a suite notices of small changes of the code that it passed.
 *  M1. Only a failed assertion of the suite kills: code that checks itself kills every mutant of itself.
 *  M2. What the bound left out, or did not end in time, is told, and counts neither way.
 *  M3. It never makes a PASS; with `min_mutation_score` it can send the suite back, which is not the builder's doing.
 */
import type { Mutant } from '../../ports/mutants.ts';
import type { ResolvedContract } from '../../../schemas/contract.ts';
import {
  MutationLine,
  type AnswerOutcome,
  type MutantOutcome,
  type MutationOperator,
} from '../../../schemas/mutation.ts';
import type { Finding, GateReport, MutationCheck } from '../../../schemas/report.ts';
import type { AnalystReport } from '../../../schemas/stage.ts';
import { clausesOf, type Clause } from '../suite/clauses.ts';
import { finding } from '../finding.ts';

/** Mutants of one check, and the processor time that all of them may take in each lane. */
export const MUTANTS_MAX = 40;
export const MUTATION_BUDGET_MS = 8_000;
/** Small changes where the contract asks for no score: enough for a manager to see what a suite lets through. */
export const UNASKED_MAX = 6;
/** Mutants that run side by side. */
export const MUTATION_LANES = 2;

const SURVIVORS_MAX = 20;
const LINES_MAX = 20_000;

/** Time of the check at a node's acceptance: a contract that asks for a score has it also where it is switched off. */
export function mutationMsOf(
  contract: Pick<ResolvedContract, 'min_mutation_score'>,
  configuredMs: number,
): number {
  return contract.min_mutation_score === undefined
    ? configuredMs
    : Math.max(configuredMs, MUTATION_BUDGET_MS);
}

/**
 * Strongest first: of one line the first of these is tried before any second one. A changed answer comes first: a suite that only
 * ever asks where the answer is yes notices every other change of such a line.
 */
const ORDER: readonly MutationOperator[] = [
  'answer',
  'comparison',
  'raise',
  'logic',
  'condition',
  'arithmetic',
  'constant',
  'return',
  'call',
  'loop',
  'text',
];

/** False for lines that serve nothing but exports which the contract calls inert: no suite has anything to notice there. */
export function isNoticeable({ serves }: Mutant, contract: ResolvedContract): boolean {
  const { inert } = contract.interface;
  return serves.length === 0 || !serves.every((name) => inert.includes(name));
}

/** At most `max` mutants, spread over all lines: first one of each line, then a second one, in the order of the source. */
export function selectMutants(all: readonly Mutant[], max: number = MUTANTS_MAX): readonly Mutant[] {
  const byLine = new Map<string, Mutant[]>();
  for (const mutant of all) {
    const key = `${mutant.file}:${String(mutant.line)}`;
    byLine.set(key, [...(byLine.get(key) ?? []), mutant]);
  }
  const lines = [...byLine.values()].map((mutants) =>
    mutants.toSorted((left, right) => ORDER.indexOf(left.operator) - ORDER.indexOf(right.operator)),
  );
  const chosen: Mutant[] = [];
  for (let round = 0; chosen.length < Math.min(max, all.length); round += 1) {
    const next = lines.flatMap((mutants) => mutants[round] ?? []);
    chosen.push(...spread(next, max - chosen.length));
  }
  return chosen.toSorted((left, right) => all.indexOf(left) - all.indexOf(right));
}

function spread<T>(items: readonly T[], max: number): readonly T[] {
  if (items.length <= max) return items;
  return Array.from(
    { length: max },
    (_each, index) => items[Math.floor((index * items.length) / max)],
  ).filter((item) => item !== undefined);
}

export interface MutationOutcomes {
  /** By index; 0 is the unchanged code. */
  readonly changes: ReadonlyMap<number, MutantOutcome>;
  readonly answers: readonly AnswerOutcome[];
}

/** What a hostile report tells; null when it is not whole or not ours. */
export function readMutationReport(text: string, nonce: string): MutationOutcomes | null {
  const lines = text.split('\n').filter((line) => line !== '');
  if (lines.length > LINES_MAX) return null;
  const outcomes = new Map<number, MutantOutcome>();
  const answers: AnswerOutcome[] = [];
  const seen = { start: 0, end: 0 };
  for (const line of lines) {
    const read = parsed(line);
    if (read === null) return null;
    if (read.kind === 'answer') answers.push(read);
    else if (read.kind !== 'mutant') {
      if (read.nonce !== nonce) return null;
      seen[read.kind] += 1;
    } else if (outcomes.has(read.index)) return null;
    else outcomes.set(read.index, read.outcome);
  }
  return seen.start === 1 && seen.end === 1 && outcomes.has(0) ? { changes: outcomes, answers } : null;
}

function parsed(line: string): MutationLine | null {
  try {
    const read = MutationLine.safeParse(JSON.parse(line));
    return read.success ? read.data : null;
  } catch {
    return null;
  }
}

/** The result; `outcomes` is by position in `tried`, from 1. */
export function mutationCheck(
  contract: ResolvedContract,
  made: number,
  tried: readonly Mutant[],
  outcomes: ReadonlyMap<number, MutantOutcome>,
): MutationCheck {
  const results = tried.map((mutant, index) => ({ mutant, outcome: outcomes.get(index + 1) ?? 'not_run' }));
  const count = (outcome: MutantOutcome): number => results.filter((each) => each.outcome === outcome).length;
  const [killed, survived, raised] = [count('killed'), count('survived'), count('raised')];
  const judged = killed + survived + raised;
  const clauses = clausesOf(contract.interface);
  const unfinished = unfinishedReason(made, tried.length, count('not_run'));
  const survivors = results.filter((each) => each.outcome === 'survived').map((each) => each.mutant);
  return {
    score: judged === 0 ? null : Math.round((killed / judged) * 1000) / 1000,
    made,
    killed,
    survived,
    raised,
    timedOut: count('timed_out'),
    notRun: made - tried.length + count('not_run'),
    ...(unfinished === null ? {} : { unfinished }),
    survivors: survivors.slice(0, SURVIVORS_MAX).map((mutant) => survivorFinding(mutant, clauses)),
  };
}

function unfinishedReason(made: number, chosen: number, notRun: number): string | null {
  const ran = `${String(chosen - notRun)} of ${String(made)} changes were tried`;
  if (notRun > 0) return `${ran}: the time of the check was over`;
  return chosen < made
    ? `${ran}: a check tries at most ${String(chosen)}${chosen < MUTANTS_MAX ? ' where the contract asks for no score' : ''}`
    : null;
}

/** Why a check proves nothing, by what the unchanged code did; null where it is green. */
export function unmadeReason(outcomes: ReadonlyMap<number, MutantOutcome> | null): string | null {
  const first = outcomes?.get(0);
  switch (first) {
    case 'survived':
      return null;
    case undefined:
      return 'its report is not whole';
    case 'timed_out':
    case 'not_run':
    case 'spared':
    case 'unreached':
      return 'the suite did not end on the unchanged code within the time of the check';
    case 'killed':
    case 'raised':
      return 'the suite is not green on the unchanged code where both share one process';
  }
}

/** A check that came to no result. */
export function unmadeCheck(made: number, reason: string): MutationCheck {
  const none = { score: null, killed: 0, survived: 0, raised: 0, timedOut: 0, survivors: [] };
  return { ...none, made, notRun: made, unfinished: `none of ${String(made)} changes was tried: ${reason}` };
}

function survivorFinding(mutant: Mutant, clauses: readonly Clause[]): Finding {
  const clause = clauseOf(mutant, clauses);
  const named = clause === undefined ? 'no clause names it' : `clause ${clause.id}`;
  const text = `No test notices a changed ${mutant.operator} in ${mutant.file}:${String(mutant.line)} (${named}): ${mutant.change}`;
  return finding('mutant_survived', 'L1', text, {
    place: { file: mutant.file, line: mutant.line },
    clauseId: clause?.id ?? null,
    exportName: mutant.serves.find((name) => clauses.some((each) => each.exportName === name)) ?? null,
  });
}

/** The error that was not raised, else the nearest export that the line serves. */
function clauseOf(mutant: Mutant, clauses: readonly Clause[]): Clause | undefined {
  const raise = clauses.find((clause) => clause.kind === 'raise' && clause.exportName === mutant.raises);
  if (raise !== undefined) return raise;
  const names = mutant.serves.filter((name) => clauses.some((clause) => clause.exportName === name));
  return clauses.find((clause) => clause.exportName === names[0] && names[0] !== undefined);
}

/** The finding that sends a suite back; null where the contract asks for nothing or the suite is good enough. */
export function scoreFinding(contract: ResolvedContract, check: MutationCheck): Finding | null {
  const least = contract.min_mutation_score;
  // Nothing to change is nothing to notice.
  if (least === undefined || check.made === 0 || (check.score !== null && check.score >= least)) return null;
  if (check.score === null) {
    const why = check.unfinished ?? 'every change ran out of its time';
    const none = `The mutation check came to no result, and the contract asks for a score: ${why}`;
    return finding('mutation_score', 'L1', none);
  }
  const { killed, survived, raised } = check;
  const clauses = [...new Set(check.survivors.flatMap((each) => each.clauseId ?? []))];
  const where = clauses.length === 0 ? '' : `; what goes unnoticed belongs to ${clauses.join(', ')}`;
  const text = `The suite notices ${String(killed)} of ${String(killed + survived + raised)} small changes of the code by an assertion, the contract asks for a share of ${String(least)}${where}`;
  return finding('mutation_score', 'L1', text, { clauseId: clauses[0] ?? null });
}

/** One line for people: score and counts. */
export function mutationText(check: MutationCheck): string {
  const { score, made, killed, survived, raised, timedOut, notRun, unfinished } = check;
  const why = unfinished === undefined ? '' : ` (${unfinished})`;
  const share = score === null ? 'no score' : `score ${score.toFixed(2)}`;
  return `mutation check: ${share}; of ${String(made)} changes ${String(killed)} killed, ${String(survived)} survived, ${String(raised)} raised without an assertion, ${String(timedOut)} timed out, ${String(notRun)} not run${why}`;
}

/** Not where only the bound of number held: most nodes of some size have more changes than that. */
function isCutShort({ made, notRun }: MutationCheck): boolean {
  const tried = made - notRun;
  const wanted = tried > UNASKED_MAX ? MUTANTS_MAX : UNASKED_MAX;
  return tried < Math.min(made, wanted);
}

const TOLD_MAX = 10;
const TOLD_CHARS_MAX = 500;

/** What a manager is told, as a finding about the node: survivors, and that changes could not be tried; null where there is neither. */
export function survivorsOf({ mutation }: Pick<GateReport, 'mutation'>): AnalystReport | null {
  if (mutation === undefined || (mutation.survivors.length === 0 && !isCutShort(mutation))) return null;
  const told = mutation.survivors.slice(0, TOLD_MAX).map((each) => each.text.slice(0, TOLD_CHARS_MAX));
  return {
    scope: 'node',
    findings: [mutationText(mutation), ...told],
    confidence: 'high',
    sources: ['mutation check'],
  };
}
