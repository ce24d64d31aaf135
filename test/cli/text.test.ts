import { describe, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asTyped } from '../../client/render/as-typed.ts';
import { jsonText, plainOf } from '../../client/render/plain.ts';
import { excerptOf } from '../../client/render/excerpt.ts';
import { usageText } from '../../client/render/text.ts';
import { machineProblem } from '../../client/render/machine-problem.ts';
import { configFailed, spaceStep } from '../../workers/services/common.ts';
import { nextStepAfter, runCommand } from '../../workers/services/next-step.ts';
import { emptyState } from '../../core/stage/draft.ts';
import { cli } from '../support/session.ts';

describe('excerptOf()', () => {
  test('shows what would steer the terminal as ?, and keeps the caret in its column', () => {
    const folder = mkdtempSync(join(tmpdir(), 'a7-excerpt-'));
    try {
      const file = join(folder, 'contracts.yaml');
      writeFileSync(file, 'a\n\u001b[2J\u0007x: 1\n');
      expect(excerptOf(`${file}:2:6`)).toEqual(['      2 | ?[2J?x: 1', '               ^']);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

test('machineProblem() names the file that was meant, not the one that was to become it', () => {
  const path = '/shop/.a7/run.json.20924-641740dedb53.tmp';
  expect(machineProblem(Object.assign(new Error('x'), { code: 'EROFS', path }))?.problems[0]?.message).toBe(
    'Cannot go on: the file system is read-only at "/shop/.a7/run.json"',
  );
});

test('configFailed() sends nobody into a file for what was typed', () => {
  const typed = 'Cannot use the command line: "base-url" must be an http or https address';
  expect(configFailed([typed], 'shop').nextStep).toBe('a7-rt run shop --help');
  expect(configFailed([typed, 'Cannot use model "x"'], 'shop').nextStep).toBe(
    'edit shop/.a7/config.toml or models.toml',
  );
});

test('asTyped() puts npx before what is to be typed, where that is how we were started', () => {
  const text =
    'a7-rt is told\n  a7-rt seed shop  checks\n\u001b[2mnext\u001b[22m  a7-rt run shop; (a7-rt status shop)';
  expect(asTyped(text, false)).toBe(text);
  expect(asTyped(text, true)).toBe(
    'a7-rt is told\n  npx a7-rt seed shop  checks\n\u001b[2mnext\u001b[22m  npx a7-rt run shop; (npx a7-rt status shop)',
  );
});

describe('plainOf()', () => {
  const steers = 'a\u001b[2J\u009b31m\u202eb\r\nc\td\u0007';
  test('shows what would steer the terminal as ?, in every text of a value', () => {
    expect(plainOf({ list: [steers, 1, null], on: { text: steers } })).toEqual({
      list: ['a?[2J?31m?b\nc\td?', 1, null],
      on: { text: 'a?[2J?31m?b\nc\td?' },
    });
  });

  test('jsonText() keeps the value and shows no such character', () => {
    const text = jsonText({ text: steers });
    expect(JSON.parse(text)).toEqual({ text: steers });
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/u);
  });
});

describe('usageText()', () => {
  test('says why a cost is unknown', () => {
    const usage = { calls: 1, attempts: 1, answered: 1, inputTokens: 2, outputTokens: 3, unknownAttempts: 0 };
    const text = (costMicroUsd: number | null): string => usageText({ ...usage, costMicroUsd });
    expect(text(null)).toContain('cost unknown (no price in .a7/models.toml)');
    expect(text(1_500_000)).toMatch(/cost \$1\.5000$/);
  });
});

describe('init', () => {
  test('prints the next three commands, and they are commands', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'a7-init-'));
    try {
      const { code, out } = await cli(['init', 'shop'], { cwd: folder, env: {} });
      expect(code).toBe(0);
      const next = out.split('\n').slice(-4);
      expect(next.map((line) => line.replace(/(?<=\S) {3,}.*$/u, ''))).toEqual([
        'Next:',
        '  a7-rt seed shop',
        '  a7-rt run shop --model NAME',
        '  a7-rt status shop',
      ]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }, 60_000);
});

describe('model-server --json', () => {
  test('a script that is not there is one JSON document with exit code 2', async () => {
    const { code, out } = await cli(['model-server', '--script', '/nowhere.yaml', '--json'], { env: {} });
    expect([code, JSON.parse(out)]).toMatchObject([2, { ok: false, exitCode: 2 }]);
  }, 60_000);
});

describe('the command that goes on', () => {
  const flags = {
    stageId: null,
    nodes: [],
    manager: 'policy' as const,
    model: 'my model',
    subagentModel: null,
    baseUrl: null,
    builderAgent: null,
    authorAgent: null,
    maxCostUsd: 0.02,
    maxTokens: null,
    maxTurns: null,
    drainTurn: null,
    maxInFlight: null,
    strictTurns: false,
    requireWall: true,
    backend: null,
    fresh: false,
    adopt: true,
  };

  test('is to make space where a home has none, whatever failed by it', () => {
    expect(spaceStep('ENOSPC: no space left on device, write')).toMatch(/^Make space, /u);
    expect(spaceStep(Object.assign(new Error('EDQUOT: quota'), { code: 'EDQUOT' }))).toMatch(
      /^Make space, /u,
    );
    expect(spaceStep(new Error('connect ECONNREFUSED'))).toBeNull();
  });

  test('repeats the flags of the run, quoted for a shell, and adopts nothing again', () => {
    expect(runCommand('shop', { ...flags, nodes: ['a.b', 'a.c'] })).toBe(
      "a7-rt run shop --manager policy --model 'my model' --max-cost 0.02 --require-wall --node a.b a.c",
    );
  });

  test('has the higher cap in the place of the one that was reached', () => {
    const outcome = {
      status: 'rested',
      code: 'BUDGET_REACHED',
      message: 'Cap: run SESSION --max-cost 0.06',
    } as const;
    const ended = { shown: 'shop', flags, stageId: 'core', state: emptyState };
    expect(nextStepAfter({ ...ended, outcome })).toBe(
      "a7-rt run shop --manager policy --model 'my model' --require-wall --max-cost 0.06",
    );
    const failing = { status: 'rested', code: 'PROJECT_FAILED', message: 'a test is red' } as const;
    expect(nextStepAfter({ ...ended, outcome: failing })).toMatch(
      /^a7-rt replace shop NODE --file FILE .*, a7-rt seed shop .*; then a7-rt run shop /,
    );
    const dirty = { status: 'rested', code: 'DIRTY_TREE', message: 'content/ holds x.py' } as const;
    expect(nextStepAfter({ ...ended, outcome: dirty })).toMatch(
      /^git -C shop\/content stash -u keeps them aside; then a7-rt run shop --manager policy /,
    );
  });
});
