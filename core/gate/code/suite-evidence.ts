/**
 * What a suite notices of a hard-coded export (gate.md part 12): one that does nothing and always gives the same has no test when every
 * test stays green.
 *  V1. All that it did is gone, and what it gives is of its declared type: nothing else that a suite could look at is left.
 *  V2. Two constants are tried where the type has two. Each must have run, and every test must be green: a suite that ends in any
 *      other way may have looked.
 *  V3. What a syntax calls (`__hash__`, `__enter__`, `[Symbol.iterator]`), builds or throws away may rightly go unnoticed.
 *  V4. What the author is told are export, clause and our constants, nothing of the code.
 */
import type { DeclaredExport, HardCoded } from '../../ports/mutants.ts';
import type { SourceSymbol } from '../../ports/symbols.ts';
import type { ResolvedContract } from '../../../schemas/contract.ts';
import type { AnswerOutcome, MutantOutcome } from '../../../schemas/mutation.ts';
import type { Finding } from '../../../schemas/report.ts';
import { finding } from '../finding.ts';
import { clausesOf } from '../suite/clauses.ts';
import { replaces } from './uncalled.ts';

/** Exports whose constants say something, of those that a suite must call. */
export function hardCodable(
  contract: ResolvedContract,
  names: readonly string[],
  declare: (text: string) => readonly SourceSymbol[] | null,
  uncalled: readonly string[] = [],
): readonly DeclaredExport[] {
  const wanted = new Set(names.filter((name) => !contract.interface.inert.includes(name)));
  const declared = contract.interface.exports
    .flatMap((text) => declare(text) ?? [])
    .flatMap((symbol) => [
      declaredAs(symbol.name, symbol),
      ...symbol.members.map((member) => declaredAs(`${symbol.name}.${member.name}`, member)),
    ]);
  const isOnce = (name: string): boolean => declared.filter((each) => each.name === name).length === 1;
  return declared
    .filter(({ name }) => wanted.has(name) && isOnce(name) && !SYNTAX.test(name))
    .map((each) => (uncalled.includes(each.name) ? { ...each, isUncalled: true } : each));
}

const SYNTAX = /\.(?:__\w+__|\[.*|constructor|then|toString|valueOf|toJSON)$/u;

/** Not of what gives nothing, or itself: that it always does so says nothing. */
export function givesAnswer({ returns }: DeclaredExport): boolean {
  return returns !== null && !NO_ANSWER.test(returns);
}

const NO_ANSWER =
  /^(?:asserts\b.*|(?:Promise<|Awaitable\[)?(?:None|(?:\w+\.)*(?:NoReturn|Never|Self)|void|undefined|never|this)[>\]]?)$/u;

function declaredAs(name: string, { returns, isAsync }: SourceSymbol): DeclaredExport {
  return { name, returns, isAsync };
}

/** The first constant of each export, then the second ones: what is noticed at once costs one run. */
export function inTurn(made: readonly HardCoded[]): readonly HardCoded[] {
  const rank = (change: HardCoded): number =>
    made.filter(({ exportName }) => exportName === change.exportName).indexOf(change);
  const ranks = new Map(made.map((change) => [change, rank(change)]));
  return made.toSorted((one, other) => (ranks.get(one) ?? 0) - (ranks.get(other) ?? 0));
}

/** A finding for each export that may be hard-coded. `outcomes` is by position in `tried`, from 1. */
export function unnoticedFindings(
  contract: ResolvedContract,
  tried: readonly HardCoded[],
  outcomes: ReadonlyMap<number, MutantOutcome>,
): Finding[] {
  const clauses = clausesOf(contract.interface);
  const results = tried.map((change, at) => ({ change, outcome: outcomes.get(at + 1) ?? 'not_run' }));
  return [...new Set(tried.map(({ exportName }) => exportName))].flatMap((exportName) => {
    const own = results.filter(({ change }) => change.exportName === exportName);
    const [first] = own;
    if (first === undefined || own.some(({ outcome }) => outcome !== 'survived')) return [];
    const clauseId = clauses.find((each) => each.exportName === exportName.split('.')[0])?.id ?? null;
    const named = clauseId === null ? '' : ` (clause ${clauseId})`;
    const values = own.map(({ change }) => change.value).join(', and where it always gives ');
    const text = `Every test is green where "${exportName}"${named} does nothing and always gives ${values}: assert the exact value that it gives, for more than one input, or what it changes`;
    const place = { file: first.change.file, line: first.change.line };
    return [finding('export_unnoticed', 'L1', text, { exportName, clauseId, place })];
  });
}

/**
 * A finding for each export that may always give the only answer that the suite got from it. `told` are those that have one already.
 * What a class of the suite does in its own way may always be one thing in the class that it is derived from: `suite` are its texts.
 */
export function oneSidedFindings(
  contract: ResolvedContract,
  answers: readonly AnswerOutcome[],
  told: readonly Finding[],
  suite: readonly string[],
): Finding[] {
  const clauses = clausesOf(contract.interface);
  const isSpared = (name: string): boolean =>
    told.some((each) => each.exportName === name) || suite.some((text) => replaces(text, name));
  const green = answers.filter(({ exportName, outcome }) => outcome === 'survived' && !isSpared(exportName));
  return [...new Set(green.map(({ exportName }) => exportName))].map((exportName) => {
    const clauseId = clauses.find((each) => each.exportName === exportName.split('.')[0])?.id ?? null;
    const named = clauseId === null ? '' : ` (clause ${clauseId})`;
    const text = `Every test is green where "${exportName}"${named} does nothing and always gives the only answer that the tests ask for: assert another answer, to an input that has another`;
    return finding('export_unnoticed', 'L1', text, { exportName, clauseId });
  });
}

/** Where the unchanged code is red in the check's room: nothing could be tried of it. */
export function unmadeFinding(): Finding {
  const text =
    'No change of the code could be tried: the suite was not green on the unchanged code in the room of the mutation check, although both judges had it green: it depends on how or where it runs';
  return finding('mutation_unmade', 'L1', text);
}
