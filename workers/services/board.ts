/** `board` and `graph`: what a manager sees and may do, and the picture of the graph; both read files only. */
import { nodesOfGraph } from '../../core/graph/drawn.ts';
import { boardView } from '../../core/board/board-view.ts';
import type { DrawnGraph } from '../../core/graph/draw.ts';
import type { BoardReport, Result } from '../../core/ports/services.ts';
import { legalMoves } from '../../core/stage/legal-moves.ts';
import { waitingFor } from '../../core/stage/waiting.ts';
import { sumUsage } from '../../adapters/model/usage-report.ts';
import { failed, findToRead } from './common.ts';
import { withSession } from './open-session.ts';
import { inShell, typed } from '../../core/text/typed.ts';

/** A person reads the whole board: no budget of tokens cuts it. */
const ALL_TOKENS = 10_000_000;

export async function board(dir: string): Promise<Result<BoardReport>> {
  const found = await findToRead(dir);
  if (!found.ok) return found;
  const read = await withSession(found.value.dir, async (session) => {
    const doc = await session.doc();
    if (doc.state.run === null) return null;
    const { resolved } = await session.book();
    return {
      board: boardView(doc, resolved, ALL_TOKENS),
      moves: legalMoves(doc.state).map(({ typed }) => typed),
      waiting: waitingFor(doc).map((each) => ({
        ...each,
        command: each.command.replace('SESSION', () => inShell(dir)),
      })),
      phase: doc.state.run.phase,
      manager: doc.state.run.options.manager,
      usage: (await sumUsage(session.dir)).total,
    };
  });
  if (!read.ok) return read;
  if (read.value === null)
    return failed(2, `Cannot show the board of "${dir}": no stage was ever run`, typed`a7-rt run ${dir}`);
  return { ok: true, value: read.value };
}

export async function graph(dir: string): Promise<Result<DrawnGraph>> {
  const found = await findToRead(dir);
  if (!found.ok) return found;
  return withSession(found.value.dir, async (session) => nodesOfGraph((await session.doc()).state));
}
