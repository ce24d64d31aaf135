// The figures as text, and how busy the machine was.
import { availableParallelism, loadavg } from 'node:os';
import { isMet } from './figures.mjs';

const HEADS = ['MEASURE', 'VALUE', 'UNIT', 'BASELINE', 'RATIO', 'AIM', 'MET'];

/** Prints one line a figure; what misses its aim is told below with its note. */
export function printTable(rows) {
  const lines = [HEADS, ...rows.map(cellsOf)];
  const widths = HEADS.map((_head, column) => Math.max(...lines.map((line) => line[column].length)));
  for (const line of lines) {
    process.stdout.write(
      `${line
        .map((cell, column) => cell.padEnd(widths[column]))
        .join('  ')
        .trimEnd()}\n`,
    );
  }
  for (const row of rows.filter((each) => each.note !== null)) {
    process.stdout.write(`\n${row.measure}: ${row.note}\n`);
  }
}

/** Load of the last minute and cores. */
export function loadText() {
  return `${loadavg()[0].toFixed(1)} on ${availableParallelism()} cores`;
}

function cellsOf(row) {
  const { measure, value, unit, baseline, ratio, aim } = row;
  const met = isMet(row);
  return [
    measure,
    String(value),
    unit,
    baseline === null ? '' : `${baseline.value} ${unit}: ${baseline.name}`,
    ratio === null ? '' : String(ratio),
    aimText(aim, unit),
    met === null ? '' : met ? 'yes' : 'NO',
  ];
}

function aimText(aim, unit) {
  if (aim === null) return '';
  const sign = aim.max === undefined ? '>=' : '<=';
  return `${sign} ${aim.max ?? aim.min}${aim.of === 'ratio' ? 'x' : ` ${unit}`}`;
}
