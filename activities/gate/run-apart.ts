/** Behind the JavaScript wall: what a suite expects is built where the code under test is not (docs/decisions/0047). */
import type { Execution } from '../../core/gate/execution.ts';
import { runReported, type ReportedEnd, type ReportedSpec, type RoomContext } from './room.ts';

/**
 * A run, and where it is green and its suite builds objects of the code's that it never gives to the code, a second one in a new room:
 * those are built in a process of their own there. The second one decides where it is not green.
 */
export async function runWithTwin(context: RoomContext, spec: ReportedSpec): Promise<ReportedEnd> {
  const first = await runReported(context, spec, null);
  const { execution } = first;
  if (spec.guest === undefined || execution.kind !== 'complete') return first;
  const { apart } = execution.run;
  if (apart === undefined || !isGreen(execution)) return first;
  const again = {
    ...spec,
    name: `${spec.name}-apart`,
    input: { ...spec.input, apart },
    guest: { ...spec.guest, oracle: spec.guest.argv },
  };
  const second = await runReported(context, again, null);
  const artifacts = [...first.artifacts, ...second.artifacts];
  return isGreen(second.execution) ? { ...first, artifacts } : { ...second, artifacts };
}

function isGreen(execution: Execution): boolean {
  if (execution.kind !== 'complete') return false;
  const { tests, collectErrors, lateErrors } = execution.run;
  return [...collectErrors, ...lateErrors].length === 0 && tests.every(({ outcome }) => outcome === 'passed');
}
