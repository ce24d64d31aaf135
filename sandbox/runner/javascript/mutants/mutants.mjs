/**
 * Runs a suite of `node:test` against small changes of the code, many in one room (gate.md part 11).
 *
 * Reads {nonce, reportPath, testFiles, suiteFiles, testTimeoutMs, mutants: [{file, text, of}], watched: [{file, text}], cpuMs, wallMs, lanes, workDir} as JSON on
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
  const all = config.mutants.map(({ file, text, of }, index) => ({
    files: [{ file, text }],
    of,
    tell: (outcome) => tell(index + 1, outcome),
  }));
  const inLanes = (waiting) => Promise.all(lanes.map((folder) => work(folder, waiting, limitMs)));
  await inLanes(all.filter(({ of }) => of !== null));
  await inLanes(await answersToTry(limitMs));
  await inLanes(all.filter(({ of }) => of === null));
}
write({ kind: 'end', nonce: config.nonce });

/** Processor time of the children that have ended: `cutime` and `cstime`, in hundredths of a second. */
function childrenMs() {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1).split(' ');
  return (Number(fields[13]) + Number(fields[14])) * 10;
}

/** Each export with the only answer that the suite got from it. One that had to be computed is an example. */
async function answersToTry(limitMs) {
  const found = new Map();
  const recording = {
    files: config.watched,
    of: null,
    answers: { found },
    tell: (outcome) => (recording.is = outcome),
  };
  if (config.watched.length > 0) await work(lanes[0], [recording], limitMs);
  if (recording.is !== 'survived') return [];
  return [...found].flatMap(([exportName, { answers, errors }]) => {
    const told = (outcome) => write({ kind: 'answer', exportName, outcome });
    // What always raised the same does so in the unchanged code.
    if (answers.size === 0 && errors.size === 1) told('survived');
    const [[kept, isTrivial] = [null, false]] = answers;
    if (answers.size !== 1 || kept === null || !isTrivial || sidesOf(found, exportName).size > 1) return [];
    const answer = { export: exportName, kept };
    return [{ files: config.watched, of: exportName, answers: answer, tell: told }];
  });
}

/** Of a method the answers of all classes that have it: `Ok.isOk` is always true where `Err.isOk` is always false. */
function sidesOf(found, exportName) {
  const member = exportName.includes('.') ? exportName.slice(exportName.indexOf('.')) : null;
  const same = [...found].filter(
    ([name]) => name === exportName || (member !== null && name.endsWith(member)),
  );
  return new Set(same.flatMap(([, { answers }]) => [...answers.keys()]));
}

async function work(folder, waiting, limitMs) {
  for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
    // Of an export of which one constant was not green, no other is tried.
    if (mutant.of !== null && mutant.answers === undefined && noticed.has(mutant.of)) {
      mutant.tell('spared');
      continue;
    }
    if (isOver()) {
      mutant.tell('not_run');
      continue;
    }
    const before = mutant.files.map(({ file }) => [join(folder, file), readFileSync(join(folder, file))]);
    for (const { file, text } of mutant.files) writeFileSync(join(folder, file), text);
    const outcome = await runSuite(folder, limitMs, mutant.of !== null, mutant.answers ?? null);
    if (outcome !== 'survived' && mutant.of !== null) noticed.add(mutant.of);
    mutant.tell(outcome);
    for (const [path, bytes] of before) writeFileSync(path, bytes);
  }
}

/** Outcome of all test files in a lane: the first failed assertion of the suite decides. `isMarked`: the change tells that it ran. */
async function runSuite(folder, limitMs, isMarked = false, answers = null) {
  const ends = now() + limitMs;
  const state = { hasRun: !isMarked, answers };
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
    answers:
      suite.answers === null
        ? null
        : { export: suite.answers.export ?? null, kept: suite.answers.kept ?? null },
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
        if (suite.answers?.found !== undefined) joinAnswers(suite.answers.found, message.answers);
      } else if (isRed(message)) {
        if (message.kind === 'test' && message.test.failure?.assertion === true) return finish('killed');
        state.isRed = true;
      }
    });
    child.once('close', () => finish(state.isDone && !state.isRed ? 'survived' : 'raised'));
  });
}

/** Each test file has a process of its own; what they got is one suite's. */
function joinAnswers(found, told) {
  for (const { name, answers, errors } of Array.isArray(told) ? told : []) {
    const noted = found.get(name) ?? { answers: new Map(), errors: new Set() };
    found.set(name, noted);
    for (const each of errors) noted.errors.add(each);
    for (const [kept, isTrivial] of answers) noted.answers.set(kept, isTrivial);
  }
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
