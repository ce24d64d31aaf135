import { describe, expect, test } from '@jest/globals';
import { TURNS_KEPT, type TranscriptTurn, compactTranscript } from '../../core/runtime/compact.ts';
import { readCalls } from '../../core/runtime/read-answer.ts';
import { repeatNote } from '../../core/runtime/repeat-note.ts';
import type { ChatMessage, StoredAnswer } from '../../schemas/model.ts';

const opening: TranscriptTurn = {
  turn: 0,
  messages: [
    { role: 'system', content: 'You build one node.' },
    { role: 'user', content: 'CONTRACT' },
  ],
};

function calledBy(id: string, name: string, input: Readonly<Record<string, string>>) {
  return {
    id,
    type: 'function' as const,
    function: { name, arguments: JSON.stringify(input) },
  };
}

function turn(number: number): TranscriptTurn {
  const id = `c${String(number)}`;
  return {
    turn: number,
    messages: [
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id, type: 'function', function: { name: 'read_file', arguments: '{"path":"a.py"}' } }],
      },
      { role: 'tool', tool_call_id: id, content: `first line ${String(number)}\n${'x'.repeat(500)}` },
    ],
  };
}

describe('compactTranscript()', () => {
  const turns = [opening, ...Array.from({ length: 20 }, (_, index) => turn(index + 1))];

  test('leaves a transcript within its budget as it is', () => {
    const { messages, droppedTurns } = compactTranscript(turns, 1_000_000);
    expect([messages.length, droppedTurns]).toEqual([42, 0]);
  });

  test('replaces the oldest turns by one summary, and never touches the opening and the newest turns', () => {
    const { messages, droppedTurns } = compactTranscript(turns, 6_500);
    expect(droppedTurns).toBe(20 - TURNS_KEPT);
    expect(messages.slice(0, 2)).toEqual(opening.messages);
    const [summary] = messages.slice(2, 3);
    expect(summary).toMatchObject({ role: 'user' });
    expect(summary?.content).toContain('[Turns 1 to 14 in short; read files again if you need them.]');
    expect(summary?.content).toContain(
      'turn 1: you: read_file {"path":"a.py"}\nturn 1: result: first line 1',
    );
    expect(summary?.content).not.toContain('xxxx');
    expect(messages.slice(3)).toEqual(turns.slice(-TURNS_KEPT).flatMap((each) => each.messages));
  });

  test('keeps each answer of a tool beside its call', () => {
    const { messages } = compactTranscript(turns, 6_500);
    const called = messages.flatMap((message) =>
      message.role === 'assistant' ? (message.tool_calls ?? []).map((call) => call.id) : [],
    );
    const answers = messages.flatMap((message) => (message.role === 'tool' ? [message.tool_call_id] : []));
    expect(answers).toEqual(called);
  });
});

describe('compactTranscript() in a small context', () => {
  const long = (number: number): TranscriptTurn => {
    const [call, result] = turn(number).messages;
    return { turn: number, messages: [call, { ...result, content: 'y'.repeat(4_000) }] as ChatMessage[] };
  };
  const chars = (messages: readonly ChatMessage[]): number =>
    messages.reduce((sum, message) => sum + JSON.stringify(message).length, 0);

  test('keeps as many of the newest turns as fit, though there are fewer than it would keep', () => {
    const { messages, droppedTurns } = compactTranscript([opening, ...[1, 2, 3, 4, 5].map(long)], 10_000);
    expect(droppedTurns).toBe(3);
    expect(chars(messages)).toBeLessThanOrEqual(10_000);
  });

  test('cuts a result that alone is longer than the context, and says how much is left', () => {
    const { messages } = compactTranscript([opening, long(1)], 3_000);
    expect(chars(messages)).toBeLessThanOrEqual(3_000);
    expect(messages.at(-1)?.content).toMatch(
      /y\n\[\d+ more characters do not fit into your context: ask for a part of it\]$/u,
    );
  });

  test('keeps whole what the last submit_pr was answered', () => {
    const reasons = 'Not accepted.\n- R1: ValueError is wanted\n- G1: 3 is wanted';
    const refused: TranscriptTurn = {
      turn: 1,
      messages: [
        { role: 'assistant', content: null, tool_calls: [calledBy('c1', 'submit_pr', {})] },
        { role: 'tool', tool_call_id: 'c1', content: reasons },
      ],
    };
    const { messages } = compactTranscript([opening, refused, long(2), long(3)], 5_500);
    expect(messages[2]?.content).toMatch(
      /What your last submit_pr was answered:\nNot accepted\.\n- R1: .*\n- G1: 3 is wanted$/u,
    );
  });

  test('keeps thoughts of turns in short in the words of the agent', () => {
    const noted: TranscriptTurn = {
      turn: 1,
      messages: [
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            calledBy('c1', 'record_thought', {
              thought: `Round down.\n${'z'.repeat(200)}`,
              category: 'decision',
              relates_to: 'G1',
            }),
          ],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'Noted.' },
      ],
    };
    const { messages } = compactTranscript([opening, noted, long(2), long(3)], 5_500);
    expect(messages[2]?.content).toContain(
      `Your thoughts in these turns:\n- turn 1, decision (G1): Round down. ${'z'.repeat(200)}`,
    );
  });
});

describe('readCalls()', () => {
  const answer = (name: string, text: string): StoredAnswer => ({
    version: 1,
    message: {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c1', type: 'function', function: { name, arguments: text } }],
    },
    finishReason: 'tool_calls',
    usage: null,
    provider: { responseId: null, model: null },
    garbage: null,
  });
  const allowed = ['read_file', 'run_test', 'submit_pr', 'record_thought'] as const;

  test('tells a tool of another role and an invented one that they are not there', () => {
    for (const name of ['write_file', 'rm_rf'])
      expect(readCalls(answer(name, '{}'), allowed)).toEqual([
        {
          kind: 'invalid',
          callId: 'c1',
          name,
          message: `There is no tool "${name}". Tools: read_file, run_test, submit_pr, record_thought.`,
        },
      ]);
  });

  test('answers broken and misfitting arguments with what is wrong', () => {
    expect(readCalls(answer('read_file', '{"path":'), allowed)).toMatchObject([
      { kind: 'invalid', message: 'The arguments of read_file are not valid JSON. Send one JSON object.' },
    ]);
    const [misfit] = readCalls(answer('read_file', '{"path": 7, "colour": "red"}'), allowed);
    expect(misfit).toMatchObject({ kind: 'invalid', name: 'read_file' });
    expect(misfit?.kind === 'invalid' && misfit.message).toContain('path:');
  });

  test('reads file tools, tests and completion attempts', () => {
    expect(readCalls(answer('read_file', '{"path":"a.py"}'), allowed)).toMatchObject([
      { kind: 'file', callId: 'c1', call: { tool: 'read_file', input: { path: 'a.py' } } },
    ]);
    expect(readCalls(answer('run_test', ''), allowed)).toEqual([{ kind: 'test', callId: 'c1' }]);
  });

  test('an answer without calls asks for nothing', () => {
    const message = { role: 'assistant' as const, content: 'Done!' };
    expect(readCalls({ ...answer('read_file', '{}'), message }, allowed)).toEqual([]);
  });
});

describe('repeatNote()', () => {
  test('says so when the reasons did not change, and only then', () => {
    expect(repeatNote(['a', 'b'], 'a\nb')).toHaveLength(1);
    expect(repeatNote(['a', 'b'], 'a')).toEqual([]);
    expect(repeatNote(['a'], '')).toEqual([]);
  });
});
