/** What models write where an endpoint, or their training, knows no tool calls. */
import { describe, expect, test } from '@jest/globals';
import { textCalls } from '../../core/model/text-calls.ts';
import { looseObject, readLooseJson } from '../../core/text/loose-json.ts';

const TOOLS = ['read_file', 'write_file', 'run_test', 'submit_pr'];
const WRITE = { name: 'write_file', input: { path: 'a.py', content: 'x = "1"\n' } };

function read(content: string, tools: readonly string[] = TOOLS, isCut = false) {
  const { calls, text } = textCalls(content, tools, isCut);
  const found = calls.map(({ name, arguments: input }) => ({ name, input: JSON.parse(input) as unknown }));
  return { found, text };
}

const ONE_WRITE: Readonly<Record<string, string>> = {
  'a tag':
    '<tool_call>\n{"name": "write_file", "arguments": {"path": "a.py", "content": "x = \\"1\\"\\n"}}\n</tool_call>',
  'a tag that is not closed':
    '<tool_call>{"name":"write_file","arguments":{"path":"a.py","content":"x = \\"1\\"\\n"}}',
  'a fence':
    '```json\n{"name": "write_file", "arguments": {"path": "a.py", "content": "x = \\"1\\"\\n"}}\n```',
  'a bare object': '{"tool": "write_file", "path": "a.py", "content": "x = \\"1\\"\\n"}',
  'single quotes and a trailing comma': `{'action': 'write_file', 'args': {'path': 'a.py', 'content': 'x = "1"\\n',},}`,
  'line breaks and bare quotes in a text':
    '{"function": "write_file", "parameters": {"path": "a.py", "content": "x = "1"\n"}}',
  'arguments as a text':
    '{"name":"write_file","arguments":"{\\"path\\":\\"a.py\\",\\"content\\":\\"x = \\\\\\"1\\\\\\"\\\\n\\"}"}',
  'a function within':
    '{"type":"function","function":{"name":"functions.write_file","arguments":{"path":"a.py","content":"x = \\"1\\"\\n"}}}',
  'a list':
    '[TOOL_CALLS] [{"name": "write_file", "arguments": {"path": "a.py", "content": "x = \\"1\\"\\n"}}]',
  'a list with a name':
    '{"tool_calls": [{"name": "write_file", "arguments": {"path": "a.py", "content": "x = \\"1\\"\\n"}}]}',
  'its name as the only field': '{"write_file": {"path": "a.py", "content": "x = \\"1\\"\\n"}}',
  'its name before': 'write_file {"path": "a.py", "content": "x = \\"1\\"\\n"}',
  'its name above a fence': '**write_file**\n```json\n{"path": "a.py", "content": "x = \\"1\\"\\n"}\n```',
  'parameters in tags':
    '<function=write_file>\n<parameter=path>\na.py\n</parameter>\n<parameter=content>\nx = "1"\n\n</parameter>\n</function>',
  'an invoke':
    '<invoke name="write_file"><parameter name="path">a.py</parameter><parameter name="content">x = "1"\n\n</parameter></invoke>',
  'a Python call': `write_file(path="a.py", content='x = "1"\\n')`,
  'a Python call with three quotes': 'write_file(path="a.py", content="""x = "1"\n""")',
  'thoughts before':
    '<think>{"name":"run_test","arguments":{}}</think>{"name":"write_file","arguments":{"path":"a.py","content":"x = \\"1\\"\\n"}}',
  'a bracket forgotten at the end':
    '{"name": "write_file", "arguments": {"path": "a.py", "content": "x = \\"1\\"\\n"}',
};

describe('textCalls()', () => {
  test.each(Object.entries(ONE_WRITE))('reads %s', (_, content) => {
    const { found } = read(content);
    expect(found).toEqual([WRITE]);
  });

  test('keeps the order of several, and the words around them', () => {
    const { found, text } = read(
      'I look.\n```json\n{"name":"read_file","arguments":{"path":"a"}}\n```\nThen\n```\n{"name":"run_test"}\n```',
    );
    expect(found).toEqual([
      { name: 'read_file', input: { path: 'a' } },
      { name: 'run_test', input: {} },
    ]);
    expect(text).toBe('I look.\n\nThen');
  });

  test('reads a call without arguments where it stands alone', () => {
    expect(read('`submit_pr`').found).toEqual([{ name: 'submit_pr', input: {} }]);
    expect(read('Done.\nsubmit_pr()\n').found).toEqual([{ name: 'submit_pr', input: {} }]);
  });

  test('reads an object without a name where one tool alone is offered', () => {
    const found = [{ name: 'submit_action', input: { action: 'SEAL' } }];
    expect(read('{"action": "SEAL"}', ['submit_action']).found).toEqual(found);
  });

  test.each([
    ['words about a tool', 'I will call submit_pr() when the tests pass, and read_file before.'],
    ['code', '```js\nfunction f() { return {name: "x"}; }\n```'],
    ['a tool that was not offered', '{"name": "delete_all", "arguments": {}}'],
    ['what is only thought', '<think>{"name":"run_test","arguments":{}}'],
  ])('finds none in %s', (_, content) => {
    expect(read(content)).toEqual({ found: [], text: content });
  });

  test('takes no call whose brackets are open from an answer that was cut', () => {
    const cut = '{"name":"run_test"}\n{"name": "write_file", "arguments": {"path": "a.py", "content": "x"';
    expect(read(cut, TOOLS, true).found).toEqual([{ name: 'run_test', input: {} }]);
  });
});

describe('readLooseJson()', () => {
  test('reads JSON as JSON does, whatever stands in its texts', () => {
    const values = [
      { a: 'say "x", "y": {z}', b: [1, -2.5e3, null, true, ['"', "'", '\\', '\n']], 'c d': {} },
      [],
      [{}],
    ];
    for (const value of values)
      for (const text of [JSON.stringify(value), JSON.stringify(value, null, 2)])
        expect(readLooseJson(text)).toEqual({ value, end: text.length, isOpen: false });
  });

  test('reads comments, names without quotes and constants of Python', () => {
    expect(looseObject('{a: True, /* b */ b: None, // c\n c: "d"}')).toEqual({ a: true, b: null, c: 'd' });
    expect(looseObject('no object')).toBeUndefined();
  });
});
