/** `board`, `act` and `graph`: what a manager sees, a move made by hand, and the picture of the graph. */
import type { BoardReport, ExitCode } from '../../core/ports/services.ts';
import { counted } from '../../core/text/plural.ts';
import type { CliParts } from '../cli-parts.ts';
import { colors } from '../render/colors.ts';
import { statusText, table, usageText } from '../render/text.ts';
import { type JsonOption, report } from './common.ts';
import { told } from './message.ts';
import { writeNamed } from '../named-file.ts';
import { typed } from '../../core/text/typed.ts';

export interface GraphOptions extends JsonOption {
  readonly format: 'text' | 'mermaid' | 'svg';
  readonly out?: string;
}

/** Nodes, what is due, and every legal move as it is typed. */
export async function board(parts: CliParts, dir: string, options: JsonOption): Promise<ExitCode> {
  const services = await parts.loadServices();
  return report(await services.board(dir), options, (value) => boardPage(value, dir));
}

/** One of the nine actions, made by a person. */
export async function act(
  parts: CliParts,
  dir: string,
  words: readonly string[],
  options: JsonOption & { readonly id?: string },
): Promise<ExitCode> {
  const { readAction } = await import('../../core/stage/read-input.ts');
  const read = readAction(words);
  if (!read.ok) {
    const nextStep = typed`a7-rt board ${dir} lists the legal moves`;
    return report(
      { ok: false, exitCode: 2, problems: [{ message: read.message }], nextStep },
      options,
      () => '',
    );
  }
  const services = await parts.loadServices();
  return told(await services.input(dir, read.input, options.id ?? null), options, dir);
}

/** The graph in the form that was asked for, on stdout or in a file. */
export async function graph(parts: CliParts, dir: string, options: GraphOptions): Promise<ExitCode> {
  const { graphMermaid, graphSvg, graphText } = await import('../../core/graph/draw.ts');
  const draw = { text: graphText, mermaid: graphMermaid, svg: graphSvg }[options.format];
  const services = await parts.loadServices();
  const result = await services.graph(dir);
  const { out } = options;
  const fault = result.ok && out !== undefined ? writeNamed(out, `${draw(result.value)}\n`) : null;
  if (fault !== null) {
    const message = `Cannot write "${out ?? ''}": ${fault}`;
    return report(
      { ok: false, exitCode: 2, problems: [{ message }], nextStep: 'Name a file in a folder that is there' },
      options,
      () => '',
    );
  }
  return report(result, options, (value) => {
    if (options.out === undefined && value.nodes.length === 0 && options.format === 'text')
      return typed`No nodes yet: a7-rt seed ${dir} reads them from contracts.yaml`;
    if (options.out === undefined) return draw(value);
    return `Wrote ${options.out}: ${counted(value.nodes.length, 'node')}`;
  });
}

function boardPage(
  { board: shown, moves, waiting, phase, manager, usage }: BoardReport,
  dir: string,
): string {
  const rows = Object.values(shown.nodes).map((node) => [
    node.node_id,
    statusText(node.status),
    node.has_test ? 'suite locked' : 'no suite',
    shown.ready.includes(node.node_id) ? 'ready' : '',
  ]);
  const turns = `turn ${String(shown.turn)} of ${String(shown.manager_max_turns)}, drains at ${String(shown.drain_turn)}`;
  return [
    `${colors.bold(shown.active_stage.stage_id)}  ${statusText(phase)}, ${shown.mode}, ${turns}, manager ${manager}`,
    ...(shown.last_error === null ? [] : [`${colors.red('last_error')} ${shown.last_error}`]),
    ...(shown.pending_consult === null
      ? []
      : [`${colors.yellow('verdict')} ${shown.pending_consult.verdict}`]),
    ...waiting.filter(({ nodeId }) => nodeId !== null).flatMap(waitingLines),
    '',
    table(['NODE', 'STATUS', 'SUITE', ''], rows, 'No nodes in this stage'),
    '',
    `In flight: ${shown.in_flight.join(', ') || 'nobody'}. Cost so far: ${usageText(usage)}`,
    '',
    moves.length === 0 ? 'No move is legal now: no run is open' : 'Legal moves:',
    ...moves.map((move) => `  ${typed`a7-rt act ${dir}`} ${move}`),
  ].join('\n');
}

/** Who waits, for what, and the command that answers. */
export function waitingLines({ nodeId, question, command }: BoardReport['waiting'][number]): string[] {
  return [
    `${colors.yellow('waits')} for a person${nodeId === null ? '' : `: ${nodeId} asks`}: ${question}`,
    `${colors.dim('next')}  ${command}`,
  ];
}
