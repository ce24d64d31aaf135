// Runs the corpus and prints what held.
import { ATTACKS } from '../../test/attacks/corpus/index.ts';
import { resultTable } from '../../test/attacks/render.ts';
import { runAttacks } from '../../test/attacks/run-attacks.ts';

/** Exit code: 0 when nothing got through. */
export async function runAttackSuite({ json, families, backends, attack }) {
  const attacks = ATTACKS.filter((each) => each.name.includes(attack) && families.includes(each.family));
  if (attacks.length === 0) {
    process.stderr.write(`Cannot attack: no attack of these families holds "${attack}" in its name\n`);
    return 2;
  }
  process.stderr.write(`${attacks.length} attacks on ${backends.join(' and ')}\n`);
  const began = performance.now();
  const results = await runAttacks({ attacks, backends, onResult: dot });
  process.stderr.write(`\n${((performance.now() - began) / 1000).toFixed(1)} s\n`);
  process.stdout.write(json ? `${JSON.stringify(results, null, 2)}\n` : resultTable(results));
  return results.some((result) => result.outcome === 'got_through') ? 1 : 0;
}

function dot({ outcome }) {
  if (process.stderr.isTTY || outcome === 'got_through')
    process.stderr.write(outcome === 'got_through' ? '!' : '.');
}
