/**
 * Text of `events.jsonl` to checked lines (G7).
 *  L1. Sequence numbers run from 1 without gaps; each line carries the hash of the one before it.
 *     Once a line is signed, so is every one after it: nobody adds a line without a key (signatures: `core/record/dsse.ts`).
 *  L2. Only the tail may be torn: bytes after the last newline are a crash in the middle of a write, no event.
 */
import { LedgerEvent, LedgerLine } from '../../schemas/ledger.ts';
import { canonicalJson } from '../text/canonical.ts';
import { strictJson } from '../text/strict-json.ts';

/** `prev` of the first line. */
export const GENESIS_HASH = `sha256:${'0'.repeat(64)}`;

export interface ParsedLedger {
  readonly lines: readonly LedgerLine[];
  /** Bytes (UTF-8) behind the last newline. */
  readonly tornBytes: number;
  readonly fault: { readonly line: number; readonly reason: string } | null;
}

/** Whether a line's event is one of the ledger's kind: a session's, or an order's. */
export type KnowsEvent = (line: LedgerLine) => boolean;

/**
 * Parses and checks the text that follows the lines `before`; stops at the first fault. `hash` gives `sha256:` and hex
 * digits of a text.
 */
export function parseLedger(
  text: string,
  hash: (text: string) => string,
  before: readonly LedgerLine[] = [],
  knows: KnowsEvent = (line) => readEvent(line) !== null,
): ParsedLedger {
  const rows = text.split('\n');
  const tail = rows.pop() ?? '';
  const tornBytes = utf8Length(tail);
  const lines: LedgerLine[] = [...before];
  let prev = before.at(-1)?.hash ?? GENESIS_HASH;
  for (const row of rows) {
    const seq = lines.length + 1;
    const checked = checkRow(row, seq, prev, hash, knows);
    if (typeof checked === 'string') return { lines, tornBytes, fault: { line: seq, reason: checked } };
    if (checked.sig === undefined && lines.at(-1)?.sig !== undefined)
      return { lines, tornBytes, fault: { line: seq, reason: 'is not signed, and the line before it is' } };
    lines.push(checked);
    prev = checked.hash;
  }
  return { lines, tornBytes, fault: null };
}

function checkRow(
  row: string,
  seq: number,
  prev: string,
  hash: (text: string) => string,
  knows: KnowsEvent,
): LedgerLine | string {
  const parsed = strictJson(row);
  if (parsed === undefined) return 'is not JSON';
  const line = LedgerLine.safeParse(parsed);
  if (!line.success) return 'is no ledger line';
  if (line.data.seq !== seq) return `has sequence number ${String(line.data.seq)}, expected ${String(seq)}`;
  if (line.data.prev !== prev) return 'does not follow the line before it (hash chain broken)';
  const { hash: stated, sig: _sig, ...body } = line.data;
  if (hash(canonicalJson(body)) !== stated) return 'was changed after it was written (hash does not match)';
  if (!knows(line.data)) return `holds an event "${line.data.type}" that this version does not know`;
  return line.data;
}

/** The event of a checked line. @throws {RangeError} for a line that was not checked and holds none. */
export function eventOf(line: LedgerLine): LedgerEvent {
  const event = readEvent(line);
  if (event === null) throw new RangeError(`Cannot read line ${String(line.seq)}: it holds no event`);
  return event;
}

/** Older versions wrote signals down as they came: what does not read as an input is a refused one. */
const WRITTEN_UNPARSED: readonly string[] = ['input_received', 'input_consumed'];
const SHOWN_MAX_CHARS = 1000;

function readEvent({ seq, type, data }: LedgerLine): LedgerEvent | null {
  const event = LedgerEvent.safeParse({ type, data });
  if (event.success) return event.data;
  if (!WRITTEN_UNPARSED.includes(type)) return null;
  const shown = canonicalJson(data).slice(0, SHOWN_MAX_CHARS);
  const reason = 'An older version wrote it down without reading it';
  return { type: 'input_refused', data: { id: `line-${String(seq)}`, by: 'unknown', shown, reason } };
}

function utf8Length(text: string): number {
  let bytes = 0;
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}
