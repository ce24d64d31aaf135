/** `events.jsonl`: append under the session's lock, hash chain, idempotent by sequence number, torn tail cut (design part 4). */
import { statSync } from 'node:fs';
import type { z } from 'zod';
import { type FileHandle, open } from 'node:fs/promises';
import { canonicalJson } from '../../core/text/canonical.ts';
import { type ParsedLedger, GENESIS_HASH, parseLedger } from '../../core/ledger/lines.ts';
import { headText } from '../../core/record/dsse.ts';
import type { LedgerAppend, LedgerAppended, LedgerPort, LedgerRead } from '../../core/ports/session.ts';
import type { SessionKeys, Signer } from '../../core/ports/signing.ts';
import { LedgerEvent, type LedgerLine } from '../../schemas/ledger.ts';
import { errorCode } from '../../core/text/error-text.ts';
import { sha256 } from '../system/sha256.ts';
import { bringCopy } from './ledger-copy.ts';
import { withLock } from './lock.ts';

/** The ledger is broken before its end; nothing may be appended to it. */
export class LedgerCorrupt extends Error {
  override readonly name = 'LedgerCorrupt';
}

/** What was to be appended is no event: written down, it would make the session unreadable. */
export class EventRefused extends Error {
  override readonly name = 'EventRefused';
}

interface Cached {
  /** Bytes of the file that `parsed` stands for; a torn tail is not among them. */
  readonly size: number;
  readonly parsed: ParsedLedger;
}

const NOTHING_READ: Cached = { size: 0, parsed: { lines: [], tornBytes: 0, fault: null } };

/** What a ledger is made of: a session's events, or an order's. */
interface AnyEvent {
  readonly type: string;
  readonly data: unknown;
}

export interface LedgerOptions<Event extends AnyEvent = LedgerEvent> {
  readonly path: string;
  /** A second copy, brought along with each append; absent: none. */
  readonly copyPath?: string;
  /** The session's lock. */
  readonly lockName: string;
  /** Stamps lines; no part of their identity. */
  readonly now?: () => Date;
  /** Signs what is appended, and checks whose the last line is. Absent: lines stay unsigned. */
  readonly keys?: SessionKeys;
  /** Default: the events of a session. */
  readonly events?: z.ZodType<Event>;
}

/** The ledger at `path`. One instance keeps what it has checked and reads only what was appended since. */
export function createLedger<Event extends AnyEvent = LedgerEvent>(
  options: LedgerOptions<Event>,
): LedgerPort<Event> {
  const schema: z.ZodType<AnyEvent> = options.events ?? LedgerEvent;
  const knows =
    options.events === undefined
      ? undefined
      : ({ type, data }: LedgerLine): boolean => schema.safeParse({ type, data }).success;
  const now = options.now ?? (() => new Date());
  let cached = NOTHING_READ;

  const load = async (): Promise<Cached> => {
    // Others load and append while this waits: what is read belongs to what was known when it began.
    const known = cached;
    if (known.parsed.tornBytes === 0 && sizeOf(options.path) === known.size) return known;
    const whole = await readFrom(options.path, known.size);
    const before = whole === null ? NOTHING_READ : known;
    const bytes = whole ?? (await readFrom(options.path, 0)) ?? Buffer.alloc(0);
    // A crash may tear a character apart: the tail is cut off as bytes, before anything is decoded.
    const end = bytes.lastIndexOf('\n') + 1;
    const parsed = withSignature(
      parseLedger(bytes.toString('utf8', 0, end), sha256, before.parsed.lines, knows),
      options.keys,
    );
    const loaded = { size: before.size + end, parsed: { ...parsed, tornBytes: bytes.length - end } };
    cached = loaded;
    return loaded;
  };

  return {
    async read(): Promise<LedgerRead> {
      const { parsed } = await load();
      if (parsed.fault !== null) return { kind: 'corrupt', fault: parsed.fault };
      return { kind: 'read', lines: parsed.lines, tornBytes: parsed.tornBytes };
    },
    append: (asked) =>
      withLock(options.lockName, async () => {
        const request = { ...asked, events: asked.events.map((event) => checkedEvent(schema, event)) };
        const { parsed, size } = await load();
        if (parsed.fault !== null) throw corrupt(parsed.fault.line, parsed.fault.reason);
        const verdict = placeOf(parsed.lines, request);
        if (verdict.kind !== 'write') return verdict;
        const signer = (await options.keys?.signer()) ?? null;
        const fresh = chain(parsed.lines.at(-1), request, verdict.skip, now(), signer);
        const text = await writeLines(options.path, size, fresh);
        if (options.copyPath !== undefined) bringCopy(options.path, options.copyPath, size, text);
        cached = {
          size: size + text.length,
          parsed: { ...parsed, lines: [...parsed.lines, ...fresh], tornBytes: 0 },
        };
        const last = fresh.at(-1) ?? parsed.lines.at(-1);
        if (last !== undefined && signer !== null)
          options.keys?.remember({ seq: last.seq, hash: last.hash, keyId: signer.keyId });
        return appended(last);
      }),
  };
}

/** Only what can be read again is written. @throws {EventRefused} */
function checkedEvent(schema: z.ZodType<AnyEvent>, event: AnyEvent): AnyEvent {
  const parsed = schema.safeParse(event);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new EventRefused(
    `Cannot append "${event.type}" to the ledger: ${issue?.path.join('.') ?? ''} ${issue?.message ?? 'is not valid'}`,
  );
}

/** The last line's signature stands for all before it. A key that nobody here has proves nothing, and refutes nothing. */
function withSignature(parsed: ParsedLedger, keys: SessionKeys | undefined): ParsedLedger {
  const last = parsed.lines.at(-1);
  if (parsed.fault !== null || last?.sig === undefined || keys === undefined) return parsed;
  if (keys.ring().check(headText(last), last.sig).status !== 'wrong') return parsed;
  return { ...parsed, fault: { line: last.seq, reason: 'carries a signature that its key did not make' } };
}

type Place =
  | Exclude<LedgerAppended, { kind: 'appended' }>
  | LedgerAppended
  | { readonly kind: 'write'; readonly skip: number };

/** Where the request stands against what is written: new, partly there, wholly there, or in conflict. */
function placeOf(lines: readonly LedgerLine[], request: LedgerAppend<AnyEvent>): Place {
  const fence = lines.reduce(
    (last, line) => (line.type === 'run_opened' ? Math.max(last, line.run) : last),
    0,
  );
  if (request.run !== 0 && fence > request.run) return { kind: 'fence_lost', run: fence };
  const missing = request.fromSeq - 1 - lines.length;
  if (missing > 0) return { kind: 'diverged', seq: lines.length + 1, found: 'nothing' };
  const there = lines.slice(request.fromSeq - 1, request.fromSeq - 1 + request.events.length);
  for (const [index, line] of there.entries()) {
    const event = request.events[index];
    if (event === undefined || line.run !== request.run || !sameEvent(line, event)) {
      return { kind: 'diverged', seq: line.seq, found: line.type };
    }
  }
  if (there.length === request.events.length) return appended(there.at(-1) ?? lines.at(-1));
  return { kind: 'write', skip: there.length };
}

function sameEvent(line: LedgerLine, event: AnyEvent): boolean {
  return line.type === event.type && canonicalJson(line.data) === canonicalJson(event.data);
}

function chain(
  last: LedgerLine | undefined,
  request: LedgerAppend<AnyEvent>,
  skip: number,
  at: Date,
  signer: Signer | null,
): LedgerLine[] {
  const fresh: LedgerLine[] = [];
  let prev = last?.hash ?? GENESIS_HASH;
  let seq = last?.seq ?? 0;
  for (const event of request.events.slice(skip)) {
    seq += 1;
    const body = {
      seq,
      prev,
      at: at.toISOString(),
      run: request.run,
      fence: request.run,
      type: event.type,
      data: event.data,
    };
    const hash = sha256(canonicalJson(body));
    fresh.push({ ...body, hash, ...(signer === null ? {} : { sig: signer.sign(headText({ seq, hash })) }) });
    prev = hash;
  }
  return fresh;
}

/** Bytes of the file; null when there is none. */
function sizeOf(path: string): number | null {
  return statSync(path, { throwIfNoEntry: false })?.size ?? null;
}

/** Bytes from `offset` to the end; null when the file is shorter than that (it was replaced). */
async function readFrom(path: string, offset: number): Promise<Buffer | null> {
  const handle = await open(path, 'r').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  });
  if (handle === null) return offset === 0 ? Buffer.alloc(0) : null;
  try {
    const { size } = await handle.stat();
    if (size < offset) return null;
    const bytes = Buffer.alloc(size - offset);
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, offset);
    return bytes.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** Appends after cutting a torn tail off; returns what was written. */
async function writeLines(path: string, end: number, lines: readonly LedgerLine[]): Promise<Buffer> {
  const text = Buffer.from(lines.map((line) => `${canonicalJson(line)}\n`).join(''));
  const handle: FileHandle = await open(path, 'a', 0o644);
  try {
    await handle.truncate(end);
    await handle.appendFile(text);
    await handle.sync();
    return text;
  } finally {
    await handle.close();
  }
}

function appended(line: LedgerLine | undefined): LedgerAppended {
  return { kind: 'appended', lastSeq: line?.seq ?? 0, headHash: line?.hash ?? GENESIS_HASH };
}

function corrupt(line: number, reason: string): LedgerCorrupt {
  return new LedgerCorrupt(
    `Cannot append to the ledger: line ${String(line)} ${reason}; a7-rt restore SESSION mends it`,
  );
}
