// `npm run bench`: measures the product on this machine and prints a table, or a list with --json. Needs a built checkout.
import { parseArgs } from 'node:util';
import { build } from '../scripts/build.mjs';
import { loadText, printTable } from './support/table.mjs';

const MEASURES = [
  'turns',
  'commit',
  'gate',
  'wall',
  'mutation',
  'models',
  'tests',
  'tools',
  'recovery',
  'processes',
  'forwarder',
  'orders',
];
const USAGE = `usage: npm run bench [-- options]
  --only NAME   measure only this: ${MEASURES.join(', ')}; may be given more than once
  --quick       fewer repetitions: a look, no figures to keep
  --once        everything once, as small as it can be: shows that it still runs; its figures mean nothing
  --json        a list of {measure, value, unit, baseline, ratio, aim}
`;

/** A group that takes longer is given up and said to be missing; the others are measured. */
const GROUP_MAX_MS = 150_000;
/** Its largest repository has to be made first. */
const ORDERS_MAX_MS = 900_000;

process.exitCode = await main(process.argv.slice(2));
// What a group that was given up left running must not keep the process.
setTimeout(() => process.exit(), 2_000).unref();

async function main(args) {
  const options = readOptions(args);
  if (options === null) return 2;
  if (!(await build({ log: say }))) return 1;
  const { openLab } = await import('./support/lab.mjs');
  const lab = await openLab();
  const rows = [];
  let failed = false;
  say(`Load before: ${loadText()}`);
  try {
    for (const wanted of options.only) {
      const { measure } = await import(`./${wanted}.mjs`);
      say(`Measuring: ${wanted}`);
      try {
        rows.push(
          ...(await inTime(measure(lab, options), wanted === 'orders' ? ORDERS_MAX_MS : GROUP_MAX_MS)),
        );
      } catch (error) {
        failed = true;
        say(`Cannot measure "${wanted}": ${error.stack}`);
      }
    }
  } finally {
    await lab.close();
  }
  if (options.json) process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
  else printTable(rows);
  say(`Load after: ${loadText()}`);
  return failed ? 1 : 0;
}

async function inTime(measuring, maxMs) {
  let timer;
  const late = new Promise((_, reject) => {
    const text = `No figures within ${maxMs / 1000} s`;
    timer = setTimeout(() => reject(new Error(text)), maxMs);
  });
  try {
    return await Promise.race([measuring, late]);
  } finally {
    clearTimeout(timer);
  }
}

function readOptions(args) {
  try {
    const { values } = parseArgs({
      args,
      options: {
        only: { type: 'string', multiple: true, default: MEASURES },
        quick: { type: 'boolean', default: false },
        once: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
      },
    });
    const unknown = values.only.find((each) => !MEASURES.includes(each));
    if (unknown === undefined) return values;
    throw new Error(`Cannot measure "${unknown}": must be one of ${MEASURES.join(', ')}`);
  } catch (error) {
    process.stderr.write(`${error.message}\n${USAGE}`);
    return null;
  }
}

/** Progress goes to stderr, so that --json can be read by a program. */
function say(line) {
  process.stderr.write(`${line}\n`);
}
