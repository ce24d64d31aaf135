/** The server's memory: every request in order; with a folder, on disk and read again after a restart. */
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { placeOf } from '../../core/scripted-model/match.ts';
import { ServedRequest } from '../../schemas/model-record.ts';
import { strictJson } from '../../core/text/strict-json.ts';

/** What was asked. `body` is the canonical request, or the raw text where it was refused. */
export interface RecordedRequest {
  readonly body: string;
  readonly model: string;
  readonly streamed: boolean;
}

export interface ServedRecord {
  all(): readonly ServedRequest[];
  /** Writes a request down; returns only when it is in the file, so that an answer never goes out unrecorded. */
  add(
    entry: Omit<ServedRequest, 'sequence' | 'requestHash' | 'model' | 'streamed'>,
    request: RecordedRequest,
  ): ServedRequest;
  /** Places that have a rule, by `placeOf`. */
  bindings(): ReadonlyMap<string, number>;
  /** Faults played at a place so far. */
  faultsAt(place: string): number;
}

/** Opens the record; `dir` null keeps it in memory. A torn last line is left out. */
export function openRecord(dir: string | null): ServedRecord {
  const entries = dir === null ? [] : readEntries(join(dir, 'requests.jsonl'));
  return {
    all: () => entries,
    add(entry, { body, model, streamed }) {
      const digest = createHash('sha256').update(body).digest('hex');
      const sequence = entries.length + 1;
      const served = ServedRequest.parse({
        ...entry,
        sequence,
        requestHash: `sha256:${digest}`,
        model,
        streamed,
      });
      if (dir !== null) writeEntry(dir, served, digest, body);
      entries.push(served);
      return served;
    },
    bindings: () =>
      new Map(
        entries.flatMap((entry) => (entry.rule === null ? [] : [[placeOf(entry.coordinates), entry.rule]])),
      ),
    faultsAt: (place) =>
      entries.filter((entry) => entry.outcome === 'fault' && placeOf(entry.coordinates) === place).length,
  };
}

function writeEntry(dir: string, entry: ServedRequest, digest: string, body: string): void {
  mkdirSync(join(dir, 'bodies'), { recursive: true });
  const bodyPath = join(dir, 'bodies', `${digest}.json`);
  if (!existsSync(bodyPath)) writeFileSync(bodyPath, body);
  const line = JSON.stringify(entry);
  appendFileSync(join(dir, 'requests.jsonl'), `${line}\n`);
}

function readEntries(path: string): ServedRequest[] {
  if (!existsSync(path)) return [];
  const text = readFileSync(path, 'utf8');
  if (text !== '' && !text.endsWith('\n')) appendFileSync(path, '\n');
  return text.split('\n').flatMap((line) => {
    const parsed = ServedRequest.safeParse(strictJson(line));
    return parsed.success ? [parsed.data] : [];
  });
}
