/**
 * Runs a suite of `node:test` against small changes of the code, many in one room (gate.md part 11).
 *
 * Reads {nonce, reportPath, testFiles, suiteFiles, testTimeoutMs, mutants: [{file, text}], cpuMs, wallMs, lanes, workDir} as JSON on
 * standard input and writes lines of schemas/mutation.ts. Index 0 is the code unchanged: unless it is green nothing else runs.
 * Only a failed assertion of the suite kills.
 */
import { spawn } from 'node:child_process';
import { constants, cpSync, openSync, readFileSync, realpathSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, now } from '../shared/time.mjs';

const HERE = dirname(fileURLToPath(import.meta.url));
/** A change may make the suite this much slower than it was, and never less than a second. */
const SLOWER = 4;
const SHORTEST_MS = 1000;
const MAX_TEXT = 4 * 1024 * 1024;

const began = now();
const config = JSON.parse(readFileSync(0, 'utf8'));
const workDir = realpathSync(config.workDir ?? '/work');
const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
const report = openSync(config.reportPath, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
const write = (line) => writeSync(report, `${JSON.stringify(line)}\n`);
const tell = (index, outcome) => write({ kind: 'mutant', index, outcome });
const left = () => began + config.wallMs - now();
/** Processor time of all children, so that a busy machine leaves as many changes; and wall time, for suites that only wait. */
const isOver = () => left() <= 0 || childrenMs() >= config.cpuMs;

const noticed = new Set();
write({ kind: 'start', nonce: config.nonce });
const lanes = Array.from({ length: config.lanes }, (_each, number) => {
  const folder = `/tmp/a7-lane-${String(number)}`;
  cpSync(workDir, folder, { recursive: true });
  return folder;
});
const started = now();
const first = await runSuite(lanes[0], left());
tell(0, first);
if (first === 'survived') {
  const limitMs = Math.max(SHORTEST_MS, SLOWER * (now() - started));
  const waiting = config.mutants.map((mutant, index) => ({ ...mutant, index: index + 1 }));
  await Promise.all(lanes.map((folder) => work(folder, waiting, limitMs)));
}
write({ kind: 'end', nonce: config.nonce });

/** Processor time of the children that have ended: `cutime` and `cstime`, in hundredths of a second. */
function childrenMs() {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1).split(' ');
  return (Number(fields[13]) + Number(fields[14])) * 10;
}

async function work(folder, waiting, limitMs) {
  for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
    // Of an export of which one constant was not green, no other is tried.
    if (mutant.of !== null && noticed.has(mutant.of)) {
      tell(mutant.index, 'spared');
      continue;
    }
    if (isOver()) {
      tell(mutant.index, 'not_run');
      continue;
    }
    const path = join(folder, mutant.file);
    const before = readFileSync(path);
    writeFileSync(path, mutant.text);
    const outcome = await runSuite(folder, limitMs, mutant.of !== null);
    if (outcome !== 'survived' && mutant.of !== null) noticed.add(mutant.of);
    tell(mutant.index, outcome);
    writeFileSync(path, before);
  }
}

/** Outcome of all test files in a lane: the first failed assertion of the suite decides. `isMarked`: the change tells that it ran. */
async function runSuite(folder, limitMs, isMarked = false) {
  const ends = now() + limitMs;
  const state = { hasRun: !isMarked };
  let worst = 'survived';
  for (const file of config.testFiles) {
    const outcome = await runFile(folder, file, ends - now(), state);
    if (outcome === 'killed') return outcome;
    if (outcome !== 'survived' && worst !== 'raised') worst = outcome;
  }
  return worst === 'survived' && !state.hasRun ? 'unreached' : worst;
}

function runFile(folder, file, limitMs, suite) {
  const settings = {
    workDir: folder,
    file,
    suiteFiles: [...config.testFiles, ...(config.suiteFiles ?? [])],
    isStub: false,
    blocked: [],
    wall: null,
  };
  const reporter = `--test-reporter=${join(HERE, '../wall/suite_side/reporter.mjs')}`;
  const program = join(HERE, '../suite/child.cjs');
  const { NODE_OPTIONS: _options, NODE_TEST_CONTEXT: _context, ...env } = process.env;
  const child = spawn(
    process.execPath,
    ['--no-warnings', reporter, '--test-reporter-destination=stdout', program],
    { cwd: folder, env, detached: true, stdio: ['pipe', 'ignore', 'ignore', 'pipe'] },
  );
  child.stdin.on('error', () => {});
  child.stdin.end(JSON.stringify(settings));
  return new Promise((resolve) => {
    const state = { isDone: false, isRed: false };
    const finish = (outcome) => {
      callOff();
      endGroup(child);
      resolve(outcome);
    };
    const callOff = after(Math.max(0, limitMs), () => finish('timed_out'));
    readMessages(child.stdio[3], (message) => {
      if (message.kind === 'done') {
        state.isDone = true;
        if (message.ran === true) suite.hasRun = true;
      } else if (isRed(message)) {
        if (message.kind === 'test' && message.test.failure?.assertion === true) return finish('killed');
        state.isRed = true;
      }
    });
    child.once('close', () => finish(state.isDone && !state.isRed ? 'survived' : 'raised'));
  });
}

function isRed(message) {
  if (message.kind === 'test') return message.test.outcome !== 'passed';
  return ['collect_error', 'late', 'before_tests'].includes(message.kind);
}

function endGroup(child) {
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It has ended with all that it started.
  }
}

function readMessages(stream, take) {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('error', () => {});
  stream.on('data', (text) => {
    const parts = (rest + text).split('\n');
    rest = parts.pop().slice(0, MAX_TEXT);
    for (const part of parts) {
      try {
        const message = JSON.parse(part);
        if (typeof message === 'object' && message !== null) take(message);
      } catch {
        // What is no message says nothing.
      }
    }
  });
}
