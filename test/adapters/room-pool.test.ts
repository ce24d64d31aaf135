/** The pool of rooms that wait: by shape, as many as are used at once. */
import { describe, expect, test } from '@jest/globals';
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
    const room = await pool.take(SHAPE);
    expect(room === null).toBe(round === 1);
    pool.done(SHAPE);
    pool.refill();
    await settled();
    expect(opened).toHaveLength(round);
  }
});

test('RoomPool keeps as many as are out at once, up to its size', async () => {
  const { pool, opened, disposed } = poolOf(2);
  for (let taken = 0; taken < 5; taken += 1) expect(await pool.take(SHAPE)).toBeNull();
  for (let taken = 0; taken < 5; taken += 1) pool.done(SHAPE);
  pool.refill();
  await settled();
  expect(opened).toHaveLength(2);
  const first = await pool.take(SHAPE);
  expect(first).not.toBeNull();
  // A room whose keeper is gone is not lent.
  for (const room of opened) room.keeper.isIdle = false;
  expect(await pool.take(SHAPE)).toBeNull();
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
  expect(await pool.take(SHAPE)).toBeNull();
});

describe('RoomPool while a room is being opened', () => {
  /** A pool whose rooms open when they are told to. */
  function slowPool() {
    const opening: ((room: FakeRoom | null) => void)[] = [];
    const disposed: FakeRoom[] = [];
    const pool = new RoomPool<FakeRoom>(2, async () => {
      const room = await new Promise<FakeRoom | null>((resolve) => opening.push(resolve));
      if (room === null) throw new Error('the engine failed');
      return room;
    });
    const fresh = (): FakeRoom => {
      const room: FakeRoom = {
        shape: SHAPE,
        keeper: { isIdle: true },
        dispose: () => Promise.resolve(void disposed.push(room)),
      };
      return room;
    };
    return { pool, opening, disposed, fresh };
  }

  test('lends it to the first that asks for its shape, and to nobody else', async () => {
    const { pool, opening, fresh } = slowPool();
    pool.want('image:1', 1, SHAPE);
    const other = { ...SHAPE, image: 'image:2' };
    expect(await pool.take(other)).toBeNull();
    const first = pool.take(SHAPE);
    expect(await pool.take(SHAPE)).toBeNull();
    const room = fresh();
    opening[0]!(room);
    expect(await first).toBe(room);
    await settled();
    // What was lent does not wait: the next is opened for the shelf.
    expect(opening).toHaveLength(2);
    opening[1]!(fresh());
    await pool.close();
  });

  test('tells who waits that it failed', async () => {
    const { pool, opening } = slowPool();
    pool.want('image:1', 1, SHAPE);
    const first = pool.take(SHAPE);
    opening[0]!(null);
    expect(await first).toBeNull();
    await pool.close();
  });

  test('removes it where the pool was closed meanwhile', async () => {
    const { pool, opening, disposed, fresh } = slowPool();
    pool.want('image:1', 1, SHAPE);
    const first = pool.take(SHAPE);
    const closed = pool.close();
    opening[0]!(fresh());
    expect(await first).toBeNull();
    await closed;
    expect(disposed).toHaveLength(1);
  });
});
