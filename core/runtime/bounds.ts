/** Bounds of one agent run that its answers and its time can hit (R3: told with name and value). */
import type { AgentRun, RunLimits } from '../../schemas/runtime.ts';
import { counted } from '../text/plural.ts';
import type { RunEvent } from './agent-run-types.ts';
import { cutEnd } from './cut-answer.ts';
import { silenceText } from './silence.ts';

export type AnsweredEvent = Extract<RunEvent, { kind: 'answered' }>;

/** The run with what an answer changes: silence, cuts and time. */
export function withAnswer(run: AgentRun, event: AnsweredEvent): AgentRun {
  const { cut: _, ...rest } = run;
  const next = {
    ...withTime(rest, event.elapsedMs),
    silentTurns: event.toolCalls === 0 ? run.silentTurns + 1 : 0,
    cutTurns: event.cutAt === undefined ? 0 : (run.cutTurns ?? 0) + 1,
    answer: event.answerRef,
  };
  if (event.cutAt === undefined) return next;
  const raisedTo = run.isRaised === true ? undefined : event.raisesTo;
  return {
    ...next,
    cut: { limit: event.cutAt, ...(raisedTo !== undefined && { raisedTo }) },
    ...(raisedTo !== undefined && { isRaised: true as const }),
  };
}

/** The run with running time added. */
export function withTime(run: AgentRun, elapsedMs: number | undefined): AgentRun {
  return elapsedMs === undefined ? run : { ...run, runningMs: (run.runningMs ?? 0) + elapsedMs };
}

/** Why a run ends with this answer; null where it goes on. */
export function boundHit(run: AgentRun, event: AnsweredEvent): string | null {
  const { silentTurnsMax } = run.limits;
  if (event.cutAt !== undefined && (run.cutTurns ?? 0) >= silentTurnsMax)
    return cutEnd(run.cutTurns ?? 0, event.cutAt, event.model ?? '?');
  if (run.silentTurns >= silentTurnsMax) return silenceText(run.silentTurns, silentTurnsMax, event);
  return lateText(run);
}

/** Why a run ends whose time is over; null where there is time. */
export function lateText({ limits, runningMs = 0 }: AgentRun): string | null {
  if (limits.runningMsMax === undefined || runningMs < limits.runningMsMax) return null;
  return `time limit reached: agent_max_seconds is ${seconds(limits.runningMsMax)}, ${seconds(runningMs)} s of running time were used`;
}

/** The bounds as an agent is told them. A program counts its turns itself. */
export function boundsText({ turnsMax, runningMsMax }: RunLimits, isProgram: boolean): string {
  const turns = isProgram ? [] : [counted(turnsMax, 'turn')];
  const time =
    runningMsMax === undefined ? [] : [`${String(Math.max(1, Math.round(runningMsMax / 60_000)))} min`];
  return `at most ${[...turns, ...time].join(' and ')}`;
}

function seconds(ms: number): string {
  return String(Math.round(ms / 100) / 10);
}
