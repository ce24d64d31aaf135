/** The graph of a session as text, Mermaid or SVG, with a colour for each status. Pure: what is drawn is handed in. */
import type { NodeStatus } from '../../schemas/stage.ts';

export interface DrawnNode {
  readonly id: string;
  readonly stage: string;
  readonly status: NodeStatus;
  readonly structural: readonly string[];
  readonly assumption: readonly string[];
}

export interface DrawnGraph {
  /** In the order of building. */
  readonly stages: readonly string[];
  readonly nodes: readonly DrawnNode[];
}

/** Fill and line of each status, told apart by people who see no red, too. */
const COLOURS: Readonly<Record<NodeStatus, { readonly fill: string; readonly line: string }>> = {
  near: { fill: '#f2f2f2', line: '#8c8c8c' },
  provisional: { fill: '#fff3cd', line: '#b58900' },
  grounded: { fill: '#d9f2e3', line: '#2e8b57' },
  suspended: { fill: '#dce6f7', line: '#3b6fb6' },
  poisoned: { fill: '#f8d7da', line: '#b02a37' },
};

const MARKS: Readonly<Record<NodeStatus, string>> = {
  near: ' ',
  provisional: '~',
  grounded: '+',
  suspended: '?',
  poisoned: '!',
};

/** A list by stage: mark, id, status, and what the node stands on. */
export function graphText({ stages, nodes }: DrawnGraph): string {
  return stages
    .map((stage) => {
      const own = nodes.filter((node) => node.stage === stage);
      const lines = own.map(({ id, status, structural, assumption }) => {
        const on = [...structural, ...assumption.map((target) => `${target} (assumed)`)].join(', ');
        return `  [${MARKS[status]}] ${id}  ${status}${on === '' ? '' : `  <- ${on}`}`;
      });
      return [stage, ...lines].join('\n');
    })
    .join('\n');
}

/** A flowchart; dashed arrows are assumptions. */
export function graphMermaid({ stages, nodes }: DrawnGraph): string {
  const names = new Map(nodes.map(({ id }, index) => [id, `n${String(index)}`]));
  const edges = (node: DrawnNode, targets: readonly string[], arrow: string): string[] =>
    targets.map((target) => `  ${names.get(target) ?? target} ${arrow} ${names.get(node.id) ?? node.id}`);
  return [
    'flowchart LR',
    ...stages.flatMap((stage, index) => [
      `  subgraph s${String(index)}["${stage}"]`,
      ...nodes
        .filter((node) => node.stage === stage)
        .map(({ id, status }) => `    ${names.get(id) ?? id}["${id}"]:::${status}`),
      '  end',
    ]),
    ...nodes.flatMap((node) => [
      ...edges(node, node.structural, '-->'),
      ...edges(node, node.assumption, '-.->'),
    ]),
    ...Object.entries(COLOURS).map(
      ([status, { fill, line }]) => `  classDef ${status} fill:${fill},stroke:${line},color:#222`,
    ),
  ].join('\n');
}

const BOX = { width: 190, height: 40, gapX: 70, gapY: 16, margin: 20, head: 24 } as const;

/** Columns by depth below what a node stands on; one picture, no script, no font of its own. */
export function graphSvg(graph: DrawnGraph): string {
  const depths = depthsOf(graph);
  const columns = new Map<number, DrawnNode[]>();
  const order = [...graph.nodes].sort(
    (a, b) => graph.stages.indexOf(a.stage) - graph.stages.indexOf(b.stage) || (a.id < b.id ? -1 : 1),
  );
  for (const node of order) {
    const depth = depths.get(node.id) ?? 0;
    columns.set(depth, [...(columns.get(depth) ?? []), node]);
  }
  const places = new Map(
    [...columns].flatMap(([depth, column]) =>
      column.map((node, row) => [node.id, placeOf(depth, row)] as const),
    ),
  );
  const width = BOX.margin * 2 + Math.max(1, columns.size) * (BOX.width + BOX.gapX) - BOX.gapX;
  const rows = Math.max(1, ...[...columns.values()].map((column) => column.length));
  const height = BOX.margin * 2 + BOX.head + rows * (BOX.height + BOX.gapY);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${String(width)} ${String(height)}" width="${String(width)}" height="${String(height)}" font-family="sans-serif" font-size="12">`,
    '<defs><marker id="end" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z" fill="#666"/></marker></defs>',
    legend(),
    ...graph.nodes.flatMap((node) => [
      ...arrows(node, node.structural, places, ''),
      ...arrows(node, node.assumption, places, ' stroke-dasharray="5 4"'),
    ]),
    ...graph.nodes.map((node) => box(node, places.get(node.id) ?? { x: 0, y: 0 })),
    '</svg>',
  ].join('\n');
}

interface Place {
  readonly x: number;
  readonly y: number;
}

function placeOf(depth: number, row: number): Place {
  return {
    x: BOX.margin + depth * (BOX.width + BOX.gapX),
    y: BOX.margin + BOX.head + row * (BOX.height + BOX.gapY),
  };
}

/** Longest way down to a node that stands on nothing. */
function depthsOf({ nodes }: DrawnGraph): ReadonlyMap<string, number> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const depths = new Map<string, number>();
  const visit = (id: string): number => {
    const known = depths.get(id);
    if (known !== undefined) return known;
    // Seeding refuses circles; should one be there, it is drawn in one column.
    depths.set(id, 0);
    const node = byId.get(id);
    const below = [...(node?.structural ?? []), ...(node?.assumption ?? [])].filter((dep) => byId.has(dep));
    const depth = below.length === 0 ? 0 : 1 + Math.max(...below.map(visit));
    depths.set(id, depth);
    return depth;
  };
  for (const { id } of nodes) visit(id);
  return depths;
}

function arrows(
  node: DrawnNode,
  targets: readonly string[],
  places: ReadonlyMap<string, Place>,
  style: string,
): string[] {
  const to = places.get(node.id);
  return targets.flatMap((target) => {
    const from = places.get(target);
    if (from === undefined || to === undefined) return [];
    const [x1, y1, x2, y2] = [from.x + BOX.width, from.y + BOX.height / 2, to.x, to.y + BOX.height / 2];
    const bend = String((x1 + x2) / 2);
    return [
      `<path d="M${String(x1)} ${String(y1)}C${bend} ${String(y1)} ${bend} ${String(y2)} ${String(x2)} ${String(y2)}" fill="none" stroke="#666" marker-end="url(#end)"${style}/>`,
    ];
  });
}

function box({ id, stage, status }: DrawnNode, { x, y }: Place): string {
  const { fill, line } = COLOURS[status];
  const middle = String(x + BOX.width / 2);
  return [
    `<g><title>${escaped(`${id}: ${status}, stage ${stage}`)}</title>`,
    `<rect x="${String(x)}" y="${String(y)}" width="${String(BOX.width)}" height="${String(BOX.height)}" rx="5" fill="${fill}" stroke="${line}"/>`,
    `<text x="${middle}" y="${String(y + 17)}" text-anchor="middle" font-weight="bold">${escaped(shortened(id))}</text>`,
    `<text x="${middle}" y="${String(y + 32)}" text-anchor="middle" fill="#555">${escaped(`${status} · ${shortened(stage)}`)}</text></g>`,
  ].join('');
}

function legend(): string {
  return Object.entries(COLOURS)
    .map(([status, { fill, line }], index) => {
      const x = BOX.margin + index * 110;
      return `<rect x="${String(x)}" y="8" width="12" height="12" fill="${fill}" stroke="${line}"/><text x="${String(x + 17)}" y="18">${status}</text>`;
    })
    .join('');
}

const SHOWN_CHARS = 26;

function shortened(text: string): string {
  return text.length <= SHOWN_CHARS ? text : `${text.slice(0, SHOWN_CHARS - 1)}…`;
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
