/**
 * Makes one model call in a process of its own and strikes at a named step: `kill` ends it, `stop` suspends it.
 * The marker file proves that the step was reached. Argument: JSON of `ChildTask`; the outcome goes to stdout.
 */
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import type { CallStep } from '../../adapters/model/call-step.ts';
import { type RequestParts, makeModel, makeRequest } from './model-fixtures.ts';

export interface ChildTask {
  readonly parts: RequestParts;
  /** Turns to call at once. */
  readonly turns: readonly number[];
  readonly strike: {
    readonly step: CallStep;
    readonly with: 'SIGKILL' | 'SIGSTOP';
    readonly marker: string;
  } | null;
}

const task = JSON.parse(process.argv[2] ?? '') as ChildTask;
const model = makeModel({
  onStep: (step) => {
    if (task.strike?.step !== step) return;
    const file = openSync(task.strike.marker, 'w');
    writeSync(file, step);
    fsyncSync(file);
    closeSync(file);
    process.kill(process.pid, task.strike.with);
  },
});
const outcomes = await Promise.all(
  task.turns.map((turn) => model.call(makeRequest({ ...task.parts, turn }))),
);
process.stdout.write(JSON.stringify(outcomes));
