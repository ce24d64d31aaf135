/** Names of fields that the door reads. Some endpoints take a name in any writing, the last one counting: there must be no second. Pure. */
import { isRecord } from '../text/is-record.ts';

const READ = new Set(
  (
    'type role content output summary source url image_url file file_id file_url file_data tools execution environment ' +
    'media_type data'
  ).split(' '),
);

/** A field whose name is read as another one by whoever ignores case; undefined for none. */
function otherWriting(record: Readonly<Record<string, unknown>>): string | undefined {
  return Object.keys(record).find((name) => {
    // Both ways: letters like the long s have only one of them.
    const plain = name.toUpperCase().toLowerCase();
    return plain !== name && READ.has(plain);
  });
}

/** Why a record with such a field may not leave; null where it has none, or is none. */
export function writingProblem(value: unknown): string | null {
  const name = isRecord(value) ? otherWriting(value) : undefined;
  return name === undefined
    ? null
    : `The field "${name.slice(0, 60)}" is another one for an endpoint that ignores case: write it in small letters`;
}
