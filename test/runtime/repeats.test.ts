import { describe, expect, test } from '@jest/globals';
import type { TranscriptTurn } from '../../core/runtime/compact.ts';
import { repeatedEnd, repeatsOf, unchangedText } from '../../core/runtime/repeats.ts';

const READ = { name: 'read_file', arguments: '{"path":"a.py","intent":"look"}' };
const LIST = { name: 'list_files', arguments: '{}' };

function turn(number: number, call: typeof READ, text: string): TranscriptTurn {
  const id = `c${String(number)}`;
  return {
    turn: number,
    messages: [
      { role: 'assistant', content: null, tool_calls: [{ id, type: 'function', function: call }] },
      { role: 'tool', tool_call_id: id, content: text },
    ],
  };
}

/** Plays calls as an agent's loop does, each answered as it would be. */
function play(calls: readonly (readonly [typeof READ, string])[]): readonly string[] {
  const turns: TranscriptTurn[] = [];
  return calls.map(([call, text], index) => {
    const repeats = repeatsOf(turns, call, text);
    const told = repeats.times >= 3 ? unchangedText(call, repeats, text) : text;
    turns.push(turn(index + 1, call, told));
    return told;
  });
}

describe('repeatsOf()', () => {
  test('counts each of two calls in turn for itself, whatever the next call is said to be', () => {
    const told = play([
      [READ, 'no such file\nNext: one'],
      [LIST, 'nothing'],
      [{ ...READ, arguments: '{"intent":"again","path":"a.py"}' }, 'no such file\nNext: two'],
      [LIST, 'nothing'],
      [READ, 'no such file\nNext: three'],
      [LIST, 'nothing'],
    ]);
    expect(told.slice(4)).toEqual([
      'Unchanged since turn 1: read_file {"path":"a.py","intent":"look"} gave the same result 3 times. At 6 times your task ends: do something else.\nNext: three',
      'Unchanged since turn 2: list_files {} gave the same result 3 times. At 6 times your task ends: do something else.',
    ]);
  });

  test('counts on over its own notes, and from the beginning where the result has changed', () => {
    const told = play([
      ...Array.from({ length: 6 }, () => [READ, 'old'] as const),
      [READ, 'new'],
      [READ, 'new'],
    ]);
    expect(told[5]).toMatch(/^Unchanged since turn 1: .* 6 times/u);
    expect(told.slice(6)).toEqual(['new', 'new']);
    expect(repeatedEnd(READ, 6)).toMatch(
      /^the same tool call with the same result 6 times \(limit 6\): read_file/u,
    );
  });
});
