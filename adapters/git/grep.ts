/**
 * Searches a tree. The pattern comes from a model: `(a+)+$` would hold the process for ever. Matching therefore runs in a
 * call with a deadline that V8 enforces inside the regular expression (`vm` with `timeout`), in slices between which the
 * process does other work; the whole search has one budget.
 */
import { createContext, Script } from 'node:vm';
import type { TreeEntry } from '../../core/ports/git.ts';
import { type GrepCuts, type LineMatch, type LinePattern, searchText } from '../../core/shadow/grep.ts';
import {
  GREP_BUDGET_MS,
  GREP_MAX_FILE_BYTES,
  GREP_MAX_MATCHES,
  GREP_MAX_TOTAL_BYTES,
} from '../../core/shadow/limits.ts';
import { errorCode } from '../../core/text/error-text.ts';
import { decodeText } from './text.ts';

export type GrepOutcome =
  | { readonly status: 'found'; readonly matches: readonly LineMatch[]; readonly cuts: GrepCuts }
  | { readonly status: 'too_slow' }
  /** V8 cannot run the pattern: too large once it is compiled, or too deep. */
  | { readonly status: 'refused'; readonly rule: string };

/** Files between two pauses. */
const SLICE_FILES = 250;

/** Matching lines in the order of the files; one more than is shown, so that the text can say that there are more. */
export async function grepFiles(
  entries: readonly TreeEntry[],
  pattern: LinePattern,
  readBlob: (oid: string) => Promise<Buffer>,
): Promise<GrepOutcome> {
  const matches: LineMatch[] = [];
  const tooLarge: string[] = [];
  let bytes = 0;
  let leftMs = GREP_BUDGET_MS;
  for (let at = 0; at < entries.length && matches.length <= GREP_MAX_MATCHES; at += SLICE_FILES) {
    if (bytes > GREP_MAX_TOTAL_BYTES)
      return { status: 'found', matches, cuts: { tooLarge, bytesLimit: true } };
    const slice = await readSlice(entries.slice(at, at + SLICE_FILES), readBlob);
    for (const file of slice) bytes += file.body.length;
    tooLarge.push(...slice.filter((file) => file.body.length > GREP_MAX_FILE_BYTES).map((file) => file.path));
    const started = performance.now();
    const stopped = withDeadline(Math.max(1, Math.ceil(leftMs)), () => searchSlice(slice, pattern, matches));
    if (stopped !== null) return stopped;
    leftMs -= performance.now() - started;
  }
  return { status: 'found', matches, cuts: { tooLarge, bytesLimit: false } };
}

interface LoadedFile {
  readonly path: string;
  readonly body: Buffer;
}

function readSlice(
  entries: readonly TreeEntry[],
  readBlob: (oid: string) => Promise<Buffer>,
): Promise<LoadedFile[]> {
  return Promise.all(entries.map(async ({ path, oid }) => ({ path, body: await readBlob(oid) })));
}

function searchSlice(slice: readonly LoadedFile[], pattern: LinePattern, matches: LineMatch[]): void {
  for (const { path, body } of slice) {
    const text = body.length > GREP_MAX_FILE_BYTES ? null : decodeText(body);
    if (text === null) continue;
    matches.push(...searchText(pattern, path, text, GREP_MAX_MATCHES + 1 - matches.length));
    if (matches.length > GREP_MAX_MATCHES) return;
  }
}

type Work = () => void;

/** One context for all calls: making one costs a millisecond. The script's text is fixed; no input is ever evaluated. */
const BOX = createContext({});
const CALL = new Script('work()');

type Stopped = Exclude<GrepOutcome, { readonly status: 'found' }>;

/** Runs `work`; null when it ended, else what stopped it in the middle. */
function withDeadline(timeoutMs: number, work: Work): Stopped | null {
  BOX['work'] = work;
  try {
    CALL.runInContext(BOX, { timeout: timeoutMs });
    return null;
  } catch (error) {
    if (errorCode(error) === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return { status: 'too_slow' };
    // A regular expression is compiled when it first runs; `instanceof` does not work across contexts.
    const text = String(error);
    if (/^(SyntaxError|RangeError|InternalError)\b/.test(text)) return { status: 'refused', rule: text };
    throw error;
  }
}
