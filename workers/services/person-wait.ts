/** A stage that only a person can move on: the hook of the user is told, and a run that does not wait ends with exit code 3. */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { execa } from 'execa';
import { createExclusively } from '../../adapters/system/files.ts';
import { sha256 } from '../../adapters/system/sha256.ts';
import { sessionPaths } from '../../adapters/store/session.ts';
import type { Failed } from '../../core/ports/services.ts';
import { isIdle } from '../../core/stage/settle.ts';
import { type Waiting, waitingFor } from '../../core/stage/waiting.ts';
import { failed, messageOf } from './common.ts';
import { runCommand } from './next-step.ts';
import type { RunContext } from './run-context.ts';
import { inShell } from '../../core/text/typed.ts';

const POLL_MS = 300;
const HOOK_TIMEOUT_MS = 30_000;

/** Told to the hook: as JSON on stdin of a command, or as the body of a webhook. */
interface WaitingNote {
  readonly session: string;
  readonly stage: string;
  /** Whose question it is; null: the stage waits for a move. */
  readonly node: string | null;
  readonly question: string;
  /** The command that answers. */
  readonly command: string;
}

/** Settles only where the run shall not wait for a person, and nothing else is left to do. */
export async function untilPerson(context: RunContext, signal: AbortSignal): Promise<Failed> {
  const { session, shown, flags } = context;
  const told = new Set<string>();
  while (!signal.aborted) {
    const doc = await session.doc().catch(() => null);
    const run = doc?.state.run ?? null;
    const waiting = doc === null ? [] : waitingFor(doc).map((each) => named(each, shown));
    for (const each of waiting) {
      const key = `${String(run?.run)} ${each.nodeId ?? ''} ${each.question}`;
      if (told.has(key)) continue;
      told.add(key);
      void tell(context, key, noteOf(each, shown, run?.stage ?? ''));
    }
    const [first] = waiting;
    if (flags.noWait === true && doc !== null && first !== undefined && isIdle(doc.state)) {
      const whose = first.nodeId === null ? '' : `${first.nodeId} asks: `;
      const text = `Stage "${run?.stage ?? ''}" waits for a person. ${whose}${first.question}`;
      return failed(3, text, `${first.command}, then ${runCommand(shown, flags)}`);
    }
    await delay(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
  return new Promise<never>(() => undefined);
}

function named(waiting: Waiting, shown: string): Waiting {
  return { ...waiting, command: waiting.command.replace('SESSION', () => inShell(shown)) };
}

function noteOf({ nodeId, question, command }: Waiting, session: string, stage: string): WaitingNote {
  return { session, stage, node: nodeId, question, command };
}

/** Once for each question, whichever process sees it first. What the hook does wrong is said, and stops nothing. */
async function tell({ session, config, watch }: RunContext, key: string, note: WaitingNote): Promise<void> {
  const { onWaiting } = config;
  if (onWaiting === null) return;
  try {
    const mark = join(sessionPaths(session.dir).a7, 'told', sha256(key).slice(7, 39));
    if (!(await createExclusively(mark, `${note.question}\n`))) return;
    await (/^https?:\/\//u.test(onWaiting) ? post(onWaiting, note) : execute(onWaiting, note));
  } catch (error) {
    watch({ kind: 'said', text: `on_waiting failed: ${messageOf(error)}` });
  }
}

async function post(url: string, note: WaitingNote): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(note),
    redirect: 'manual',
    signal: AbortSignal.timeout(HOOK_TIMEOUT_MS),
  });
  if (!response.ok) throw new Error(`${url} answered ${String(response.status)}`);
}

async function execute(command: string, note: WaitingNote): Promise<void> {
  const { session, stage, node, question, command: answer } = note;
  await execa('/bin/sh', ['-c', command], {
    input: JSON.stringify(note),
    env: {
      A7_SESSION: session,
      A7_STAGE: stage,
      A7_NODE: node ?? '',
      A7_QUESTION: question,
      A7_COMMAND: answer,
    },
    timeout: HOOK_TIMEOUT_MS,
    stdout: 'ignore',
  });
}
