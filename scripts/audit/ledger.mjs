// events.jsonl: every line parses, numbers run from 1 without gaps, each line carries the hash of the one before it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { canonical, GENESIS, isRecord, parsed, sha256 } from './json.mjs';

const CHECK = 'ledger chain';
const FIELDS = ['at', 'data', 'fence', 'hash', 'prev', 'run', 'seq', 'type'];

/** Lines up to the first fault; what stands behind a broken line proves nothing. */
export function readLedger(dir, found) {
  const bytes = readFileSync(join(dir, 'events.jsonl'));
  const rows = bytes.toString('utf8').split('\n');
  const tail = rows.pop();
  if (tail !== '') {
    found.note(
      CHECK,
      'tail',
      `${Buffer.byteLength(tail)} bytes behind the last line are torn: no event, cut by the next append`,
    );
  }
  const lines = [];
  let prev = GENESIS;
  for (const [index, row] of rows.entries()) {
    const fault = faultOf(row, index + 1, prev);
    if (fault !== null) {
      found.fail(CHECK, `line ${index + 1}`, fault);
      break;
    }
    const line = JSON.parse(row);
    lines.push(line);
    prev = line.hash;
  }
  checkFences(lines, found);
  found.done(CHECK, `${lines.length} lines, head ${prev.slice(0, 19)}`);
  return { lines, headHash: prev, isWhole: lines.length === rows.length };
}

function faultOf(row, seq, prev) {
  const line = parsed(row);
  if (!isRecord(line) || !isRecord(line.data)) return 'is no ledger line';
  const { sig, ...unsigned } = line;
  if (Object.keys(unsigned).sort().join() !== FIELDS.join())
    return `has fields ${Object.keys(line).sort().join(', ')}`;
  if (line.seq !== seq) return `has sequence number ${line.seq}, expected ${seq}`;
  if (line.prev !== prev) return 'does not carry the hash of the line before it';
  if (sig !== undefined && !isRecord(sig)) return 'has a signature that is none';
  const { hash, ...body } = unsigned;
  if (sha256(canonical(body)) !== hash)
    return 'does not hash to what it says: it was changed after it was written';
  return null;
}

/** A run that was superseded writes nothing more. */
function checkFences(lines, found) {
  let fence = 0;
  for (const line of lines) {
    if (line.type === 'run_opened') {
      if (line.data.run <= fence)
        found.fail(CHECK, `line ${line.seq}`, `opens run ${line.data.run} after run ${fence}`);
      fence = Math.max(fence, line.data.run);
    }
    if (line.run !== 0 && line.run < fence)
      found.fail(CHECK, `line ${line.seq}`, `was written by run ${line.run} after run ${fence} opened`);
  }
}
