/**
 * Exports that no test calls (gate.md part 12): what was not called is not tested, unless another export calls it.
 *  U1. A run behind the wall tells of every test what it called; of other runs the stubs have told what the suite calls.
 *  U2. Others may call it: a method in `total([Circle(1)])`, a function in `validate({"name": required})`. Whether a test notices when
 *      it does nothing is tried on the code that passed (decision 0083).
 */
import type { HardCoded } from '../../ports/mutants.ts';
import type { MutantOutcome } from '../../../schemas/mutation.ts';
import type { Finding, LockedSuite } from '../../../schemas/report.ts';
import type { Execution } from '../execution.ts';
import { finding } from '../finding.ts';
import { isAmong } from '../suite/suite-facts.ts';

/** Callables of the locked suite that no test called; none in records older than the rule. */
export function uncalledNames(runs: readonly Execution[], locked: LockedSuite | null): readonly string[] {
  const telling = runs.flatMap((run) => {
    if (run.kind !== 'complete') return [];
    const { tests } = run.run;
    return tests.length > 0 && tests.every((test) => test.called !== undefined) ? [tests] : [];
  });
  const called =
    telling.length > 0
      ? telling.flatMap((tests) => tests.flatMap((test) => test.called ?? []))
      : (locked?.tests ?? []).flatMap((test) => test.reached);
  const known = [...new Set(called)];
  return (locked?.callables ?? []).filter((name) => !isAmong(known, name));
}

/**
 * Exports that no test calls, and of which none notices that they do nothing: green with every constant, or never run at all. What is
 * derived from a class may have a method in that one's place, which then rightly never runs. `texts` are declarations and suite,
 * `outcomes` is by position in `tried`, from 1.
 */
export function unmissedFindings(
  uncalled: readonly string[],
  texts: readonly string[],
  tried: readonly HardCoded[],
  outcomes: ReadonlyMap<number, MutantOutcome>,
): Finding[] {
  return uncalled.flatMap((name) => {
    const own = tried.flatMap((change, at) =>
      change.exportName === name ? [outcomes.get(at + 1) ?? 'not_run'] : [],
    );
    const isReplaced = own.includes('unreached') && texts.some((text) => replaces(text, name));
    const isUnmissed = own.length > 0 && own.every((outcome) => UNMISSED.has(outcome)) && !isReplaced;
    return isUnmissed ? [uncalledFinding(name)] : [];
  });
}

/** A second constant of what never ran is spared. */
const UNMISSED: ReadonlySet<MutantOutcome> = new Set<MutantOutcome>(['survived', 'unreached', 'spared']);

function uncalledFinding(exportName: string): Finding {
  const text = `No test calls "${exportName}", and every test is green where it does nothing: write one that calls it and asserts what it gives back or changes`;
  return finding('export_uncalled', 'L1', text, { exportName });
}

/** Whether a text derives a class and speaks of the method after that. */
export function replaces(text: string, label: string): boolean {
  const [owner = '', member = ''] = label.replaceAll('$', '\\$').split('.');
  const head = `^[^#\\n]*\\bclass\\s+\\w+\\s*\\([^)]*\\b${owner}\\b|^(?!\\s*(?://|\\*))[^\\n]*\\bextends\\s+${owner}\\b`;
  const at = text.search(new RegExp(head, 'mu'));
  return at >= 0 && new RegExp(`(?<![\\w$])${member}\\s*[(=:]`, 'u').test(text.slice(at));
}
