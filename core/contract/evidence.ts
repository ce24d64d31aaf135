/**
 * What a change of a contract voids of the work on it. A description voids nothing; an example has the code checked again; a
 * guarantee voids the suite; a declaration suite and code, and what stands on it is checked again.
 */
import type { ResolvedContract } from '../../schemas/contract.ts';
import type { StageSpec } from '../../schemas/contract.ts';
import { dependencyClosure } from '../projection/paths.ts';
import { canonicalJson } from '../text/canonical.ts';
import type { Voids } from '../../schemas/contract-change.ts';

/** Everything of a contract that evidence rests on; what is in none of the three is for readers alone. */
interface EvidenceParts {
  /** Judges code that is there: a new verdict is enough. */
  readonly judged: Readonly<Record<string, unknown>>;
  /** What a suite proves, and how it is judged. */
  readonly promised: Readonly<Record<string, unknown>>;
  /** What other code names. */
  readonly declared: Readonly<Record<string, unknown>>;
}

export interface Book {
  readonly stages: readonly Pick<StageSpec, 'id' | 'kind'>[];
  readonly resolved: readonly ResolvedContract[];
}

/** Fields of a contract that differ, and what their change voids. Null: the contracts are the same. */
export interface ContractDifference {
  readonly fields: readonly string[];
  readonly voids: Voids;
}

const ORDER: readonly Voids[] = ['nothing', 'verdict', 'suite', 'all'];

/** The stronger of two. */
export function strongest(left: Voids, right: Voids): Voids {
  return ORDER.indexOf(left) >= ORDER.indexOf(right) ? left : right;
}

/** What differs between two contracts of one node. */
export function contractDifference(
  before: ResolvedContract,
  after: ResolvedContract,
): ContractDifference | null {
  const [old, now] = [partsOf(before), partsOf(after)];
  const names = (part: keyof EvidenceParts): string[] => differing(old[part], now[part]);
  const [judged, promised, declared] = [names('judged'), names('promised'), names('declared')];
  const told = differing(toldOf(before), toldOf(after));
  const fields = [...declared, ...promised, ...judged, ...told];
  if (fields.length === 0) return null;
  const voids =
    declared.length > 0 ? 'all' : promised.length > 0 ? 'suite' : judged.length > 0 ? 'verdict' : 'nothing';
  return { fields, voids };
}

/** Text whose hash names the evidence of a node: equal texts, equal evidence, whatever was written in between. */
export function evidenceText(book: Book, nodeId: string): string {
  const contract = book.resolved.find((each) => each.id === nodeId);
  if (contract === undefined) throw new RangeError(`Cannot name the evidence of "${nodeId}": no contract`);
  const below = dependencyClosure(book.resolved, nodeId)
    .map((each) => ({ id: each.id, ...partsOf(each).declared }))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
  return canonicalJson({ ...partsOf(contract), below, isPure: isPure(book, contract) });
}

/** Whether what the node declares for others differs. */
export function declaresOtherwise(before: ResolvedContract, after: ResolvedContract): boolean {
  return differing(partsOf(before).declared, partsOf(after).declared).length > 0;
}

export function isPure(book: Pick<Book, 'stages'>, contract: ResolvedContract): boolean {
  return book.stages.find((stage) => stage.id === contract.stage)?.kind === 'pure';
}

function partsOf(contract: ResolvedContract): EvidenceParts {
  const { interface: face } = contract;
  return {
    judged: {
      examples: contract.examples,
      fixtures: contract.fixtures,
      environment: contract.environment,
      requires: contract.requires,
      isolation: contract.isolation ?? null,
      structural_deps: contract.structural_deps.toSorted(),
      min_mutation_score: contract.min_mutation_score ?? null,
    },
    promised: {
      guarantees: face.guarantees,
      raises: face.raises,
      assumptions: face.assumptions,
      inert: face.inert,
      wall: contract.wall,
    },
    declared: {
      exports: face.exports,
      imports: face.imports,
      type: contract.type,
      mode: contract.mode,
      language: contract.language,
      files: contract.files,
      tests: contract.tests,
      weight_none: contract.protocol_weight === 'none',
    },
  };
}

/** For readers alone: no verdict depends on it. */
function toldOf(contract: ResolvedContract): Record<string, unknown> {
  return {
    description: contract.description,
    stage: contract.stage,
    assumption_deps: contract.assumption_deps,
    protocol_weight: contract.protocol_weight,
    max_retries: contract.max_retries,
    view_spec: contract.view_spec,
    require_review: contract.require_review ?? false,
  };
}

function differing(
  left: Readonly<Record<string, unknown>>,
  right: Readonly<Record<string, unknown>>,
): string[] {
  return Object.keys(left).filter((name) => canonicalJson(left[name]) !== canonicalJson(right[name]));
}
