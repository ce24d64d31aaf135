import { describe, expect, test } from '@jest/globals';
import { intentOf, joinedCommit } from '../../core/stage/joined-commit.ts';
import { seeded, seedNode, StageWorld, submitted } from '../support/stage-world.ts';

/** The events and commands of the decision that asks for a suite's commit. */
function decided(): Pick<StageWorld, 'events' | 'commands'> {
  const world = new StageWorld(seeded([seedNode('a')]));
  world.open();
  const before = world.events.length;
  world.returns(submitted());
  return { events: world.events.slice(before), commands: world.commands };
}

describe('joinedCommit()', () => {
  test('is the intent that is written with its own commit', () => {
    const { events, commands } = decided();
    const intent = joinedCommit(events, commands);
    expect(intent).toMatchObject({ nodeId: 'a', kind: 'suite' });
    expect(commands).toContainEqual(expect.objectContaining({ kind: 'commit', intent }));
  });

  test('is null where either is missing, or they are not of each other', () => {
    const { events, commands } = decided();
    const others = commands.filter((command) => command.kind !== 'commit');
    expect(joinedCommit(events, others)).toBeNull();
    expect(joinedCommit([], commands)).toBeNull();
    expect(intentOf([])).toBeNull();
    const ofAnother = commands.map((command) =>
      command.kind === 'commit' ? { ...command, intent: { ...command.intent, intentId: 'i99' } } : command,
    );
    expect(joinedCommit(events, ofAnother)).toBeNull();
  });
});
