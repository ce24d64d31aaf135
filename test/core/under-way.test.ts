import { describe, expect, test } from '@jest/globals';
import { emptyState } from '../../core/stage/draft.ts';
import type { RunState, StageCommand } from '../../core/stage/types.ts';
import { commandsUnderWay, isStartedAgain } from '../../core/stage/under-way.ts';
import { StageOptions } from '../../schemas/stage.ts';

const run: RunState = {
  stage: 'core',
  run: 1,
  lifecycle: 'new',
  phase: 'running',
  mode: 'autonomous',
  options: StageOptions.parse({}),
  turn: 0,
  news: false,
  lastError: null,
  consult: null,
  ending: null,
  sealSummary: null,
  sealFaults: 0,
  spentMicroUsd: 0,
};

describe('commandsUnderWay()', () => {
  test('waits for a person again when the stage was waiting', () => {
    expect(commandsUnderWay({ ...emptyState, run: { ...run, phase: 'waiting' } })).toEqual([
      { kind: 'await_input', nodeIds: [] },
    ]);
    expect(commandsUnderWay({ ...emptyState, run })).toEqual([]);
  });
});

describe('isStartedAgain()', () => {
  test('is false for what a run that continues as new would never hear of again', () => {
    const commands: readonly StageCommand[] = [
      { kind: 'check_seal', nodeIds: ['a.b'] },
      { kind: 'cancel_agents', dispatchIds: ['d1'] },
      { kind: 'await_input', nodeIds: [] },
      { kind: 'close', status: 'halted', code: 'HALTED', message: '' },
      { kind: 'ask_manager', turn: 1, inputIds: [] },
    ];
    expect(commands.map(isStartedAgain)).toEqual([false, false, false, false, true]);
  });
});
