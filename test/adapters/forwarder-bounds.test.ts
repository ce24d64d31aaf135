/** What a room may ask of its door, however it asks: floods, what is never hung up, many calls at once, and who may open one. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { chmodSync, existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Share } from '../../adapters/forwarder/share.ts';
import { CHAT, type DoorYard, doorYard, HELLO, http } from '../support/door-yard.ts';

let yard: DoorYard;
beforeAll(async () => {
  yard = await doorYard();
});
beforeEach(() => yard.fresh());
afterAll(() => yard.close());

const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0);

describe('openForwarder()', () => {
  test('closes though the room holds what it was refused, and speaks on', async () => {
    const door = await yard.open({ networkHosts: ['localhost'] });
    const upgrade = http('GET /v1/models', undefined, ['upgrade: websocket']).replace(
      'n: close',
      'n: upgrade',
    );
    for (const asked of [http('CONNECT evil.example:443'), http('CONNECT localhost:443'), upgrade]) {
      const socket = connect(`${door.folder}/model.sock`);
      socket.on('error', () => undefined).write(asked);
      await new Promise((resolve) => socket.once('data', resolve));
      await new Promise((resolve) => socket.write('and more', resolve));
    }
    await door.close();
    expect(existsSync(door.folder)).toBe(false);
    await door.close();
  });

  test('opens no door where another user could put a folder of his own', async () => {
    const theirs = join(yard.home, 'theirs');
    mkdirSync(theirs);
    symlinkSync(theirs, join(yard.home, 'link'));
    mkdirSync(join(yard.home, 'open'));
    chmodSync(join(yard.home, 'open'), 0o777);
    for (const name of ['link', 'open'])
      await expect(yard.open({ doors: join(yard.home, name) })).rejects.toThrow(
        'another user may write there',
      );
  });

  test('tells 500 refusals, and shuts where a room asks without end', async () => {
    const door = await yard.open({ floodMax: 520 });
    for (let asked = 0; asked < 540; asked += 60)
      await Promise.all(Array.from({ length: 60 }, () => yard.raw(door, http('GET /x'))));
    expect(yard.rows().length).toBe(500);
    expect(door.limitHit()).toContain('requests of any kind, at most 520');
    expect(await yard.raw(door, http(CHAT, HELLO))).toBe('');
  });

  test('counts what Node would answer by itself, and connections that say nothing; then nobody is there', async () => {
    const expecting = await yard.open({ floodMax: 10 });
    const strange = http(CHAT, '', ['expect: a-miracle']).replace('connection: close\r\n', '');
    const answers = await yard.raw(expecting, strange.repeat(40));
    expect([statusOf(answers), expecting.limitHit()]).toEqual([417, expect.stringContaining('at most 10')]);
    const silent = await yard.open({ floodMax: 10 });
    for (let at = 0; at < 12; at += 1)
      await new Promise((resolve) => {
        const socket = connect(`${silent.folder}/model.sock`, () => socket.destroy());
        socket.on('error', resolve).on('close', resolve);
      });
    const crumbs = await yard.open({ floodMax: 10 });
    const head = `${CHAT} HTTP/1.1\r\nhost: m\r\ntransfer-encoding: chunked\r\n\r\n`;
    expect(statusOf(await yard.raw(crumbs, head, '1\r\n \r\n'.repeat(20_000)))).toBe(413);
    expect([await yard.raw(crumbs, http(CHAT, HELLO)), crumbs.limitHit()]).toEqual([
      '',
      expect.stringContaining('at most 10'),
    ]);
    expect([silent.limitHit(), await yard.raw(silent, http(CHAT, HELLO))]).toEqual([
      expect.stringContaining('at most 10'),
      '',
    ]);
  });

  test('carries sixteen calls at once, however many one connection asks for; a closing door settles them', async () => {
    const door = await yard.open({ limits: { costMicroUsd: 1, tokensMax: 1e6, requestsMax: 99 } });
    yard.answer = () => undefined;
    const calls = Array.from({ length: 40 }, (_, seed) =>
      http(CHAT, { ...HELLO, seed }).replace('connection: close\r\n', ''),
    );
    const said = yard.raw(door, calls.join(''));
    while (yard.seen.length < 16 || yard.rows().filter(({ state }) => state === 'refused').length < 24)
      await new Promise((next) => setTimeout(next, 5));
    await door.close();
    await said;
    const rows = yard.rows();
    expect([yard.seen.length, rows.filter(({ status }) => status === 429).length]).toEqual([16, 24]);
    expect(rows.filter(({ state }) => state === 'settled').length).toBe(16);
  });
});

describe('Share', () => {
  test('lets a room work a fifth of the time, one piece after the other; short work is free', async () => {
    let nowMs = 0;
    const told: string[] = [];
    const share = new Share(
      () => nowMs,
      (ms) => {
        nowMs += ms;
        return Promise.resolve(told.push(`wait ${String(ms)}`));
      },
    );
    const work = (name: string, ms: number) =>
      share.take(() => {
        nowMs += ms;
        told.push(name);
        return name;
      });
    const broken = share.take(() => {
      nowMs += 100;
      throw new Error('no JSON');
    });
    const done = await Promise.all([
      broken.catch(() => 'broken'),
      work('slow', 500),
      work('short', 5),
      work('huge', 60_000),
      work('last', 1),
    ]);
    expect(done).toEqual(['broken', 'slow', 'short', 'huge', 'last']);
    expect(told).toEqual(['wait 320', 'slow', 'wait 2000', 'short', 'wait 20', 'huge', 'wait 10000', 'last']);
    // Many short pieces are no other way to the same.
    const many = new Share(
      () => nowMs,
      (ms) => Promise.resolve((nowMs += ms)),
    );
    const startMs = nowMs;
    for (let piece = 0; piece < 100; piece += 1) await many.take(() => (nowMs += 19));
    expect(nowMs - startMs).toBeGreaterThan(5 * 98 * 19);
  });
});
