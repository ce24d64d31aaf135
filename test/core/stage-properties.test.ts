import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { LedgerEvent } from '../../schemas/ledger.ts';
import { rejectionCodes } from '../../core/stage/types.ts';
import { Choices } from '../support/stage-choices.ts';
import { simulate, type Tally } from '../support/stage-simulation.ts';

const sequences = Number(process.env['A7_TEST_SEQUENCES'] ?? 6_000);
const seed = Number(process.env['A7_TEST_SEED'] ?? 20_261_122);
/** Every event, transition and rejection must be met this often; shorter runs (mutants) only hold the guarantees. */
const hitsMin = sequences < 6_000 ? 0 : 30;

const eventTypes = LedgerEvent.options.map((option) => option.shape.type.value);
/** All that the rules can produce. `suspended` to provisional or grounded goes through near; poisoned to the rest is healing. */
const transitions = [
  'near>provisional',
  'near>grounded',
  'near>suspended',
  'near>poisoned',
  'provisional>grounded',
  'provisional>suspended',
  'provisional>poisoned',
  'grounded>poisoned',
  'suspended>near',
  'suspended>poisoned',
  'poisoned>near',
  'poisoned>provisional',
  'poisoned>grounded',
  'poisoned>suspended',
];

describe('decide() under random graphs, agents, gates, managers, people and crashes', () => {
  test(`keeps G1, G2, G7, G8 and G9 in ${sequences} sequences that meet every event, transition and rejection`, () => {
    const tally: Tally = { events: new Map(), rejections: new Map(), transitions: new Map() };
    const lengths: number[] = [];
    const numbers = fc.array(fc.nat({ max: 0x7fffffff }), { minLength: 220, maxLength: 340, size: 'max' });
    fc.assert(
      fc.property(numbers, (stream) => {
        const events = simulate(new Choices(stream), tally);
        lengths.push(events.length);
        if (lengths.length % 20 === 0) for (const event of events) LedgerEvent.parse(event);
      }),
      { numRuns: sequences, seed, endOnFailure: true },
    );
    lengths.sort((left, right) => left - right);
    const rare = (counts: Map<string, number>, keys: readonly string[]) =>
      keys.filter((key) => (counts.get(key) ?? 0) < hitsMin).map((key) => `${key}: ${counts.get(key) ?? 0}`);
    expect(lengths[Math.floor(lengths.length / 2)]).toBeGreaterThanOrEqual(30);
    expect({
      events: rare(tally.events, eventTypes),
      rejections: rare(tally.rejections, rejectionCodes),
      transitions: rare(tally.transitions, transitions),
    }).toEqual({ events: [], rejections: [], transitions: [] });
    expect([...tally.transitions.keys()].filter((key) => !transitions.includes(key))).toEqual([]);
  }, 600_000);
});
