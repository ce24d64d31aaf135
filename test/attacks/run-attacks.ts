/** Runs the whole corpus against backends and tells what held. */
import type { AttackResult, Attack, Family } from './attack.ts';
import { FAMILIES, isOnJudging, usesBackend } from './attack.ts';
import { ATTACKS } from './corpus/index.ts';
import { openField, type Field, type Missing } from './field.ts';
import { heldBy, perform } from './perform.ts';

export interface AttackOptions {
  readonly backends?: readonly Field['backend'][];
  readonly families?: readonly Family[];
  readonly attacks?: readonly Attack[];
  /** Attacks at once on each backend. Default 2. */
  readonly lanes?: number;
  /**
   * Attacks on the judging itself, whose programs are the same in each room, meet one backend each, in turn. Default: every attack
   * meets every backend.
   */
  readonly spread?: boolean;
  readonly missing?: Missing;
  readonly onResult?: (result: AttackResult) => void;
}

/** One result for each attack on each backend, and one more for each harm that was seen behind a family. */
export async function runAttacks(options: AttackOptions = {}): Promise<AttackResult[]> {
  const backends = options.backends ?? (['docker', 'bubblewrap'] as const);
  const all = options.attacks ?? ATTACKS;
  const judged = all.filter(isOnJudging);
  const meets = (attack: Attack, lane: number): boolean =>
    options.spread !== true || !isOnJudging(attack) || judged.indexOf(attack) % backends.length === lane;
  const results = await Promise.all(
    backends.map((backend, lane) => {
      const attacks = all.filter((attack) => meets(attack, lane));
      return runOn(backend, { ...options, attacks });
    }),
  );
  return results.flat();
}

async function runOn(backend: Field['backend'], options: AttackOptions): Promise<AttackResult[]> {
  const field = await openField(backend, options.missing);
  const all = options.attacks ?? ATTACKS;
  const results: AttackResult[] = [];
  const add = (result: AttackResult): void => {
    results.push(result);
    options.onResult?.(result);
  };
  try {
    for (const family of FAMILIES.filter((name) => options.families?.includes(name) ?? true)) {
      const own = all.filter((attack) => attack.family === family);
      if (own.length === 0) continue;
      await inLanes(options.lanes ?? 2, own, async (attack) => {
        add({ attack: attack.name, family, backend, ...(await perform(field, attack, all)) });
      });
      for (const harm of await harmOf(field, own))
        add({ attack: 'what the family left behind', family, backend, outcome: 'got_through', reason: harm });
    }
  } finally {
    await field.close();
  }
  return results;
}

async function inLanes<T>(
  count: number,
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = [...items];
  const lane = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: count }, lane));
}

/** The host is as it was, and the next honest run passes. */
async function harmOf(field: Field, attacks: readonly Attack[]): Promise<string[]> {
  const changes = field.host.changes();
  if (!attacks.some(usesBackend)) return changes;
  const { contract, around, codePath, honest, locked } = await field.node('walled');
  const { report } = await field.gate.verify({
    contract,
    texts: { ...around, [codePath]: honest },
    kind: 'code',
    locked,
    useCache: false,
  });
  return report.verdict === 'PASS'
    ? changes
    : [...changes, `the next honest run is not PASS: ${heldBy(report).reason}`];
}
