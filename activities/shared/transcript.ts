/** Reading and growing a transcript: a hash chain of objects, whose head is all that history holds. */
import type { TranscriptTurn } from '../../core/runtime/compact.ts';
import type { ObjectStore } from '../../core/ports/objects.ts';
import { type ChatMessage, StoredAnswer } from '../../schemas/model.ts';
import { TranscriptLink } from '../../schemas/transcript.ts';

/** Links kept in memory: a transcript is read again at every turn. */
const CACHED_LINKS_MAX = 5_000;
const links = new Map<string, TranscriptLink>();

/** Adds a link and returns the new head. */
export async function extendTranscript(
  objects: ObjectStore,
  prev: string | null,
  turn: number,
  messages: readonly ChatMessage[],
): Promise<string> {
  const link = TranscriptLink.parse({ version: 1, prev, turn, messages });
  const ref = await objects.put(JSON.stringify(link));
  remember(ref, link);
  return ref;
}

/** All turns, oldest first; links of one turn are joined. */
export async function readTranscript(objects: ObjectStore, head: string): Promise<readonly TranscriptTurn[]> {
  const turns: TranscriptTurn[] = [];
  for (let ref: string | null = head; ref !== null;) {
    const link: TranscriptLink = await readLink(objects, ref);
    const newest = turns[0];
    if (newest?.turn === link.turn)
      turns[0] = { turn: link.turn, messages: [...link.messages, ...newest.messages] };
    else turns.unshift({ turn: link.turn, messages: link.messages });
    ref = link.prev;
  }
  return turns;
}

/** The stored answer of a model call. */
export async function readAnswer(objects: ObjectStore, ref: string): Promise<StoredAnswer> {
  return StoredAnswer.parse(JSON.parse(Buffer.from(await objects.get(ref)).toString('utf8')));
}

async function readLink(objects: ObjectStore, ref: string): Promise<TranscriptLink> {
  const known = links.get(ref);
  if (known !== undefined) return known;
  const link = TranscriptLink.parse(JSON.parse(Buffer.from(await objects.get(ref)).toString('utf8')));
  remember(ref, link);
  return link;
}

function remember(ref: string, link: TranscriptLink): void {
  if (links.size >= CACHED_LINKS_MAX) links.clear();
  links.set(ref, link);
}
