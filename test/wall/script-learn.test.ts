/** What a JavaScript builder learns of its suite, and the shapes of honest code that wait for other threads. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openHostWall, type HostWall } from './host-wall.ts';

let wall: HostWall;
beforeAll(async () => {
  wall = await openHostWall();
});
afterAll(() => wall.close());

const HEAD = "import { describe, mock, test } from 'node:test';\nimport assert from 'node:assert/strict';\n";

test('a function of the suite crosses as its arity only', async () => {
  const run = await wall.run(
    [
      'export function seen(f: (n: number) => number): string;',
      'export function use(f: (n: number) => number): number;',
    ],
    [
      'const isText = (f) => /secret/.test([f, f.name, f.prototype?.constructor, ...Object.values(Object.getOwnPropertyDescriptors(f)).map((d) => d.value)].join());',
      "export const seen = (f) => [f.length, f.name, Object.keys(f).join(), isText(f), f.mock === undefined, f.constructor.name].join('|');",
      'export const use = (f) => f(1);',
    ].join('\n'),
    [
      HEAD,
      "import { seen, use } from '../../shop/thing.mjs';",
      "test('function', () => { const f = Object.assign(function secret(a, b = 'secret') { return a; }, { secret: 'secret' }); assert.equal(seen(f), '1|||false|true|Function'); assert.equal(use(f), 1); assert.equal(f.secret, 'secret'); });",
      "test('async', () => { const secret = async (n) => n; assert.equal(seen(secret), '1|||false|true|AsyncFunction'); });",
      "test('mock', () => { const secret = mock.fn((n) => n + 1); assert.equal(use(secret), 2); assert.match(seen(secret), /false.true/); assert.equal(secret.mock.callCount(), 1); });",
    ].join('\n'),
  );
  expect(run.told).toEqual({ function: 'passed', async: 'passed', mock: 'passed' });
});

test('what a failed test had the code answer is told as it answers it alone', async () => {
  const run = await wall.run(
    ['export function code(n: number): string;', 'export function keep(n: number): string;'],
    [
      'const asked = [];',
      'export const code = (n) => { asked.push(n); return `asked ${asked.join()}`; };',
      "export const keep = (n) => { asked.push(n); return asked.length > 1 ? 'all ' + asked : String(n); };",
    ].join('\n'),
    [
      HEAD,
      "import { code, keep } from '../../shop/thing.mjs';",
      "test('one', () => assert.equal(code(11), 'a'));",
      "describe('group', () => { test('two', () => assert.equal(code(22), 'b')); });",
      "test('only after others', () => assert.equal(keep(33), '33'));",
    ].join('\n'),
  );
  expect(run.tests.map((line) => [line.outcome, line.counterexample ?? null])).toEqual([
    ['failed', { call: 'code(11)', result: 'returns "asked 11"' }],
    ['failed', { call: 'code(22)', result: 'returns "asked 22"' }],
    ['failed', null],
  ]);
});

test('code may await its worker threads', async () => {
  const run = await wall.run(
    ['export function double(n: number): Promise<number>;'],
    [
      "import { Worker } from 'node:worker_threads';",
      'const TEXT = "const { parentPort, workerData } = require(\'worker_threads\'); setTimeout(() => parentPort.postMessage(workerData * 2), 100)";',
      'export const double = (workerData) => new Promise((resolve, reject) => { const w = new Worker(TEXT, { eval: true, workerData }); w.once("message", resolve); w.once("error", reject); });',
    ].join('\n'),
    [
      HEAD,
      "import { double } from '../../shop/thing.mjs';",
      "test('one', async () => assert.equal(await double(4), 8));",
      "test('some', async () => assert.deepEqual(await Promise.all([1, 2, 3].map(double)), [2, 4, 6]));",
    ].join('\n'),
  );
  expect(run.told).toEqual({ one: 'passed', some: 'passed' });
});
