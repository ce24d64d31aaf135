// Plain pytest: what is collected, what ran and how, from its own JUnit file with XPASS made a failure.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { insidePath, runInRoom } from './runners.mjs';

const STUBS = readFileSync(fileURLToPath(new URL('hollow.py', import.meta.url)), 'utf8');
const STUB_TIMEOUT_MS = 30_000;
const INI =
  '[pytest]\nempty_parameter_set_mark = fail_at_collect\nxfail_strict = true\njunit_family = xunit1\n';

export const pythonRunner = {
  isTest: (path) => /(^|\/)(test_[^/]*|[^/]*_test)\.py$/u.test(path),
  isSource: (path) => path.endsWith('.py'),
  missing: (tools) =>
    tools.python === null
      ? 'Cannot audit: no python3 with pytest is here. Install pytest, or give --python PATH or --rootfs DIR'
      : null,
  stub: (tools, kind, source) => stub(tools, kind, source),
  run,
};

async function run(tools, { folder, suite, env, timeoutMs }) {
  writeFileSync(join(folder, 'audit.ini'), INI);
  const at = insidePath(tools.room, folder);
  const common = [
    '-c',
    `${at}/audit.ini`,
    `--rootdir=${at}/work`,
    '--import-mode=importlib',
    '-p',
    'no:cacheprovider',
  ];
  const options = {
    timeoutMs,
    env: {
      ...env,
      PYTHONPATH: `${at}/work`,
      PYTHONHASHSEED: '0',
      PYTHONDONTWRITEBYTECODE: '1',
      PYTEST_DISABLE_PLUGIN_AUTOLOAD: '1',
    },
  };
  const python = [tools.python.program, '-m', 'pytest', ...common];
  const listed = await runInRoom(tools.room, folder, [...python, '-q', '--collect-only', ...suite], options);
  const ran = await runInRoom(
    tools.room,
    folder,
    [...python, '-q', `--junitxml=${at}/junit.xml`, ...suite],
    options,
  );
  const collected = collectedIds(listed.stdout, suite);
  const cases = readJunit(join(folder, 'junit.xml'));
  const ended = [0, 1].includes(ran.code) && !ran.timedOut;
  if (cases === null || collected.length === 0)
    return { tests: [], ended, error: firstError(listed.stdout + ran.stdout + ran.stderr) };
  const broken = cases.find((each) => each.isCollection);
  if (broken !== undefined) return { tests: [], ended, error: `cannot be collected: ${broken.message}` };
  const outcomes = cases.map((each) => each.outcome);
  if (outcomes.length !== collected.length) {
    return {
      tests: [],
      ended,
      error: `${collected.length} tests were collected and ${outcomes.length} reported`,
    };
  }
  return { tests: pair(collected, cases), ended, error: null };
}

/** Ids as `--collect-only -q` prints them, parameters cut off: `tests/x/test_a.py::Group::test_b`. */
function collectedIds(text, suite) {
  const rows = text.split('\n').filter((row) => suite.some((path) => row.startsWith(`${path}::`)));
  return rows.map((row) => row.replace(/\[.*$/su, ''));
}

/** Test cases in the order in which they ran; null when there is no file. */
function readJunit(path) {
  let text;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return null;
  }
  return [...text.matchAll(/<testcase\b([^>]*?)(?:\/>|>([\s\S]*?)<\/testcase>)/gu)].map(
    ([, attributes, body = '']) => {
      const isCollection = /message="collection failure"/u.test(body);
      const message = /<(?:error|failure)\b[^>]*message="([^"]*)"/u.exec(body)?.[1] ?? '';
      const name = /\bname="([^"]*)"/u.exec(attributes)?.[1] ?? '';
      return {
        name: name.replace(/\[.*$/su, ''),
        outcome: outcomeOf(body),
        isCollection,
        message: message.slice(0, 200),
      };
    },
  );
}

function outcomeOf(body) {
  if (/<(?:failure|error)\b/u.test(body)) return 'failed';
  return /<skipped\b/u.test(body) ? 'skipped' : 'passed';
}

/** Pytest runs in the order in which it collects; names that differ would show a plugin that reorders. */
function pair(collected, cases) {
  return collected.map((id, index) => ({ id, outcome: cases[index].outcome }));
}

function firstError(text) {
  const row =
    text.split('\n').find((each) => /^E\s|Error|no tests ran/u.test(each)) ?? 'pytest left no report';
  return row.trim().slice(0, 200);
}

/** Code in which every function returns None; what cannot be parsed becomes empty. */
async function stub(tools, kind, source) {
  const argv = [tools.python.program, '-I', '-c', STUBS, kind, source];
  const { code, stdout } = await runInRoom(tools.room, null, argv, { env: {}, timeoutMs: STUB_TIMEOUT_MS });
  return code === 0 ? stdout : '';
}
