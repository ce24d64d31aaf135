// Runs the sessions, some at a time, and prints a line for each.
import { chaosRun, chaosSeed, measureUndisturbed, planKills } from '../../test/support/crash/chaos.ts';
import { openYard } from '../../test/support/crash/yard.ts';

/** Exit code: 0 when every session was whole in the end. */
export async function runChaos({ runs, seed: asked, kills, parallel }) {
  for (const name of Object.keys(process.env)) if (name.startsWith('TEMPORAL_')) delete process.env[name];
  const seed = asked ?? chaosSeed();
  say(
    `${runs} sessions, up to ${kills} kills each, seed ${seed} (again: npm run chaos -- --runs ${runs} --seed ${seed})`,
  );
  const yard = await openYard();
  try {
    const undisturbed = await measureUndisturbed(yard);
    say(`undisturbed: ${undisturbed.lines} lines of ledger`);
    let next = 0;
    let broken = 0;
    const lane = async () => {
      for (let index = next++; index < runs; index = next++) {
        const began = performance.now();
        const session = await yard.session(`run-${index + 1}`);
        const outcome = await chaosRun(yard, session, planKills(seed, index, kills), undisturbed);
        const isWhole = outcome.findings.length === 0;
        if (!isWhole) broken += 1;
        say(`${outcome.plan}: ${isWhole ? 'whole' : 'BROKEN'} after ${seconds(performance.now() - began)}`);
        for (const finding of outcome.findings) say(`    ${finding}`);
      }
    };
    await Promise.all(Array.from({ length: parallel }, lane));
    say(`${runs - broken} of ${runs} whole`);
    return broken === 0 ? 0 : 1;
  } finally {
    await yard.close();
  }
}

function seconds(ms) {
  return `${(ms / 1000).toFixed(1)} s`;
}

function say(line) {
  process.stdout.write(`${line}\n`);
}
