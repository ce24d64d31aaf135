/** The pool of rooms that wait: by shape, as many as are used at once. */
import { expect, test } from '@jest/globals';
import { RoomPool } from '../../adapters/sandbox/docker/room-pool.ts';
import { shapeOf, type RoomShape } from '../../adapters/sandbox/docker/room-shape.ts';

interface FakeRoom {
  readonly shape: RoomShape;
  readonly keeper: { isIdle: boolean };
  dispose(): Promise<void>;
}

const SHAPE = shapeOf({
  image: 'image:1',
  mounts: [{ path: '/work', files: [] }],
  limits: {
    wallMs: 1,
    memoryBytes: 1,
    diskBytes: 1,
    filesMax: 1,
    processesMax: 1,
    outputBytes: 1,
    cpus: 1,
  },
});

function poolOf(size: number) {
  const opened: FakeRoom[] = [];
  const disposed: FakeRoom[] = [];
  const pool = new RoomPool<FakeRoom>(size, (shape) => {
    const room: FakeRoom = {
      shape,
      keeper: { isIdle: true },
      dispose: () => Promise.resolve(void disposed.push(room)),
    };
    opened.push(room);
    return Promise.resolve(room);
  });
  return { pool, opened, disposed };
}

async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

test('RoomPool keeps one room for what runs alone', async () => {
  const { pool, opened } = poolOf(2);
  for (let round = 1; round <= 3; round += 1) {
    const room = pool.take(SHAPE);
    expect(room === null).toBe(round === 1);
    pool.done(SHAPE);
    pool.refill();
    await settled();
    expect(opened).toHaveLength(round);
  }
});

test('RoomPool keeps as many as are out at once, up to its size', async () => {
  const { pool, opened, disposed } = poolOf(2);
  for (let taken = 0; taken < 5; taken += 1) expect(pool.take(SHAPE)).toBeNull();
  for (let taken = 0; taken < 5; taken += 1) pool.done(SHAPE);
  pool.refill();
  await settled();
  expect(opened).toHaveLength(2);
  const first = pool.take(SHAPE);
  expect(first).not.toBeNull();
  // A room whose keeper is gone is not lent.
  for (const room of opened) room.keeper.isIdle = false;
  expect(pool.take(SHAPE)).toBeNull();
  expect(disposed).toHaveLength(1);
  await pool.close();
});

test('RoomPool opens what was asked for before it is used, and nothing once it is closed', async () => {
  const { pool, opened } = poolOf(2);
  pool.want('image:1', 3, SHAPE);
  await settled();
  expect(opened).toHaveLength(3);
  await pool.close();
  pool.refill();
  await settled();
  expect(opened).toHaveLength(3);
  expect(pool.take(SHAPE)).toBeNull();
});
