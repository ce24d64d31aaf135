/** What is told of a turn is told when its door is closed: an agent that leaves before its last call is settled changes nothing. */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AgentRoomEnd, runAgentRoom } from '../../activities/order/agent-room.ts';
import { commandDriver } from '../../adapters/agents/command.ts';
import { openCallRecord } from '../../adapters/forwarder/call-record.ts';
import type { OpenDoor } from '../../core/ports/agent-driver.ts';
import type { SandboxPort, SandboxResult } from '../../core/ports/sandbox.ts';
import { CHAT, type DoorYard, doorYard, HELLO, http, json } from '../support/door-yard.ts';

let yard: DoorYard;
let folder: string;
const leaves: (() => void)[] = [];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'a7-agent-room-'));
  yard = await doorYard();
});
beforeEach(() => yard.fresh());
afterAll(async () => {
  for (const each of leaves) each();
  await yard.close();
  rmSync(folder, { recursive: true });
});

const NOTHING = { text: '', bytes: 0, truncated: false };
const LEFT: SandboxResult = {
  outcome: { kind: 'exited', exitCode: 0 },
  stdout: NOTHING,
  stderr: NOTHING,
  files: {},
  refused: [],
  durationMs: 1,
  cpuMs: null,
  limitsHit: [],
};

/** A room whose agent asks once, and leaves as soon as it has read `enough`. */
function roomThatLeaves(enough: string): SandboxPort {
  return {
    backend: 'bubblewrap',
    async run({ shows = [] }) {
      const socket = connect(join(shows.at(-1)?.from ?? '', 'model.sock'));
      socket.write(http(CHAT, { ...HELLO, stream: true }));
      let text = '';
      for await (const chunk of socket as AsyncIterable<Buffer>) {
        text += chunk.toString('latin1');
        if (text.includes(enough)) break;
      }
      socket.destroy();
      return LEFT;
    },
    probe: () => Promise.reject(new Error('not here')),
    warm: () => undefined,
    reap: () => Promise.resolve(0),
    close: () => Promise.resolve(),
  };
}

/** A turn at a door whose record settles no call before somebody closes it. */
async function turnThatLeaves(enough: string): Promise<[AgentRoomEnd, OpenDoor]> {
  const limits = { costMicroUsd: 1, tokensMax: 100_000, requestsMax: 20 };
  const spent = { calls: 0, inputTokens: 0, outputTokens: 0, costMicroUsd: 0 };
  const inner = openCallRecord({ limits, spent, folder: join(folder, String(Math.random())) });
  let leave = (): void => undefined;
  const left = new Promise<void>((resolve) => (leave = resolve));
  leaves.push(leave);
  const opened = await yard.open({
    record: { ...inner, settled: (end) => left.then(() => inner.settled(end)) },
  });
  const door: OpenDoor = {
    ...opened,
    close() {
      leave();
      return opened.close();
    },
  };
  const end = await runAgentRoom({
    sandbox: roomThatLeaves(enough),
    key: 'room',
    owner: 'test',
    image: 'none',
    driver: commandDriver,
    installed: { folder: null, nodeFolder: null, version: '1' },
    door,
    doorProgram: { path: 'door.mjs', bytes: Buffer.from('') },
    context: {
      prompt: 'Do it.',
      model: door.model,
      url: '',
      token: door.token,
      command: 'true',
      iteration: 1,
      sessionId: '',
      turnsMax: 1,
    },
    task: [],
    tree: { files: [], prepared: [], links: new Map(), repository: null },
    env: {},
    wallMs: 1000,
    signal: new AbortController().signal,
    onOutput: () => undefined,
  });
  return [end, door];
}

test('runAgentRoom() tells what the last call used, though the agent left at its last word and the endpoint never hung up', async () => {
  yard.answer = (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3}}\n\n');
    response.write('data: [DONE]\n\n');
  };
  const [{ end }, door] = await turnThatLeaves('[DONE]');
  expect([end.kind, door.usage()]).toEqual([
    'ok',
    { calls: 1, inputTokens: 7, outputTokens: 3, costMicroUsd: null },
  ]);
  await door.close();
});

test('runAgentRoom() tells that nobody was let in, though the agent left at the first line of the answer', async () => {
  yard.answer = json('{"error":{"message":"who are you"}}', 401);
  const [{ end }, door] = await turnThatLeaves('HTTP/1.1 401');
  expect([end.kind, door.usage().inputTokens]).toEqual(['no_access', 0]);
});
