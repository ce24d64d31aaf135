/** Whether the output of a test command tells of failures that were planted: then it runs these tests, however else it ends. */
import type { AlteredTest } from './counter-proof.ts';

const PLANTS_MAX = 200;
const CHARS_MAX = 200_000;

/** The two numbers of a planted assertion, which nobody could foresee, stand close together. */
export function tellsOfPlants(output: string, tests: Iterable<AlteredTest>): boolean {
  const end = output.slice(-CHARS_MAX);
  const pairs = [...tests]
    .flatMap(({ plant }) => plant)
    .slice(0, PLANTS_MAX)
    .flatMap(({ by }) => {
      const [, one, other] = /\b(\d{3})\b\D+\b(\d{3})\b/u.exec(by) ?? [];
      return one === undefined || other === undefined ? [] : [[one, other] as const];
    });
  return pairs.some(([one, other]) =>
    new RegExp(`\\b${one}\\b\\D{1,60}\\b${other}\\b|\\b${other}\\b\\D{1,60}\\b${one}\\b`, 'u').test(end),
  );
}
