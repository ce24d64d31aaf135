// Work orders: one that is killed at every step, then some at random instants.
import { chaosSeed } from '../../test/support/crash/chaos.ts';
import {
  STEPS,
  cancelledAtEach,
  fullAtEach,
  killedAtEach,
  killedAtRandom,
  serverKilledAtEach,
  undisturbedOrder,
} from '../../test/support/orders-crash/chaos.ts';
import { agentOf, servedYard } from '../../test/support/orders-crash/yard.ts';

const ORDERS = 4;

/** Exit code: 0 when every order was whole in the end. */
export async function runOrderChaos({ runs, seed: asked, kills }) {
  for (const name of Object.keys(process.env)) if (name.startsWith('TEMPORAL_')) delete process.env[name];
  const seed = asked ?? chaosSeed();
  say(
    `an order killed at ${STEPS.length} steps, its server and its disk, cancelled at each, then ${runs} times ${ORDERS} orders, seed ${seed}`,
  );
  const served = await servedYard();
  let broken = 0;
  const tell = (plan, findings) => {
    if (findings.length > 0) broken += 1;
    say(`${plan}: ${findings.length === 0 ? 'whole' : 'BROKEN'}`);
    for (const finding of findings) say(`    ${finding}`);
  };
  try {
    const expected = await undisturbedOrder(served);
    let at = 0;
    tell('every step', await killedAtEach(served, expected, STEPS, () => say(`killed at ${STEPS[at++]}`)));
    await served.kill();
    tell(
      'server at every step',
      await serverKilledAtEach(served, expected, STEPS, (step) => say(`server killed at ${step}`)),
    );
    await served.kill();
    tell(
      'disk full at every step',
      await fullAtEach(served, expected, STEPS, agentOf(served.yard, 'full', false).change),
    );
    await served.kill();
    tell(
      'cancelled at every step',
      await cancelledAtEach(served, expected, STEPS, (step) => say(`cancelled at ${step}`)),
    );
    await served.kill();
    for (let index = 0; index < runs; index += 1) {
      const { plan, findings } = await killedAtRandom(served, expected, {
        seed,
        index,
        kills,
        orders: ORDERS,
      });
      tell(`run ${index + 1}: ${plan}`, findings);
    }
    return broken === 0 ? 0 : 1;
  } finally {
    await served.close();
  }
}

function say(line) {
  process.stdout.write(`${line}\n`);
}
