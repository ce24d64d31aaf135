/** The ledger of a damaged session: from its copy, or cut before a line that cannot be read; what was there is kept aside. */
import { existsSync, readFileSync, readdirSync, renameSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { isShorterThanCopy } from '../../adapters/store/ledger-copy.ts';
import { sha256 } from '../../adapters/system/sha256.ts';
import { writeDurably } from '../../adapters/system/files.ts';
import type { SessionPaths } from '../../adapters/store/session.ts';
import { type ParsedLedger, parseLedger } from '../../core/ledger/lines.ts';
import type { Failed, RestoredPart } from '../../core/ports/services.ts';
import type { KeyRing } from '../../core/ports/signing.ts';
import { headText } from '../../core/record/dsse.ts';
import { counted } from '../../core/text/plural.ts';
import { failed } from './common.ts';
import { typed } from '../../core/text/typed.ts';

export interface LedgerToRestore {
  readonly paths: SessionPaths;
  readonly ring: KeyRing;
  readonly cut: boolean;
  /** The session as the person named it. */
  readonly shown: string;
}

/** Null: it is whole. */
export async function restoreLedger(ask: LedgerToRestore): Promise<RestoredPart | Failed | null> {
  const { paths, ring, cut, shown } = ask;
  const main = readLedger(paths.ledger, ring);
  const copy = readLedger(paths.ledgerCopy, ring);
  const good = copy.parsed.lines.length;
  const isBetter = copy.parsed.fault === null && good > 0;
  if (main.parsed.fault === null && main.parsed.lines.length >= good) return copyAnew(paths);
  if (isBetter && good >= main.parsed.lines.length) {
    const aside = setAside(paths.ledger);
    await writeDurably(paths.ledger, textOf(copy, good));
    return restored(`${counted(good, 'line')} from its copy${aside}`);
  }
  // What is left cannot be read to its end: the ledger, or where that is gone its copy.
  const source = main.parsed.fault === null ? copy : main;
  const { line, reason } = source.parsed.fault ?? {
    line: source.parsed.lines.length + 1,
    reason: 'is not there',
  };
  if (!cut)
    return failed(
      2,
      `Cannot restore the ledger: line ${String(line)} ${reason}, and no copy is better`,
      `${reason.includes('does not know') ? 'Use the version that wrote it; or ' : ''}${typed`a7-rt restore ${shown} --cut`} ends it after line ${String(line - 1)}: grounded work and paid answers stay`,
    );
  const kept = textOf(source, line - 1);
  // The copy first: killed in between, the ledger is still the one that has to be cut.
  await writeDurably(paths.ledgerCopy, kept);
  const aside = setAside(paths.ledger);
  await writeDurably(paths.ledger, kept);
  return restored(`ends after line ${String(line - 1)} now${aside}`);
}

/** A copy that holds more bytes and no more lines than a whole ledger follows it again. */
async function copyAnew({ ledger, ledgerCopy }: SessionPaths): Promise<RestoredPart | null> {
  if (!isShorterThanCopy(ledger, ledgerCopy)) return null;
  await writeDurably(ledgerCopy, readFileSync(ledger));
  return { part: '.a7/spare', state: 'restored', detail: 'the copy of the ledger follows it again' };
}

interface Read {
  readonly rows: readonly string[];
  readonly parsed: ParsedLedger;
}

function readLedger(path: string, ring: KeyRing): Read {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const parsed = parseLedger(text, sha256);
  const last = parsed.lines.at(-1);
  const isForged =
    parsed.fault === null &&
    last?.sig !== undefined &&
    ring.check(headText(last), last.sig).status === 'wrong';
  const fault = { line: last?.seq ?? 1, reason: 'carries a signature that its key did not make' };
  return {
    rows: text.split('\n'),
    parsed: isForged ? { ...parsed, lines: parsed.lines.slice(0, -1), fault } : parsed,
  };
}

function textOf({ rows }: Read, lines: number): string {
  return lines === 0 ? '' : `${rows.slice(0, lines).join('\n')}\n`;
}

/** Nothing is thrown away: the file as it was gets another name. */
function setAside(path: string): string {
  if (!existsSync(path)) return '';
  const prefix = `${basename(path)}.damaged-`;
  const number = readdirSync(dirname(path)).filter((name) => name.startsWith(prefix)).length + 1;
  renameSync(path, `${path}.damaged-${String(number)}`);
  return `; what was there is ${prefix}${String(number)}`;
}

function restored(detail: string): RestoredPart {
  return { part: 'events.jsonl', state: 'restored', detail };
}
