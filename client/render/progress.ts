/** Live progress of a run: events as lines; in a terminal one more line below them that changes every second. */
import { colors } from './colors.ts';
import type { RunNotice } from '../../core/ports/services.ts';
import { eventOf } from '../../core/ledger/lines.ts';
import { storyOf } from '../../core/ledger/story.ts';
import { isWaitingForMove } from '../../core/stage/waiting.ts';
import type { StageState } from '../../core/stage/types.ts';
import type { LedgerLine } from '../../schemas/ledger.ts';
import { plainText } from './plain.ts';
import { durationText } from './text.ts';
import { typed } from '../../core/text/typed.ts';

/** Where progress is written. */
export interface ProgressSink {
  readonly isTTY: boolean;
  /** Width of the terminal; a longer live line would wrap and could not be cleared. */
  columns(): number | undefined;
  write(text: string): void;
}

/** How often the live line changes. */
const TICK_MS = 1_000;
const COLUMNS_DEFAULT = 80;
const CLEAR_LINE = '\r\u001b[2K';

export interface Progress {
  notice(notice: RunNotice): void;
  end(): void;
}

/** Progress on `sink`. `nowMs` is the clock. */
export function createProgress(sink: ProgressSink, nowMs: () => number, dir: string): Progress {
  let toldTurn = -1;
  const began = nowMs();
  const since = new Map<string, number>();
  let state: StageState | null = null;
  const print = (text: string): void => {
    sink.write(`${sink.isTTY ? CLEAR_LINE : ''}${text}\n`);
    draw();
  };
  const draw = (): void => {
    // A terminal that does not know its size says 0.
    const known = sink.columns() ?? 0;
    const room = (known > 0 ? known : COLUMNS_DEFAULT) - 1;
    if (sink.isTTY)
      sink.write(`${CLEAR_LINE}${colors.dim(liveLine(state, since, nowMs, began).slice(0, room))}`);
  };
  const timer = sink.isTTY ? setInterval(draw, TICK_MS) : null;
  return {
    notice(notice) {
      switch (notice.kind) {
        case 'state':
          state = notice.state;
          rememberAgents(notice.state, since, nowMs());
          if (isWaitingForMove(notice.state) && notice.state.run?.turn !== toldTurn) {
            toldTurn = notice.state.run?.turn ?? -1;
            print(
              `${colors.yellow('waits')} for a person: turn ${String(toldTurn)}, a move is due\n${colors.dim('next')}  ${typed`a7-rt board ${dir}`}`,
            );
          }
          return;
        case 'line': {
          const text = storyOf(notice.line);
          if (text !== null) print(`${colors.dim(notice.line.at.slice(11, 19))} ${plainText(text)}`);
          const asking = asksPerson(notice.line);
          if (asking !== null)
            print(`${colors.dim('next')}${typed`  a7-rt input ${dir} --node ${asking} "your answer"`}`);
          return;
        }
        case 'said': {
          print(plainText(notice.text));
          return;
        }
        case 'page': {
          print(`${colors.dim('watch')} ${notice.url}`);
          return;
        }
      }
    },
    end() {
      if (timer !== null) clearInterval(timer);
      if (sink.isTTY) sink.write(CLEAR_LINE);
    },
  };
}

/** The node whose agent has just asked a person something; its question is told by the line itself. */
function asksPerson(line: LedgerLine): string | null {
  const event = eventOf(line);
  return event.type === 'suspended' && event.data.type === 'far' ? event.data.nodeId : null;
}

function rememberAgents(state: StageState, since: Map<string, number>, nowMs: number): void {
  for (const id of since.keys()) if (!(id in state.open)) since.delete(id);
  for (const id of Object.keys(state.open)) if (!since.has(id)) since.set(id, nowMs);
}

function liveLine(
  state: StageState | null,
  since: ReadonlyMap<string, number>,
  nowMs: () => number,
  began: number,
): string {
  const elapsed = durationText(nowMs() - began);
  if (state === null || state.run === null) return `${elapsed} · starting`;
  const { run } = state;
  const nodes = Object.values(state.nodes).filter((node) => node.stage === run.stage);
  const grounded = nodes.filter((node) => node.status === 'grounded').length;
  const agents = Object.values(state.open).map(
    ({ record }) =>
      `${record.nodeId} (${record.role.replace('_', ' ')}, ${durationText(nowMs() - (since.get(record.dispatchId) ?? nowMs()))})`,
  );
  const work = agents.length === 0 ? run.phase : agents.join(', ');
  return `${elapsed} · ${run.stage}: ${String(grounded)} of ${String(nodes.length)} grounded · ${work}`;
}
