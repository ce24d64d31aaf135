import { describe, expect, test } from '@jest/globals';
import { importsOf } from '../../core/scripted-model/imports.ts';
import { flattenRules, globFits, matchRule, placeOf } from '../../core/scripted-model/match.ts';
import { fillPatterns } from '../../core/scripted-model/pattern.ts';
import { ModelScript } from '../../schemas/model-script.ts';
import type { ModelScriptInput } from '../../schemas/model-script.ts';
import type { CallCoordinates } from '../../schemas/model.ts';

const AT: CallCoordinates = { role: 'builder', stage: 'core', node: 'price.money', dispatch: 1, turn: 1 };

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
