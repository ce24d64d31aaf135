/** Writes the report of all files. */
import { plainFailure } from '../shared/failure.mjs';

/** Writes everything at the end: ids first. */
export function writeReport(report, isRun, runs) {
  const ordinals = new Map();
  const tests = runs.flatMap(({ file, messages }) =>
    messages.filter((message) => message.kind === 'test').map(({ test }) => testLine(file, test, ordinals)),
  );
  report.emit({ kind: 'collected', ids: tests.map((line) => line.id) });
  for (const { file, messages } of runs) for (const message of messages) writeOther(report, file, message);
  if (isRun) for (const line of tests) report.emit(line);
  for (const { file, apart = [] } of runs)
    if (apart.length > 0) report.emit({ kind: 'apart', file, places: apart });
  const early = runs.filter((run) => !run.isDone || run.isBroken);
  for (const { file } of early) {
    report.emit({
      kind: 'late_error',
      reason: 'internal',
      failure: plainFailure('EarlyExit', `The process of ${file} ended before its tests did`),
    });
  }
  if (early.length === 0) report.finish(tests.length, isRun ? tests.length : 0);
  const isGreen =
    tests.every((line) => line.outcome === 'passed') &&
    runs.every((run) => run.messages.every(({ kind }) => kind === 'test' || kind === 'impure'));
  process.exitCode = early.length === 0 && (isGreen || !isRun) ? 0 : 1;
}

function testLine(file, { nesting, name, at: _at, ...rest }, ordinals) {
  const key = JSON.stringify([file, nesting, name]);
  const ordinal = ordinals.get(key) ?? 0;
  ordinals.set(key, ordinal + 1);
  return { kind: 'test', id: { file, nesting, name, ordinal }, ...rest };
}

function writeOther(report, file, message) {
  switch (message.kind) {
    case 'collect_error':
      return report.emit({ kind: 'collect_error', file, failure: message.failure });
    case 'late':
      return report.emit({ kind: 'late_error', reason: 'uncaught', failure: message.failure });
    case 'impure':
      return report.emit(message);
    case 'refused':
      return report.emit({ kind: 'late_error', reason: 'refused', failure: message.failure });
  }
}
