/** Files that show an agent's work beside its verdict: snapshot, patch, agent log, build notes (design part 8, artifacts). */
import { type BuildNotes, agentLogText, buildNotesText } from '../../core/artifacts/work-files.ts';
import type { GateArtifact } from '../../core/ports/gate.ts';
import type { Session } from '../../core/ports/session.ts';
import type { SnapshotRecord } from '../../schemas/artifacts.ts';
import { readTranscript } from './transcript.ts';

export interface ShownWork {
  /** Head of the transcript; null when the agent said nothing. */
  readonly head: string | null;
  readonly snapshot: Omit<SnapshotRecord, 'version' | 'changed'>;
  readonly notes: Omit<BuildNotes, 'changed'>;
}

/** The files of one moment of an agent's work. A part that cannot be read is named in the file that stands for it. */
export async function workFiles(session: Session, shown: ShownWork): Promise<readonly GateArtifact[]> {
  const { start, work } = shown.snapshot;
  const changed = (await session.trees.diff(start, work)).map((each) => each.path);
  const snapshot: SnapshotRecord = { version: 1, ...shown.snapshot, changed };
  return [
    text('snapshot.json', `${JSON.stringify(snapshot, null, 2)}\n`),
    { name: 'patch.diff', bytes: await orReason(session.trees.patch(start, work)) },
    { name: 'agent-log.jsonl', bytes: await orReason(logOf(session, shown.head)) },
    text('build-notes.md', buildNotesText({ ...shown.notes, changed })),
  ];
}

async function logOf(session: Session, head: string | null): Promise<Uint8Array> {
  return bytes(head === null ? '' : agentLogText(await readTranscript(session.objects, head)));
}

/** A verdict is never held up by a record of it. */
async function orReason(part: Promise<Uint8Array>): Promise<Uint8Array> {
  return part.catch((error: unknown) =>
    bytes(`This part could not be made: ${error instanceof Error ? error.message : String(error)}\n`),
  );
}

function text(name: string, content: string): GateArtifact {
  return { name, bytes: bytes(content) };
}

function bytes(content: string): Uint8Array {
  return new TextEncoder().encode(content);
}
