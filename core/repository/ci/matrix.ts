/**
 * The cells of a matrix, and the one nearest to the clean room: Linux, and the versions that it has where there are several.
 * Example: `{os: [windows, ubuntu], python: ['3.9', '3.11']}` has four cells; `ubuntu, 3.11` judges, and is named.
 */
import { type CiContext, plainText } from './expressions.ts';

export type Cell = Readonly<Record<string, unknown>>;

const CELLS_MAX = 512;
const PLAIN_LINUX = /^ubuntu-(?:latest|\d\d\.\d\d)$/u;
/** What the image has, nearest first. */
const OWN_VERSIONS = /^(?:v?3\.11(?:\.\d+)?|20(?:\.(?:x|\d+).*)?|v20.*|1\.19.*|lts\/\*|stable|1\.63.*)$/u;

/** All cells; null where the matrix itself is computed by the CI service. */
export function matrixCells(matrix: unknown): Cell[] | null {
  if (typeof matrix !== 'object' || matrix === null || Array.isArray(matrix)) return null;
  const { include, exclude, ...axes } = matrix as Readonly<Record<string, unknown>>;
  if (
    Object.values(axes).some((values) => !Array.isArray(values)) ||
    isComputed(include) ||
    isComputed(exclude)
  )
    return null;
  let cells: Cell[] = Object.keys(axes).length === 0 ? [] : [{}];
  for (const [name, values] of Object.entries(axes) as [string, unknown[]][])
    cells = cells.flatMap((cell) => values.map((value) => ({ ...cell, [name]: value }))).slice(0, CELLS_MAX);
  const left = cells.filter((cell) => !listOf(exclude).some((rule) => isPart(rule, cell)));
  return withIncluded(left, listOf(include), Object.keys(axes));
}

/** An entry of `include` adds to the cells of the axes that it fits, else it is a cell of its own, to which no other adds. */
function withIncluded(ofAxes: readonly Cell[], include: readonly Cell[], axes: readonly string[]): Cell[] {
  let cells = [...ofAxes];
  const own: Cell[] = [];
  for (const extra of include) {
    const known = Object.fromEntries(Object.entries(extra).filter(([name]) => axes.includes(name)));
    if (cells.some((cell) => isPart(known, cell)))
      cells = cells.map((cell) => (isPart(known, cell) ? { ...cell, ...extra } : cell));
    else own.push(extra);
  }
  return [...cells, ...own].slice(0, CELLS_MAX);
}

/** The cell that is nearest to the clean room: the first of several. @param label what a cell runs on */
export function chosenCell(cells: readonly Cell[], label: (cell: Cell) => string = () => ''): Cell | null {
  const points = cells.map((cell) =>
    Object.entries(cell).reduce<number>(
      (sum, [name, value]) => sum + nearness(name, value),
      PLAIN_LINUX.test(label(cell)) ? 10 : 0,
    ),
  );
  const best = Math.max(...points);
  return cells[points.indexOf(best)] ?? null;
}

function nearness(name: string, value: unknown): number {
  const text = plainText(value);
  if (/^(?:windows|macos|win|mac|darwin)/iu.test(text)) return -100;
  if (/^(?:ubuntu|linux)(?!.*(?:arm|riscv|s390|ppc))/iu.test(text)) return 10;
  if (/experimental|nightly|beta|canary/iu.test(value === true ? name : text)) return -5;
  return OWN_VERSIONS.test(text) ? 5 : 0;
}

/** `os=ubuntu-latest, python=3.11`. */
export function cellText(cell: CiContext): string {
  return Object.entries(cell)
    .map(([name, value]) => `${name}=${plainText(value)}`)
    .join(', ');
}

function isPart(rule: Cell, cell: Cell): boolean {
  return Object.entries(rule).every(([name, value]) => JSON.stringify(cell[name]) === JSON.stringify(value));
}

function isComputed(value: unknown): boolean {
  return value !== undefined && !Array.isArray(value);
}

function listOf(value: unknown): Cell[] {
  return Array.isArray(value)
    ? ((value as unknown[]).filter((each) => typeof each === 'object' && each !== null) as Cell[])
    : [];
}
