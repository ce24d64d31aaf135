/** `run --interactive`: the board when a move is due, and what is typed below it is a move, an answer or a message. */
import { createInterface } from 'node:readline';
import { isWaitingForMove } from '../../core/stage/waiting.ts';
import type { StageState } from '../../core/stage/types.ts';
import type { CliParts } from '../cli-parts.ts';
import { board } from './board.ts';
import { input } from './message.ts';

export interface TypedMoves {
  /** Shows the board where a move is due that it was not shown for. */
  onState(state: StageState): void;
  close(): void;
}

/** Reads stdin line by line, in its order, until it is closed. An answer to a node begins with `@NODE `. */
export function typedMoves(parts: CliParts, dir: string): TypedMoves {
  const lines = createInterface({ input: process.stdin, terminal: false });
  let shownTurn = -1;
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = (work: () => Promise<unknown>): void => {
    last = last.then(work).catch((error: unknown) => {
      process.stderr.write(`${String(error)}\n`);
    });
  };
  lines.on('line', (line) => {
    const text = line.trim();
    if (text === '') return;
    const [, node, answer] = /^@(\S+)\s+(.+)$/u.exec(text) ?? [];
    inTurn(() =>
      text === 'board'
        ? board(parts, dir, {})
        : input(parts, dir, [answer ?? text], node === undefined ? {} : { node }),
    );
  });
  return {
    onState(state) {
      const turn = state.run?.turn ?? 0;
      if (!isWaitingForMove(state) || turn === shownTurn) return;
      shownTurn = turn;
      inTurn(() => board(parts, dir, {}));
    },
    close: () => lines.close(),
  };
}
