import { describe, expect, test } from '@jest/globals';
import { renderAnswer } from '../../core/scripted-model/answer.ts';
import { ScriptAnswer } from '../../schemas/model-script.ts';
import type { StrictChatRequest } from '../../schemas/model-request.ts';
import type { CallCoordinates } from '../../schemas/model.ts';

const AT: CallCoordinates = { role: 'builder', stage: 'core', node: 'price.money', dispatch: 1, turn: 1 };

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
