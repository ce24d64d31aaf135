// The mutation check of a node of about a hundred lines with an honest suite: its own time, and how much of it fits the bound.
import { readFile } from 'node:fs/promises';
import { figure, median } from './support/figures.mjs';
import { openGate, pythonNode } from './support/gate.mjs';

/** What a session allows unless its settings say otherwise (`mutation_seconds`). */
const BUDGET_MS = 8_000;
const CHECK_MAX_MS = 10_000;
/** The record of the check's one command in a report. */
const COMMAND = 'mutants';

/** Medians over verdicts that were judged anew. */
export async function measure(lab, { quick, once }) {
  const node = pythonNode({
    name: 'till',
    declaration: 'def till(lines: list[str], vat: int) -> int: ...',
    suite: await text('test_till.py'),
    code: await text('till.py'),
  });
  const mutationMs = once ? 500 : BUDGET_MS;
  const gate = await openGate(lab, 'bubblewrap');
  try {
    const locked = await gate.lock(node);
    const checks = [];
    for (let round = 0; round < (quick || once ? 1 : 3); round += 1)
      checks.push(checkOf((await gate.code(node, locked, { mutationMs })).report));
    return figures(checks);
  } finally {
    await gate.close();
  }
}

function text(name) {
  return readFile(new URL(`support/till/${name}`, import.meta.url), 'utf8');
}

function checkOf({ commands, mutation }) {
  const command = commands.find(({ name }) => name === COMMAND);
  if (command === undefined || mutation === undefined) throw new Error('The report holds no mutation check');
  const { made, killed, survived, raised, timedOut } = mutation;
  return { ms: command.durationMs, made, tried: killed + survived + raised + timedOut, killed };
}

function figures(checks) {
  const { made } = checks[0];
  return [
    figure({
      measure: `mutation check of a node of 100 lines, median of ${checks.length}`,
      value: median(checks.map(({ ms }) => ms)),
      unit: 'ms',
      aim: { of: 'value', max: CHECK_MAX_MS },
    }),
    figure({
      measure: `of its ${made} changes tried within ${BUDGET_MS / 1000} s`,
      value: median(checks.map(({ tried }) => tried)),
      unit: 'changes',
      aim: null,
    }),
    figure({
      measure: 'of them noticed by the suite',
      value: median(checks.map(({ killed }) => killed)),
      unit: 'changes',
      aim: null,
    }),
  ];
}
