/** `get_current_state`: what changed since the start of the shadow, and what the agent noted (seed 001). */
import type { TranscriptTurn } from '../../core/runtime/compact.ts';
import type { Session } from '../../core/ports/session.ts';
import type { RunToolsInput } from '../../schemas/agent-io.ts';
import { thoughtLine, thoughtsOf } from '../../core/runtime/thoughts.ts';
import { shadowRef } from '../shared/coordinates.ts';
import { counted } from '../../core/text/plural.ts';

const PATHS_SHOWN_MAX = 100;

/** Changed paths of the shadow and thoughts of the turns before, bounded. */
export async function stateText(
  session: Session,
  input: RunToolsInput,
  tree: string,
  before: readonly TranscriptTurn[],
): Promise<string> {
  const base = await session.trees.readRef(shadowRef(input.at, 'base'));
  const changes = base === null ? [] : await session.trees.diff(base, tree);
  const lines = changes.slice(0, PATHS_SHOWN_MAX).map((change) => {
    const verb = change.before === null ? 'added' : change.after === null ? 'deleted' : 'changed';
    return `- ${verb} ${change.path}`;
  });
  const cut = changes.length - lines.length;
  const head =
    changes.length === 0
      ? 'You have changed nothing yet.'
      : `You have changed ${counted(changes.length, 'file')}:`;
  const thoughts = thoughtsOf(before).map(thoughtLine);
  const noted = thoughts.length === 0 ? [] : ['You noted:', ...thoughts];
  return [head, ...lines, ...(cut > 0 ? [`[${String(cut)} more]`] : []), ...noted].join('\n');
}
