import { describe, expect, test } from '@jest/globals';
import { renderAnswer } from '../../core/scripted-model/answer.ts';
import { importsOf } from '../../core/scripted-model/imports.ts';
import { flattenRules, globFits, matchRule, placeOf } from '../../core/scripted-model/match.ts';
import { fillPatterns } from '../../core/scripted-model/pattern.ts';
import { checkRequest } from '../../core/scripted-model/strict.ts';
import { ModelScript, ScriptAnswer } from '../../schemas/model-script.ts';
import type { ModelScriptInput } from '../../schemas/model-script.ts';
import type { StrictChatRequest } from '../../schemas/model-request.ts';
import type { CallCoordinates, ChatMessage } from '../../schemas/model.ts';

const SCRIPT = ModelScript.parse({ version: 1, rules: [] });
const AT: CallCoordinates = { role: 'builder', stage: 'core', node: 'price.money', dispatch: 1, turn: 1 };
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

describe('matchRule()', () => {
  const rulesOf = (rules: ModelScriptInput['rules']) =>
    flattenRules(ModelScript.parse({ version: 1, rules }));
  const answer = { text: 'x' };

  /** Names of the rules that serve the places in turn, each bound as the server binds it. */
  function serve(rules: ReturnType<typeof rulesOf>, places: readonly CallCoordinates[]): string[] {
    const bindings = new Map<string, number>();
    return places.map((at) => {
      const match = matchRule(rules, bindings, at);
      if (match.kind === 'none') return 'none';
      bindings.set(placeOf(at), match.index);
      return match.rule.name;
    });
  }

  test('matchRule() gives the same place the same rule and another place the next', () => {
    const rules = rulesOf([
      { role: 'manager', answer },
      { role: 'manager', answer },
      { answer, repeat: true },
    ]);
    const manager = (turn: number): CallCoordinates => ({ ...AT, role: 'manager', node: null, turn });
    const places = [manager(1), manager(1), manager(2), manager(1), manager(3), manager(4), AT];
    expect(serve(rules, places)).toEqual([
      'rule 1',
      'rule 1',
      'rule 2',
      'rule 1',
      'rule 3',
      'rule 3',
      'rule 3',
    ]);
  });

  test('matchRule() selects by node glob, dispatch, turn and position in turns', () => {
    const rules = rulesOf([
      { node: 'shop.*', answer, repeat: true },
      { node: 'price.money', dispatch: 2, answer },
      { node: 'price.*', dispatch: 1, turns: [answer, answer] },
    ]);
    const places = [
      AT,
      { ...AT, turn: 2 },
      { ...AT, dispatch: 2, turn: 9 },
      { ...AT, turn: 3 },
      { ...AT, node: 'shop.x' },
    ];
    expect(serve(rules, places)).toEqual(['rule 3, turn 1', 'rule 3, turn 2', 'rule 2', 'none', 'rule 1']);
  });

  test('matchRule() names the place and the nearest rules when none fits', () => {
    const match = matchRule(
      rulesOf([
        { role: 'manager', answer },
        { node: 'price.money', turn: 7, answer },
      ]),
      new Map(),
      AT,
    );
    expect(match).toEqual({
      kind: 'none',
      message:
        'No rule for builder of price.money, stage core, dispatch 1, turn 1. Nearest: rule 1 (differs in role), ' +
        'rule 2 (differs in turn)',
    });
  });

  test.each([
    ['a*c', 'abc', true],
    ['a*c', 'ac', true],
    ['*.py', 'x/y.py', true],
    ['a*b*c', 'a1b2c', true],
    ['a*a', 'a', false],
    ['a*b*c', 'a1c', false],
    ['abc', 'abcd', false],
  ])('globFits(%p, %p) is %p', (glob, text, expected) => {
    expect(globFits(glob, text)).toBe(expected);
  });
});

describe('fillPatterns()', () => {
  const request = {
    told: [
      'Dispatch d-17 of d-18.',
      'File price/money.py (content_hash: aaaa1111)\n1| x',
      'price/money.py\nhash="bbbb2222"',
      'hash cccc3333 other.py',
    ],
    said: ['price/money.py hash: dddd4444'],
  };
  test.each<[unknown, unknown]>([
    ['id ${find:d-(\\d+)}', 'id 18'],
    ['${find_first:d-\\d+}', 'd-17'],
    ['${find:d-\\d{2}}', 'd-18'],
    ['${hash:price/money.py}', 'bbbb2222'],
    [{ edits: [{ content_hash: '${hash:other.py}' }] }, { edits: [{ content_hash: 'cccc3333' }] }],
    ['`${code}` and ${', '`${code}` and ${'],
    [7, 7],
  ])('fillPatterns(%j) gives %j', (value, filled) => {
    expect(fillPatterns(value, request)).toEqual({ kind: 'filled', value: filled });
  });

  test.each(['${find:nothing}', '${hash:absent.py}', '${find:(a', '${find:(a}'])(
    'fillPatterns(%j) says what is missing',
    (value) => {
      expect(fillPatterns(value, request)).toMatchObject({
        kind: 'missing',
        message: expect.stringContaining(value),
      });
    },
  );
});

describe('importsOf()', () => {
  test('importsOf() reads Python and leaves out the standard library', () => {
    const code =
      'import os, requests as r\nfrom price.money import x\nfrom . import sibling\nfrom ..a.b import c\n# import no\n';
    expect(importsOf('shop/cart.py', code).map((use) => use.text)).toEqual([
      'requests',
      'price.money',
      'from .',
      'from ..a.b',
    ]);
  });

  test('importsOf() reads JavaScript and leaves out builtins', () => {
    const code = `import fs from 'node:fs';\nimport { a } from './a.js';\nexport * from "left-pad";\nconst p = require('path'); await import('../b.ts');`;
    expect(importsOf('src/x/y.js', code).map((use) => use.text)).toEqual(['./a.js', 'left-pad', '../b.ts']);
    expect(importsOf('notes.md', code)).toEqual([]);
  });
});

describe('renderAnswer()', () => {
  const PROMPT = [
    'You own price/money.py and tests/price_money/**. Exports: def parse_money(text: str) -> int',
    'Import line: from price.money import parse_money. Runner: pytest. Node price.money.',
    'price/rate.py content_hash: 0a1b2c3d',
  ].join('\n');
  const names = ['read_file', 'write_file', 'edit_file', 'submit_pr', 'submit_action'];
  const request: StrictChatRequest = {
    model: 'm',
    messages: [{ role: 'user', content: PROMPT }],
    tools: names.map((name) => ({ type: 'function', function: { name, parameters: { type: 'object' } } })),
  };
  const render = (calls: unknown[], role: CallCoordinates['role'] = 'builder', hostile = false) =>
    renderAnswer(ScriptAnswer.parse({ tool_calls: calls, hostile }), request, { ...AT, role }, 'rule 1');
  const write = (path: string, content: string) => ({ name: 'write_file', arguments: { path, content } });

  test.each<[string, unknown[], CallCoordinates['role']]>([
    ['its file', [write('price/money.py', 'import re\nfrom price.rate import x\n')], 'builder'],
    [
      'a new file in a named folder',
      [write('tests/price_money/test_a.py', 'import pytest\nfrom price.money import y')],
      'test_author',
    ],
    [
      'a shown hash',
      [
        {
          name: 'edit_file',
          arguments: { path: 'price/rate.py', content_hash: '${hash:price/rate.py}', operations: [] },
        },
      ],
      'builder',
    ],
    [
      'a told export',
      [
        {
          name: 'submit_pr',
          arguments: { interface: { exports: ['def parse_money(text: str) -> int: ...'] } },
        },
      ],
      'builder',
    ],
    [
      'an export of its own contract',
      [
        {
          name: 'submit_pr',
          arguments: { test_contract: 'API: take_off()', interface: { exports: ['def take_off(): ...'] } },
        },
      ],
      'test_author',
    ],
    [
      'files of the same answer',
      [
        write('tests/price_money/test_a.py', 'from .helper import z'),
        write('tests/price_money/helper.py', ''),
        { name: 'submit_pr', arguments: { files: ['tests/price_money/test_a.py'] } },
      ],
      'test_author',
    ],
    [
      'a node of the board',
      [
        {
          name: 'submit_action',
          arguments: { action_type: 'DISPATCH', parameters: { node_id: 'price.money' } },
        },
      ],
      'manager',
    ],
  ])('renderAnswer() permits %s', (_name, calls, role) => {
    expect(render(calls, role)).toMatchObject({ kind: 'answer' });
  });

  test.each<[string, unknown, CallCoordinates['role'], string]>([
    [
      'a path',
      { name: 'read_file', arguments: { path: 'shop/secret.py' } },
      'builder',
      'path "shop/secret.py"',
    ],
    [
      'the end of a path',
      { name: 'read_file', arguments: { path: 'money.py' } },
      'builder',
      'path "money.py"',
    ],
    ['a new file elsewhere', write('other/x.py', ''), 'builder', 'path "other/x.py"'],
    [
      'a path in a batch',
      { name: 'edit_file', arguments: { edits: [{ path: 'b.py' }] } },
      'builder',
      'path "b.py"',
    ],
    [
      'a hash',
      { name: 'edit_file', arguments: { path: 'price/rate.py', content_hash: 'ffff0000' } },
      'builder',
      'content_hash "ffff0000"',
    ],
    [
      'an export',
      { name: 'submit_pr', arguments: { interface: { exports: ['def sneak(): ...'] } } },
      'builder',
      'export "sneak"',
    ],
    ['a module', write('price/money.py', 'import numpy'), 'builder', 'import "numpy"'],
    ['a relative file', write('price/money.py', 'from .secret import x'), 'builder', 'import "from .secret"'],
    [
      'a node',
      { name: 'submit_action', arguments: { parameters: { node_id: 'a.b' } } },
      'manager',
      'node "a.b"',
    ],
    ['a tool', { name: 'rm_rf', arguments: {} }, 'builder', 'tool "rm_rf"'],
  ])(
    'renderAnswer() refuses %s that the request does not contain, unless hostile',
    (_name, toolCall, role, text) => {
      expect(render([toolCall], role)).toEqual({
        kind: 'script_error',
        message: expect.stringMatching(
          new RegExp(`^Script rule 1 cannot be honest here: .*${text.replace(/[."()]/g, '\\$&')}`),
        ),
      });
      expect(render([toolCall], role, true)).toMatchObject({ kind: 'answer' });
    },
  );
});
