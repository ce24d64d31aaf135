/** From the options of `submit` to what is asked for. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { SubmitAsked } from '../../core/ports/order-services.ts';
import type { Result } from '../../core/ports/services.ts';
import type { AgentName, OrderGate, OrderLimits } from '../../schemas/order.ts';
import type { JsonOption } from './common.ts';
import { readNamed } from '../named-file.ts';
import { typed } from '../../core/text/typed.ts';
import { readFault } from '../../core/text/error-text.ts';

export interface SubmitOptions extends JsonOption {
  readonly repo?: string;
  readonly task?: string;
  readonly base?: string;
  readonly withChanges?: boolean;
  readonly agent?: AgentName;
  readonly agentCommand?: string;
  readonly agentFiles?: string;
  readonly model?: string;
  readonly baseUrl?: string;
  readonly gate?: string;
  readonly maxIterations?: number;
  readonly maxTime?: number;
  readonly maxAgentTime?: number;
  readonly maxCost?: number;
  readonly maxTokens?: number;
  readonly maxRequests?: number;
  readonly paths?: readonly string[];
  readonly forbid?: readonly string[];
  readonly allowGateEdit?: readonly string[];
  readonly allowNetwork?: readonly string[];
  readonly backend?: 'docker' | 'bubblewrap';
  readonly watch?: boolean;
}
const TASK_READ_MAX = 4 * 1024 * 1024;

/** What the options say, or why they say nothing. */
export function askedOf(options: SubmitOptions): Result<SubmitAsked> {
  const task = taskOf(options.task ?? '');
  if (!task.ok) return task;
  if (options.backend !== undefined && options.watch !== true)
    return {
      ok: false,
      exitCode: 2,
      problems: [
        { message: 'Cannot use --backend here: the rooms are those of the worker that serves the order' },
      ],
      nextStep: typed`Add --watch, or a7-rt worker --backend ${options.backend}`,
    };
  const gate = gateOf(options.gate);
  if (!gate.ok) return gate;
  return {
    ok: true,
    value: {
      repo: options.repo ?? '.',
      base: options.base ?? null,
      withChanges: options.withChanges === true,
      task: task.value,
      agent: options.agent ?? (options.agentCommand === undefined ? 'claude-code' : 'command'),
      model: options.model ?? null,
      baseUrl: options.baseUrl ?? null,
      command: options.agentCommand ?? null,
      files: options.agentFiles === undefined ? null : resolve(options.agentFiles),
      gate: gate.value,
      limits: limitsOf(options),
      policy: {
        paths: [...(options.paths ?? [])],
        forbid: [...(options.forbid ?? [])],
        gateEdits: [...(options.allowGateEdit ?? [])],
        networkHosts: [...(options.allowNetwork ?? [])],
      },
      backend: options.backend ?? null,
      watch: options.watch === true,
      retryOf: null,
    },
  };
}

function limitsOf(options: SubmitOptions): Partial<OrderLimits> {
  return {
    ...(options.maxIterations === undefined ? {} : { iterationsMax: Math.min(100, options.maxIterations) }),
    ...(options.maxTime === undefined ? {} : { timeMs: Math.round(options.maxTime * 60_000) }),
    ...(options.maxAgentTime === undefined ? {} : { agentMs: Math.round(options.maxAgentTime * 60_000) }),
    ...(options.maxCost === undefined ? {} : { costMicroUsd: Math.round(options.maxCost * 1e6) }),
    ...(options.maxTokens === undefined ? {} : { tokensMax: options.maxTokens }),
    ...(options.maxRequests === undefined ? {} : { requestsMax: options.maxRequests }),
  };
}

function taskOf(named: string): Result<string> {
  if (named !== '-' && !named.startsWith('@')) return { ok: true, value: named };
  const path = named === '-' ? 0 : named.slice(1);
  try {
    const bytes = path === 0 ? readFileSync(0) : readNamed(path);
    if (bytes.byteLength > TASK_READ_MAX) throw new RangeError(`it has ${String(bytes.byteLength)} bytes`);
    return { ok: true, value: bytes.toString('utf8') };
  } catch (error) {
    const message = `Cannot read the task from ${named === '-' ? 'standard input' : `"${named.slice(1)}"`}: ${readFault(error)}`;
    return {
      ok: false,
      exitCode: 2,
      problems: [{ message }],
      nextStep: '--task TEXT, --task @FILE or --task -',
    };
  }
}

function gateOf(named: string | undefined): Result<OrderGate> {
  switch (named) {
    case undefined:
      return { ok: true, value: { from: 'auto', text: null, file: null } };
    case 'verify':
    case 'ci':
    case 'default':
      return { ok: true, value: { from: named, text: null, file: null } };
    default:
      try {
        return { ok: true, value: { from: 'file', text: readNamed(named).toString('utf8'), file: named } };
      } catch {
        const message = `Cannot read the gate plan "${named}": it must be verify, ci, default, or a file`;
        return {
          ok: false,
          exitCode: 2,
          problems: [{ message }],
          nextStep: 'a7-rt gate init writes a verify.yaml',
        };
      }
  }
}
