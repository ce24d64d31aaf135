// Plain pytest: what is collected, what ran and how, from its own JUnit file with XPASS made a failure.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
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

/** `needsIds` false: only how many tests went how, without asking for the ids. */
async function run(tools, { folder, suite, env, timeoutMs, needsIds }) {
  writeFileSync(join(folder, 'audit.ini'), INI);
  const at = insidePath(tools.room, folder);
  const options = { timeoutMs, env: { ...env, ...settings(folder, at) } };
  const python = [tools.python.program, '-m', 'pytest', '-q', ...flags(at)];
  const [ran, listed] = await Promise.all([
    runInRoom(tools.room, folder, [...python, `--junitxml=${at}/junit.xml`, ...suite], options),
    needsIds ? runInRoom(tools.room, folder, [...python, '--collect-only', ...suite], options) : null,
  ]);
  const cases = readJunit(join(folder, 'junit.xml'));
  const ended = [0, 1].includes(ran.code) && !ran.timedOut;
  const broken = (error) => ({ tests: [], ended, error });
  if (cases.length === 0) return broken(firstError(ran.stdout + ran.stderr));
  if (cases.some((each) => each.isCollection))
    return broken(`it cannot be loaded: ${firstError(ran.stdout)}`);
  const ids = listed === null ? cases.map((each) => each.name) : collectedIds(listed.stdout, suite);
  if (ids.length !== cases.length)
    return broken(`${ids.length} tests were collected, ${cases.length} reported`);
  return { tests: ids.map((id, index) => ({ id, outcome: cases[index].outcome })), ended, error: null };
}

function flags(at) {
  return [
    '-c',
    `${at}/audit.ini`,
    `--rootdir=${at}/work`,
    '--import-mode=importlib',
    '-p',
    'no:cacheprovider',
  ];
}

/** Folders that modules are imported from, as an editable install has them: `src/shop/__init__.py` gives `src`. */
function sourceRoots(folder) {
  const has = (path) => existsSync(join(folder, 'work', path));
  return ['src', 'lib', 'python'].filter((root) => has(root) && !has(`${root}/__init__.py`));
}

function settings(folder, at) {
  return {
    PYTHONPATH: [...sourceRoots(folder).map((root) => `${at}/work/${root}`), `${at}/work`].join(':'),
    PYTHONHASHSEED: '0',
    PYTHONDONTWRITEBYTECODE: '1',
    PYTEST_DISABLE_PLUGIN_AUTOLOAD: '1',
  };
}

/** Ids as `--collect-only -q` prints them, parameters cut off: `tests/x/test_a.py::Group::test_b`. */
function collectedIds(text, suite) {
  const rows = text.split('\n').filter((row) => suite.some((path) => row.startsWith(`${path}::`)));
  return rows.map((row) => row.replace(/\[.*$/su, ''));
}

/** Test cases in the order in which they were collected and ran; none where pytest left no file. */
function readJunit(path) {
  let text;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return [];
  }
  const cases = text.matchAll(/<testcase\b([^>]*?)(?:\/>|>([\s\S]*?)<\/testcase>)/gu);
  return [...cases].map(([, attributes, body = '']) => ({
    name: /\bname="([^"]*)"/u.exec(attributes)?.[1] ?? '',
    outcome: outcomeOf(body),
    isCollection: /message="collection failure"/u.test(body),
  }));
}

function outcomeOf(body) {
  if (/<(?:failure|error)\b/u.test(body)) return 'failed';
  return /<skipped\b/u.test(body) ? 'skipped' : 'passed';
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
