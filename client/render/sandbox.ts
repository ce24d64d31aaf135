/** `sandbox` for people: what the room proved before, and what it held. */
import { colors } from './colors.ts';
import type { SandboxAnswer } from '../../core/ports/visitors.ts';
import { counted } from '../../core/text/plural.ts';
import { sizeText } from './text.ts';

const LEFT_OUT_SHOWN = 5;

/** Which room it is and what bounds it. */
export function sandboxHead({ isolation, limits, leftOut }: SandboxAnswer): string {
  const {
    wallMs = 0,
    memoryBytes = 0,
    diskBytes = 0,
    processesMax = 0,
    filesMax = 0,
    outputBytes = 0,
    cpus = 0,
  } = limits;
  const bounds = [
    `${String(wallMs / 1000)} s`,
    `memory ${sizeText(memoryBytes)}`,
    `disk ${sizeText(diskBytes)}`,
    counted(processesMax, 'process', 'processes'),
    counted(filesMax, 'file'),
    `output ${sizeText(outputBytes)}`,
    counted(cpus, 'core'),
  ];
  const left =
    leftOut.length === 0
      ? []
      : [
          `left out: ${leftOut.slice(0, LEFT_OUT_SHOWN).join(', ')}${leftOut.length > LEFT_OUT_SHOWN ? ` and ${String(leftOut.length - LEFT_OUT_SHOWN)} more` : ''}`,
        ];
  return [
    `sandbox: ${isolation.backend}; no network, fresh, gone at the end`,
    `limits: ${bounds.join(', ')}`,
    ...left,
  ]
    .map((line) => colors.dim(line))
    .join('\n');
}

/** How it ended, which limits were hit, and what was proven beforehand. */
export function sandboxTail(answer: SandboxAnswer): string {
  const { isolation, limitsHit, durationMs, cpuMs, truncated } = answer;
  const open = isolation.actsNotHeld;
  const proof = `${isolation.level}: ${counted(isolation.actsTried, 'forbidden act')} tried at start, ${open.length === 0 ? 'all held' : `not held: ${open.join(', ')}`}`;
  const cpu = cpuMs === null ? '' : `, processor ${String(cpuMs)} ms`;
  const cut = truncated ? '; output cut' : '';
  return [
    `${colors.bold('ended')}: ${endText(answer)} after ${String(durationMs)} ms${cpu}; limits hit: ${limitsHit.length === 0 ? 'none' : limitsHit.join(', ')}${cut}`,
    `${colors.bold('proven')}: ${isolation.backend}, ${proof}`,
  ].join('\n');
}

function endText({ outcome }: SandboxAnswer): string {
  switch (outcome.kind) {
    case 'exited':
      return `exit code ${String(outcome.exitCode)}`;
    case 'signaled':
      return outcome.signal;
    case 'timed_out':
      return `killed at the limit of ${String(outcome.limitMs / 1000)} s`;
    case 'out_of_memory':
      return `killed at the limit of ${sizeText(outcome.limitBytes)} of memory`;
    case 'output_limit':
      return `killed at the limit of ${sizeText(outcome.limitBytes)} of output`;
    case 'cancelled':
      return 'stopped by you';
    case 'lost':
      return `the sandbox was lost (${outcome.reason})`;
  }
}
