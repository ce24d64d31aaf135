/** Started containers that wait for a run: lent once, by shape, refilled in the background one at a time (gate.md part 9). */
import type { RoomShape } from './room-shape.ts';

/** What the pool needs to know of a room. */
export interface PooledRoom {
  readonly keeper: { readonly isIdle: boolean };
  dispose(): Promise<void>;
}

interface Shelf<Room> {
  readonly shape: RoomShape;
  readonly rooms: Room[];
  /** How many should wait: as many as were out at the same time. */
  target: number;
  out: number;
}

/** A room that is being opened, and who waits for it. */
interface Opening<Room> {
  readonly shelf: Shelf<Room>;
  claim: ((room: Room | null) => void) | null;
}

const SHELVES_MAX = 6;

/** Rooms by shape. `open` makes one; its failure is no fault of the pool: the next run makes its own and reports it. */
export class RoomPool<Room extends PooledRoom> {
  readonly #open: (shape: RoomShape) => Promise<Room>;
  readonly #size: number;
  readonly #shelves = new Map<string, Shelf<Room>>();
  readonly #wanted = new Map<string, number>();
  readonly #disposing = new Set<Promise<void>>();
  #filling: Promise<void> | null = null;
  #opening: Opening<Room> | null = null;
  #closed = false;

  constructor(size: number, open: (shape: RoomShape) => Promise<Room>) {
    this.#size = size;
    this.#open = open;
  }

  /**
   * A living room of that shape, or null: then the caller opens one. Either way it says when it is done, by `done`. The room
   * that is being opened is waited for: a further one would be ready later, and slow down both.
   */
  async take(shape: RoomShape): Promise<Room | null> {
    const shelf = this.#shelf(shape);
    shelf.out += 1;
    shelf.target = Math.max(shelf.target, Math.min(shelf.out, this.#size));
    for (let room = shelf.rooms.shift(); room !== undefined; room = shelf.rooms.shift()) {
      if (room.keeper.isIdle) return room;
      this.#drop(room);
    }
    const opening = this.#opening;
    if (opening === null || opening.shelf !== shelf || opening.claim !== null) return null;
    return await new Promise((resolve) => (opening.claim = resolve));
  }

  /** One that was taken, or opened in its place, is no longer in use. */
  done(shape: RoomShape): void {
    const shelf = this.#shelves.get(JSON.stringify(shape));
    if (shelf !== undefined) shelf.out = Math.max(0, shelf.out - 1);
  }

  /** Remembers how many rooms of a shape, or of an image whose shape is not known yet, should wait; starts to open them. */
  want(image: string, count: number, shape?: RoomShape): void {
    const known =
      shape ?? [...this.#shelves.values()].findLast((shelf) => shelf.shape.image === image)?.shape;
    if (known === undefined) this.#wanted.set(image, count);
    else this.#shelf(known).target = count;
    this.refill();
  }

  /** Opens what is missing, in the background. */
  refill(): void {
    if (this.#filling !== null || this.#closed) return;
    this.#filling = this.#fill().finally(() => (this.#filling = null));
  }

  /** Removes every waiting room. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#filling;
    for (const shelf of this.#shelves.values()) shelf.rooms.splice(0).forEach((room) => this.#drop(room));
    await Promise.all(this.#disposing);
  }

  #shelf(shape: RoomShape): Shelf<Room> {
    const key = JSON.stringify(shape);
    const shelf = this.#shelves.get(key) ?? {
      shape,
      rooms: [],
      target: this.#wanted.get(shape.image) ?? 0,
      out: 0,
    };
    this.#shelves.delete(key);
    this.#shelves.set(key, shelf);
    for (const [oldKey, old] of this.#shelves) {
      if (this.#shelves.size <= SHELVES_MAX) break;
      this.#shelves.delete(oldKey);
      old.rooms.splice(0).forEach((room) => this.#drop(room));
    }
    return shelf;
  }

  async #fill(): Promise<void> {
    for (let shelf = this.#short(); shelf !== undefined && !this.#closed; shelf = this.#short()) {
      const opening: Opening<Room> = { shelf, claim: null };
      this.#opening = opening;
      const room = await this.#open(shelf.shape).catch(() => null);
      this.#opening = null;
      if (room !== null) this.#place(room, opening);
      else opening.claim?.(null);
      if (room === null) return;
    }
  }

  #place(room: Room, { shelf, claim }: Opening<Room>): void {
    if (this.#isClosed()) {
      this.#drop(room);
      claim?.(null);
    } else if (claim !== null) claim(room);
    else if ([...this.#shelves.values()].includes(shelf)) shelf.rooms.push(room);
    else this.#drop(room);
  }

  #isClosed(): boolean {
    return this.#closed;
  }

  /** The shelf last used that holds too few rooms. */
  #short(): Shelf<Room> | undefined {
    return [...this.#shelves.values()].findLast((shelf) => shelf.rooms.length < shelf.target);
  }

  #drop(room: Room): void {
    const tracked = room
      .dispose()
      .catch(() => undefined)
      .finally(() => this.#disposing.delete(tracked));
    this.#disposing.add(tracked);
  }
}
