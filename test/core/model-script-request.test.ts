import { describe, expect, test } from '@jest/globals';
import { checkRequest } from '../../core/scripted-model/strict.ts';
import { ModelScript } from '../../schemas/model-script.ts';
import type { ChatMessage } from '../../schemas/model.ts';

const SCRIPT = ModelScript.parse({ version: 1, rules: [] });
const user: ChatMessage = { role: 'user', content: 'Hello' };

function tool(name: string, parameters: Record<string, unknown> = { type: 'object', properties: {} }) {
  return { type: 'function', function: { name, parameters } };
}
const call = (id: string) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } });
const assistant = (...ids: string[]) => ({ role: 'assistant', content: null, tool_calls: ids.map(call) });
const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'ok' });

describe('checkRequest()', () => {
  test.each([
    ['plain', { messages: [user] }],
    [
      'calls answered in another order',
      { messages: [user, assistant('a', 'b'), result('b'), result('a'), user] },
    ],
    ['an answer in words', { messages: [user, { role: 'assistant', content: 'Hi' }, user] }],
    [
      'tools',
      {
        messages: [user],
        tools: [tool('f')],
        tool_choice: 'required',
        stream: true,
        stream_options: { include_usage: true },
      },
    ],
  ])('checkRequest() accepts %s', (_name, parts) => {
    expect(checkRequest({ model: 'm', ...parts }, SCRIPT).kind).toBe('valid');
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['no messages', { messages: [] }, 'messages'],
    ['an unknown role', { messages: [{ role: 'robot', content: 'x' }] }, 'role'],
    ['an unknown field of a message', { messages: [{ ...user, cached: true }] }, 'cached'],
    ['an unknown field of the request', { messages: [user], magic: 1 }, 'magic'],
    ['a tool message without a call', { messages: [user, result('a')] }, 'is not open'],
    ['a tool message for another call', { messages: [user, assistant('a'), result('b')] }, 'is not open'],
    ['a tool message twice', { messages: [user, assistant('a'), result('a'), result('a')] }, 'is not open'],
    ['a call without an answer', { messages: [user, assistant('a', 'b'), result('a')] }, 'no answer to "b"'],
    [
      'a message between call and answer',
      { messages: [user, assistant('a'), user, result('a')] },
      'no answer to "a"',
    ],
    [
      'an empty assistant message',
      { messages: [user, { role: 'assistant', content: null }] },
      'needs "content"',
    ],
    ['equal call ids', { messages: [user, assistant('a', 'a'), result('a')] }, 'unique'],
    ['max_tokens of 0', { messages: [user], max_tokens: 0 }, 'max_tokens'],
    ['both limits', { messages: [user], max_tokens: 1, max_completion_tokens: 1 }, 'Only one'],
    ['stream options without stream', { messages: [user], stream_options: {} }, 'stream_options'],
    ['no tools in the list', { messages: [user], tools: [] }, 'tools'],
    ['a tool choice without tools', { messages: [user], tool_choice: 'auto' }, 'tool_choice'],
    ['a tool name with a dot', { messages: [user], tools: [tool('a.b')] }, 'must be 1 to 64'],
    ['equal tool names', { messages: [user], tools: [tool('f'), tool('f')] }, 'twice'],
    [
      'a schema that is no object',
      { messages: [user], tools: [tool('f', { type: 'string' })] },
      '"type": "object"',
    ],
    ['a root union', { messages: [user], tools: [tool('f', { type: 'object', oneOf: [] })] }, 'oneOf'],
    [
      'an unknown type',
      { messages: [user], tools: [tool('f', { type: 'object', properties: { a: { type: 'text' } } })] },
      '"text"',
    ],
    [
      'an array without items',
      { messages: [user], tools: [tool('f', { type: 'object', properties: { a: { type: 'array' } } })] },
      'items',
    ],
    [
      'a required name that is no property',
      { messages: [user], tools: [tool('f', { type: 'object', required: ['x'] })] },
      '"x"',
    ],
  ])('checkRequest() refuses %s with 400', (_name, parts, text) => {
    const checked = checkRequest({ model: 'm', ...parts }, SCRIPT);
    expect(checked).toMatchObject({
      kind: 'refused',
      error: { status: 400, message: expect.stringContaining(text) },
    });
  });

  test('checkRequest() knows only the models of the script', () => {
    const script = { ...SCRIPT, models: ['a'] };
    expect(checkRequest({ model: 'b', messages: [user] }, script)).toMatchObject({
      error: { status: 404, code: 'model_not_found' },
    });
  });
});
