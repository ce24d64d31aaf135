// The door of an agent's room: what it adds to a call, and what it carries, beside the same calls straight to the endpoint.
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { Agent, createServer, request } from 'node:http';
import { join } from 'node:path';
import { openForwarder } from '../dist/adapters/forwarder/forwarder.js';
import { figure, median } from './support/figures.mjs';

const LANES = 8;
const AIM_MS = 3;
const BODY_BYTES = 60_000;
const NOTHING = { calls: 0, inputTokens: 0, outputTokens: 0, costMicroUsd: 0 };
const ANSWER = JSON.stringify({
  choices: [{ index: 0, message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 40, completion_tokens: 10 },
});

/** Latency of one call after another, and calls a second of eight lanes. Every call is written down and on disk. */
export async function measure(lab, { quick, once }) {
  const calls = once ? 2 : quick ? 40 : 200;
  const warmUp = once ? 0 : 20;
  const server = createServer((incoming, response) => {
    incoming
      .resume()
      .on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end(ANSWER));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  const door = await openForwarder({
    request: {
      agent: { model: 'bench', baseUrl: null },
      limits: { costMicroUsd: 1e12, tokensMax: 1e12, requestsMax: 1e6 },
      networkHosts: [],
      protocol: 'chat',
      spent: NOTHING,
      folder: join(lab.dir, 'forwarder'),
    },
    target: {
      modelId: 'bench',
      baseUrl: `http://127.0.0.1:${port}/v1`,
      maxOutputTokens: 100,
      price: null,
      key: 'bench-key',
    },
    doors: join(lab.dir, 'd'),
  });
  const straight = { host: '127.0.0.1', port };
  const through = { socketPath: join(door.folder, 'model.sock') };
  try {
    // Both ways warm, then in turns, so that what else runs here meets both.
    const times = { straight: [], through: [] };
    for (let call = 0; call < calls + warmUp; call += 1) {
      const one = [await timeOf(straight, call), await timeOf(through, call)];
      if (call >= warmUp) [times.straight, times.through].forEach((list, at) => list.push(one[at]));
    }
    const direct = median(times.straight);
    return [
      figure({
        measure: `a call through the door, added to it, median of ${calls}`,
        value: median(times.through) - direct,
        unit: 'ms',
        baseline: {
          name: 'two lines on this disk, each synced',
          value: diskMs(join(lab.dir, 'lines'), calls),
        },
        aim: { of: 'value', max: AIM_MS },
        note: `${Math.round(BODY_BYTES / 1000)} kB each, written down before and after`,
      }),
      figure({
        measure: 'processor time that the door adds to a call',
        value: (await cpuMs(through, calls)) - (await cpuMs(straight, calls)),
        unit: 'ms',
        aim: { of: 'value', max: AIM_MS },
      }),
      figure({
        measure: `calls a second through the door, ${LANES} at once`,
        value: await rateOf(through, calls),
        unit: '1/s',
        baseline: { name: 'without a door', value: await rateOf(straight, calls) },
      }),
    ];
  } finally {
    await door.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

/** What the record of a call must wait for: sent and settled, each on disk. */
function diskMs(path, calls) {
  const line = `${'x'.repeat(200)}\n`;
  const times = Array.from({ length: calls }, () => {
    const startMs = performance.now();
    for (let row = 0; row < 2; row += 1) {
      const handle = openSync(path, 'a');
      writeSync(handle, line);
      fsyncSync(handle);
      closeSync(handle);
    }
    return performance.now() - startMs;
  });
  return median(times);
}

const agent = new Agent({ keepAlive: true, maxSockets: LANES });

async function timeOf(at, call) {
  const startMs = performance.now();
  await ask(at, call);
  return performance.now() - startMs;
}

/** Of this process, which is client, door and endpoint in one. */
async function cpuMs(at, calls) {
  const before = process.cpuUsage();
  for (let call = 0; call < calls; call += 1) await ask(at, 20_000 + call);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / calls;
}

async function rateOf(at, calls) {
  const startMs = performance.now();
  const lane = async (first) => {
    for (let call = first; call < calls; call += LANES) await ask(at, 10_000 + call);
  };
  await Promise.all(Array.from({ length: LANES }, (_, first) => lane(first)));
  return (calls * 1000) / (performance.now() - startMs);
}

/** Each asks something of its own, so that no answer is found again. */
function ask(at, call) {
  const content = `${call} ${'x'.repeat(BODY_BYTES)}`;
  const body = JSON.stringify({ model: 'bench', messages: [{ role: 'user', content }] });
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const out = request({ ...at, agent, method: 'POST', path: '/v1/chat/completions', headers }, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`a call was answered by ${answer.statusCode}`));
      answer.resume().on('end', resolve).on('error', reject);
    });
    out.on('error', reject);
    out.end(body);
  });
}
