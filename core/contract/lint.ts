/**
 * `lint-contracts`: what a contract says that will cost attempts although it can be seeded. Each rule asks one question of a
 * node and of what it stands on; nothing is run. Wrong alarms cost more than misses: a rule speaks where it is sure.
 */
import type { ResolvedContract } from '../../schemas/contract.ts';
import { lintAssumptions } from './lint/assumptions.ts';
import { lintContradictions } from './lint/contradictions.ts';
import { lintExamples } from './lint/examples.ts';
import type { LintFinding } from './lint/finding.ts';
import { namesOf } from './lint/names.ts';
import { lintRaises } from './lint/raises.ts';
import { lintWording } from './lint/wording.ts';

export type { LintFinding } from './lint/finding.ts';

const RULES = [lintWording, lintRaises, lintExamples, lintContradictions, lintAssumptions];

/** Findings in the order of the document; at one place the first rule speaks. */
export function lintContracts(all: readonly ResolvedContract[]): readonly LintFinding[] {
  return all.flatMap((node, index) => {
    const names = namesOf(node, all);
    const found = RULES.flatMap((rule) => rule(names, ['nodes', index]));
    const places = found.map(({ path }) => JSON.stringify(path));
    return found.filter((_, at) => places.indexOf(places[at] ?? '') === at);
  });
}
