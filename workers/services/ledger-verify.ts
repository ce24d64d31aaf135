/** `ledger verify`: the hash chain, the fold against `master.json` byte for byte (G7), and every other copy of what it tells. */
import { counted } from '../../core/text/plural.ts';
import { readFile } from 'node:fs/promises';
import { sha256 } from '../../adapters/system/sha256.ts';
import { errorCode } from '../../core/text/error-text.ts';
import { type SessionPaths, sessionPaths } from '../../adapters/store/session.ts';
import { foldLines } from '../../core/ledger/fold-session.ts';
import { prettyJson } from '../../core/text/canonical.ts';
import { type ParsedLedger, parseLedger } from '../../core/ledger/lines.ts';
import { eachFailureOnce } from '../../core/ledger/retry-context.ts';
import { renderMaster } from '../../core/ledger/render-master.ts';
import { emptyDoc } from '../../core/ledger/session-doc.ts';
import type { LedgerReport, Result } from '../../core/ports/services.ts';
import { Master } from '../../schemas/master.ts';
import { createObjectFiles } from '../../adapters/store/objects.ts';
import { StoredBook } from '../../schemas/stored-book.ts';
import { keyIdOf, readPublicKey } from '../../adapters/keys/key-files.ts';
import { createSessionKeys } from '../../adapters/keys/session-keys.ts';
import { homeFolder } from '../../adapters/temporal/home.ts';
import { signatureReport } from '../../core/record/signatures.ts';
import { type Surroundings, failed, findToRead } from './common.ts';
import { withSession } from './open-session.ts';
import { damageOf } from './session-damage.ts';
import { type RecordCheck, checkRecord } from './record/check-record.ts';
import { typed } from '../../core/text/typed.ts';
import { strictJson } from '../../core/text/strict-json.ts';

/** Checks chain, fold and record; a session that was only initialised has nothing to compare. `key`: id or file of the only key that is believed. */
export async function ledgerVerify(
  dir: string,
  key: string | null = null,
  env: Surroundings['env'] = process.env,
): Promise<Result<LedgerReport>> {
  const found = await findToRead(dir);
  if (!found.ok) return found;
  const wanted = key === null ? null : wantedKey(key);
  if (wanted === undefined)
    return failed(
      2,
      `Cannot check signatures: "${key ?? ''}" is no key id and no file with an ed25519 public key`,
    );
  const paths = sessionPaths(found.value.dir);
  const damage = damageOf(paths);
  if (damage !== null) return failed(2, `Cannot verify the ledger: ${damage}`, typed`a7-rt restore ${dir}`);
  const parsed = parseLedger(await readFile(paths.ledger, 'utf8').catch(() => ''), sha256);
  const chain = parsed.fault === null ? ('valid' as const) : ('broken' as const);
  const base = { lines: parsed.lines.length, headHash: parsed.lines.at(-1)?.hash ?? '', chain };
  if (parsed.fault !== null) {
    const detail = `line ${String(parsed.fault.line)} ${parsed.fault.reason}`;
    const nothing = { signedBy: null, keys: [], findings: [], notes: [] };
    return { ok: true, value: { ...base, ...nothing, fold: 'different', detail } };
  }
  const { fold, detail } = await compareFold(paths, parsed);
  const torn =
    parsed.tornBytes === 0 ? '' : `${String(parsed.tornBytes)} bytes of a torn last line are ignored`;
  const record = await recordOf(found.value, parsed.lines, wanted, env);
  return {
    ok: true,
    value: {
      ...base,
      fold,
      detail: [detail, torn].filter((each) => each !== '').join('; '),
      signedBy: record.signedBy,
      keys: record.keys,
      findings: record.findings,
      notes: record.notes,
    },
  };
}

/** A wrong signature keeps the session closed, so that one is told without opening it. */
async function recordOf(
  { dir, id }: { readonly dir: string; readonly id: string },
  lines: ParsedLedger['lines'],
  wanted: string | null,
  env: Surroundings['env'],
): Promise<RecordCheck> {
  const keys = createSessionKeys({
    home: homeFolder(env),
    dir,
    travelling: sessionPaths(dir).keys,
    sessionId: id,
  });
  const signatures = signatureReport(lines, keys.ring(), keys.anchor(), wanted);
  const isForged = signatures.findings.some((each) => each.subject !== 'ledger');
  if (isForged) return { ...signatures, notes: [] };
  const checked = await withSession(dir, (session) => checkRecord(session, wanted), env);
  return checked.ok ? checked.value : { ...signatures, notes: [checked.problems[0]?.message ?? ''] };
}

/** Key id of what was given; undefined: it is none. */
function wantedKey(given: string): string | undefined {
  if (/^[0-9a-f]{32}$/.test(given)) return given;
  const key = readPublicKey(given);
  return key === null ? undefined : keyIdOf(key);
}

async function compareFold(
  { master: masterPath, objects, spareObjects }: SessionPaths,
  parsed: ParsedLedger,
): Promise<Pick<LedgerReport, 'fold' | 'detail'>> {
  const text = await readFile(masterPath, 'utf8').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  });
  if (text === null) {
    return parsed.lines.length === 0
      ? { fold: 'equal', detail: 'nothing is seeded' }
      : { fold: 'behind', detail: 'there is no master.json' };
  }
  const master = Master.safeParse(strictJson(text));
  if (!master.success) return { fold: 'different', detail: 'master.json cannot be read' };
  const { seq } = master.data;
  const doc = foldLines(emptyDoc, parsed.lines.slice(0, seq));
  if (doc.state.seq !== seq || doc.contractsRef === null)
    return { fold: 'different', detail: `master.json is at ${String(seq)}, the ledger ends before` };
  const bytes = await createObjectFiles({ dir: objects, spareDir: spareObjects }).get(doc.contractsRef);
  const book = StoredBook.parse(JSON.parse(Buffer.from(bytes).toString('utf8')));
  const rendered = prettyJson(renderMaster(doc, book.resolved));
  if (rendered !== text && rendered === withoutRepeats(master.data))
    return {
      fold: 'behind',
      detail: 'master.json was written by an older version: the next run writes it anew',
    };
  if (rendered !== text) {
    return { fold: 'different', detail: `master.json is not the fold of the first ${counted(seq, 'line')}` };
  }
  const behind = parsed.lines.length - seq;
  return behind === 0
    ? { fold: 'equal', detail: '' }
    : {
        fold: 'behind',
        detail: `master.json is the fold at ${String(seq)}, ${counted(behind, 'line')} behind`,
      };
}

/** Older versions wrote a failure down once for each event that told it. */
function withoutRepeats(master: Master): string {
  const nodes = Object.fromEntries(
    Object.entries(master.nodes).map(([id, node]) => [
      id,
      { ...node, retry_context: eachFailureOnce(node.retry_context) },
    ]),
  );
  return prettyJson({ ...master, nodes });
}
