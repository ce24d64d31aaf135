/** Which altered run of an order's tests comes next, and what all of them say (decision 0088). The runs themselves are made elsewhere. */
import { matchesAnyGlob } from '../globs.ts';
import {
  type AlteredRun,
  type AlteredTest,
  askedOf,
  type CounterProof,
  type HowOf,
  keyOf,
  outcomeOf,
  outcomesOf,
  passedOf,
  proofNote,
  suspectFinding,
} from '../repository/counter-proof.ts';
import type { RepositoryOutcome } from '../ports/repository-gate.ts';
import type { BaseReport } from '../../schemas/order-files.ts';

/** One more run of the test commands, with tests of this tree altered. */
export interface AlteredAsk {
  readonly kind: 'altered';
  readonly of: 'change' | 'base';
  /** Names its rooms. */
  readonly name: string;
  readonly how: HowOf;
}

export interface ProofFacts {
  /** Files of which tests may follow the code. */
  readonly allowed: readonly string[];
  /** Steps whose output names no tests. */
  readonly nameless: readonly string[];
}

/** Two runs of the change; up to six where a test is not what it was asked to be. @param base null: not known */
export function* counterProof(
  { allowed, nameless }: ProofFacts,
  passed: Pick<RepositoryOutcome, 'ran'>,
  base: BaseReport | null,
): Generator<AlteredAsk, CounterProof, AlteredRun> {
  const judged = outcomesOf(passed.ran);
  const own = (name: string, how: HowOf): AlteredAsk => ({ kind: 'altered', of: 'change', name, how });
  const first = yield own('to-fail', ({ value }) => (value === null ? 'plant' : 'value'));
  const asked = askedOf(judged, first).filter(({ file }) => !matchesAnyGlob(allowed, file));
  const green = greenIn(first, asked);
  const silent = first.tests.size === 0 ? [] : nameless.filter((name) => first.green.has(name));
  const isQuiet = green.length + silent.length === 0 && !first.isLost;

  const once = isQuiet && asked.length > 0 ? redIn(yield own('altered', NEUTRAL), asked) : [];
  // Three times, because a test may be red by chance.
  const twice = once.length > 0 ? redIn(yield own('altered-again', NEUTRAL), once) : [];
  const touchy = twice.length > 0 ? redIn(yield own('altered-thrice', NEUTRAL), twice) : [];
  const isFollowed = green.some((test) => first.how(test) === 'value');
  const planted = isFollowed ? yield own('planted', () => 'plant') : first;
  const blind = greenIn(planted, green);
  const seen = green.filter((test) => !blind.includes(test));
  // Another value once more, because two may be equal by chance.
  const following = seen.length > 0 ? greenIn(yield own('to-fail-again', howOnBase(seen)), seen) : [];
  const unsteady = [...once, ...seen].filter((test) => ![...touchy, ...following].includes(test));
  const suspects = { blind, following, silent, touchy, unsteady };
  if (blind.length + following.length + silent.length + touchy.length > 0) {
    const how = touchy.length > 0 ? NEUTRAL : howOnBase(following);
    const altered = yield { kind: 'altered', of: 'base', name: 'base', how };
    const plain = base === null ? null : plainOf(base);
    const finding = suspectFinding(suspects, judged, altered, plain);
    if (finding !== null) return { finding, note: null };
  }
  return { finding: null, note: proofNote(judged, first, suspects, nameless.length > 0) };
}

const NEUTRAL: HowOf = () => 'neutral';

function greenIn(of: AlteredRun, from: readonly AlteredTest[]): readonly AlteredTest[] {
  return from.filter((test) => outcomeOf(of, test) === 'green');
}

/** A run that the change itself left without a result has shown none of them green. */
function redIn(of: AlteredRun, from: readonly AlteredTest[]): readonly AlteredTest[] {
  if (of.isLost) return [];
  return from.filter((test) => outcomeOf(of, test) !== 'green');
}

function plainOf(base: BaseReport): Pick<AlteredRun, 'outcomes' | 'green' | 'passed'> {
  return { outcomes: outcomesOf(base.ran), green: greenSteps(base), passed: passedOf(base.ran) };
}

function howOnBase(following: readonly AlteredTest[]): HowOf {
  const keys = new Set(following.map(keyOf));
  return (test) => (keys.has(keyOf(test)) && test.value !== null ? 'value' : 'plant');
}

/** Steps without a finding. */
export function greenSteps({ report, ran }: Pick<RepositoryOutcome, 'report' | 'ran'>): ReadonlySet<string> {
  const red = new Set(report.levels.flatMap(({ findings }) => findings.map(({ step }) => step)));
  return new Set(ran.map(({ step }) => step).filter((step) => !red.has(step)));
}
