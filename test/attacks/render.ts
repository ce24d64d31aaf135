/** The table of families and what held: for the terminal after a run, and for the README before one. */
import type { Attack, AttackResult, Family } from './attack.ts';
import { FAMILIES } from './attack.ts';

/** What the families meet, in the words of the README; `held` names the walls that a run shows as reasons. */
const WALLS: Readonly<Record<Family, string>> = {
  'file system escapes': 'checked paths and archives, trees instead of folders, no host file in a room',
  'git tricks': 'raw objects only; no hook, filter, attribute or replaced object is ever read',
  'judge edits': 'write sets, reserved paths, the locked suite, red before green',
  'verdict forging': 'the verdict is computed outside the process that runs the code',
  'wall attacks': 'one typed encoding, a deadline for each call, handles that die with it',
  exhaustion: 'all limits at once; the one that was hit is named and charged',
  'the door': 'three paths of one endpoint, bodies made anew from what has a name, the key outside',
  exfiltration: 'no network, an empty environment, feedback made of fields',
  races: 'immutable trees, compare-and-swap, the first report wins',
  'other runs': 'a fresh room, user and name space for each run',
};

/** Rows of the README's picture: family, number of attacks, what held. */
export function familyTable(attacks: readonly Attack[]): string {
  const rows = FAMILIES.map((name) => {
    const count = attacks.filter((attack) => attack.family === name).length;
    return `| ${name} | ${String(count)} | ${WALLS[name]} |`;
  });
  return ['| family | attacks | what held |', '| --- | --- | --- |', ...rows].join('\n');
}

/** Text for people: one row a family and backend, then what got through. */
export function resultTable(results: readonly AttackResult[]): string {
  const backends = [...new Set(results.map((result) => result.backend))];
  const rows = FAMILIES.flatMap((family) =>
    backends.flatMap((backend) => {
      const own = results.filter((result) => result.family === family && result.backend === backend);
      return own.length === 0 ? [] : [rowOf(family, backend, own)];
    }),
  );
  const width = [0, 1, 2, 3, 4, 5].map((column) =>
    Math.max(...[HEAD, ...rows].map((row) => (row[column] ?? '').length)),
  );
  const lines = [HEAD, ...rows].map((row) =>
    row
      .map((cell, column) => cell.padEnd(width[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const open = results.filter((result) => result.outcome === 'got_through');
  const through = open.map(
    ({ backend, family, attack, reason }) => `  ${backend}, ${family}: ${attack}: ${reason}`,
  );
  const end = open.length === 0 ? 'none got through' : `${String(open.length)} GOT THROUGH:`;
  return [...lines, '', `${String(results.length)} attacks, ${end}`, ...through, ''].join('\n');
}

const HEAD = ['family', 'backend', 'attacks', 'blocked', 'detected', 'what held (most frequent first)'];
const REASONS_SHOWN = 5;

function rowOf(family: Family, backend: string, own: readonly AttackResult[]): string[] {
  const count = (outcome: AttackResult['outcome']): string =>
    String(own.filter((result) => result.outcome === outcome).length);
  const reasons = new Map<string, number>();
  for (const { outcome, reason } of own)
    if (outcome !== 'got_through') reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  const sorted = [...reasons].toSorted((left, right) => right[1] - left[1]).map(([reason]) => reason);
  const shown = sorted.slice(0, REASONS_SHOWN).join(', ');
  const rest = sorted.length > REASONS_SHOWN ? `, ${String(sorted.length - REASONS_SHOWN)} more` : '';
  return [family, backend, String(own.length), count('blocked'), count('detected'), `${shown}${rest}`];
}
