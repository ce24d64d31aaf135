/**
 * Where the three stubs leave a doubt about an honest suite, and the further run that settles it (gate.md part 3).
 *  D1. Green on `none` may mean that the expected value is the result of another export: nothing equals nothing. So those
 *      exports alone give nothing, and all others wrong values: still green only where the test is content with nothing.
 *  D2. Green on `wrong` may mean that the wrong value happens to be right: `assert f(x)` where it is True. So every wrong
 *      value is another one: still green only where the test is content with any value of the type.
 *  D3. Green everywhere may mean that a test asks for what every stub has as a declaration: arguments that are checked, a base
 *      class, two objects that are two. And that a callback is not called says nothing where nobody calls any. So the
 *      language's part is missing, and callbacks are called: still green only where the test asks for nothing.
 *  D0. Green on `raise` may mean that any error is what the contract names (`raises: [Exception]`). So a callable without result
 *      raises what is no such error: still green only where the test is content with whatever ends the call.
 *  D4. Green everywhere may mean that a test only builds objects, which no stub refuses and real code can. So constructors fail:
 *      still green only where such an error would be nobody's.
 */
import type { StubKind } from '../../../schemas/report.ts';
import type { StubVariant } from '../../../schemas/runner-report.ts';
import type { ExportFact } from '../exports/export-facts.ts';

/** What is in doubt: green on `raise`, on `none`, on `wrong`, or on all stubs, the last also where a test only builds objects. */
export type DoubtAbout = 'raise' | 'none' | 'wrong' | 'all' | 'built';

export interface Doubt {
  readonly about: DoubtAbout;
  /** How the stub `wrong` differs in the run. */
  readonly variant: StubVariant;
}

const PLAIN: StubVariant = {
  second: false,
  loose: false,
  closed: false,
  silent: [],
  raising: [],
  through: false,
};

/** No doubt: tests go on after what would end them, so that what they call is seen. */
export const THROUGH: StubVariant = { ...PLAIN, through: true };

/** Whether there are tests that no stub turns red, and among them some that only build objects. */
export interface GreenTests {
  readonly any: boolean;
  readonly building: boolean;
}

/** The further runs that are needed. `isRedOn` says whether a test of the export is red on the stub. */
export function doubtsOf(
  exports: readonly ExportFact[],
  isRedOn: (fact: ExportFact, stub: StubKind) => boolean,
  green: GreenTests,
  mayRaiseAny = false,
): readonly Doubt[] {
  const onNone = exports.filter((fact) => fact.callable && !isRedOn(fact, 'none'));
  const raising = exports
    .filter((fact) => mayRaiseAny && isEffect(fact) && !isRedOn(fact, 'raise'))
    .map((fact) => fact.name);
  const silent = onNone.map((fact) => fact.name);
  const isWrongGreen = exports.some((fact) => (fact.answers || fact.declaration) && !isRedOn(fact, 'wrong'));
  const isLoose = green.any || onNone.some(isEffect);
  return [
    ...(raising.length === 0 ? [] : [{ about: 'raise', variant: { ...PLAIN, raising } } as const]),
    ...(silent.length === 0 ? [] : [{ about: 'none', variant: { ...PLAIN, silent } } as const]),
    ...(isWrongGreen ? [{ about: 'wrong', variant: { ...PLAIN, second: true } } as const] : []),
    ...(isLoose ? [{ about: 'all', variant: { ...PLAIN, loose: true } } as const] : []),
    ...(green.building ? [{ about: 'built', variant: { ...PLAIN, closed: true } } as const] : []),
  ];
}

/** The runs that can speak for an export that is green on `stub`. */
export function speaking(fact: ExportFact, stub: StubKind): readonly DoubtAbout[] {
  if (stub === 'raise') return isEffect(fact) ? ['raise'] : [];
  return stub === 'none' && isEffect(fact) ? ['none', 'all'] : [stub];
}

/** Whether a contract names an error that every other one is. */
export function namesAnyError(raises: readonly string[]): boolean {
  return raises.some((name) => name === 'Exception' || name === 'Error');
}

/** A callable that gives nothing back: "no longer called" is all that can be asserted of many of them. */
function isEffect(fact: ExportFact): boolean {
  return fact.callable && !fact.answers;
}
