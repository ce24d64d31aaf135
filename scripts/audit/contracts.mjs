// Contracts as each commit knew them: the objects that `contractsRef` names, by the line from which they count.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord, parsed, sha256 } from './json.mjs';

const CHECK = 'contracts';

/** `at(seq)` gives the resolved contracts that counted at a line, or an empty list; `layers` are the packages of all seeds. */
export function readContracts(dir, lines, found) {
  const books = lines
    .filter((line) => line.type === 'seeded' || line.type === 'contract_changed')
    .map((line) => ({ seq: line.seq, ...readBook(dir, line.data.contractsRef, found) }));
  found.done(CHECK, `${books.length} seed${books.length === 1 ? '' : 's'}`);
  return {
    at: (seq) => books.findLast((book) => book.seq <= seq)?.contracts ?? [],
    layers: books.flatMap((book) => (isRecord(book.layer) ? [book.layer] : [])),
  };
}

function readBook(dir, ref, found) {
  const hex = /^sha256:([0-9a-f]{64})$/u.exec(ref)?.[1];
  const path = join(dir, 'objects', hex?.slice(0, 2) ?? '', hex?.slice(2) ?? '');
  let bytes;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    found.fail(CHECK, ref, `cannot be read: ${error.code ?? error.message}`);
    return { contracts: [], layer: null };
  }
  if (sha256(bytes) !== ref) found.fail(CHECK, ref, 'does not hash to its name');
  const book = parsed(bytes.toString('utf8'));
  if (isRecord(book) && Array.isArray(book.resolved))
    return { contracts: book.resolved, layer: book.layer ?? null };
  found.fail(CHECK, ref, 'holds no resolved contracts');
  return { contracts: [], layer: null };
}
