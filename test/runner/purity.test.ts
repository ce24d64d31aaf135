/** What code of a pure stage asks the world for, as both runners see it: one line of code a row, called by a suite that does such things itself. */
import { expect, test } from '@jest/globals';
import { runSuite, type Files } from './run-runner.ts';

/** Line of code to what is seen of it; null: it only computes. */
type Rows = readonly (readonly [line: string, seen: string | null])[];

const PYTHON: Rows = [
  ['open("/etc/hostname").close()', 'file open'],
  ['pathlib.Path("/x").exists()', 'file os.stat Path.exists'],
  ['os.path.abspath("x")', 'file os.getcwd abspath'],
  ['os.listdir("/")', 'file os.listdir'],
  [
    'importlib.machinery.SourceFileLoader("x", "/etc/hostname").get_data("/etc/hostname")',
    'file open FileLoader.get_data',
  ],
  ['socket.socket().close()', 'network socket.__new__ socket.__init__'],
  ['subprocess.run(["true"])', 'process subprocess.Popen run'],
  ['threading.Thread(target=int).start()', 'process threading.Thread Thread.start'],
  ['os.environ.get("HOME")', 'process os.environ Mapping.get'],
  ['time.time()', 'clock time.time'],
  ['functools.partial(time.monotonic)()', 'clock time.monotonic'],
  ['dt.now()', 'clock datetime.now'],
  ['date.today()', 'clock date.today'],
  ['time.strftime("%Y")', 'clock time.strftime'],
  ['logging.getLogger("x").warning("x")', 'clock time.time Logger.warning'],
  ['random.random()', 'randomness random.random'],
  ['random.Random()', 'randomness random.Random without a seed Random.__init__'],
  ['uuid.uuid4()', 'randomness os.urandom uuid4'],
  ['print("x")', 'output print'],
  ['sys.stdout.write("x")', 'output sys.stdout'],
  ['print("x", file=io.StringIO())', null],
  ['random.Random(3).random()', null],
  ['dt.fromtimestamp(0, datetime.timezone.utc); time.strftime("%Y", time.gmtime(0))', null],
  ['zoneinfo.ZoneInfo("Europe/Berlin")', null],
  ['os.path.join("a", "b"); pathlib.PurePath("a") / "b"', null],
  ['exec("import colorsys, wave, tempfile")', null],
  ['decimal.Decimal("1.5").quantize(decimal.Decimal("1")); json.dumps([re.sub("a", "b", "a")])', null],
];

const SCRIPT: Rows = [
  ['readFileSync("/etc/hostname")', 'file fs.readFileSync'],
  ['fs.promises.stat("/")', 'file fs/promises.stat'],
  ['net.connect(1).on("error", () => {}).destroy()', 'network net.connect'],
  ['cp.execSync("true")', 'process child_process.execSync'],
  ['path.resolve("x")', 'process process.cwd resolve'],
  ['process.env.HOME', 'process process.env'],
  ['Date.now()', 'clock Date.now'],
  ['new Date()', 'clock new Date()'],
  ['clearTimeout(setTimeout(() => {}, 1))', 'clock setTimeout'],
  ['[1].map(Math.random)', 'randomness Math.random map'],
  ['crypto.randomUUID()', 'randomness crypto.randomUUID'],
  ['process.getBuiltinModule("fs").readdirSync("/")', 'file fs.readdirSync'],
  ['console.log("x")', 'output console.log'],
  ['process.stdout.write("")', 'output process.stdout.write'],
  ['new Date(5).toISOString(); new Date(2020, 1, 1); Date.UTC(2020, 1)', null],
  ['path.join("a", "b"); JSON.stringify({}); structuredClone({}); util.inspect({})', null],
  ['new Intl.DateTimeFormat("en").format(new Date(0))', null],
];

async function seen(files: Files, own: string, program: 'pytest' | 'node', suite: string): Promise<string[]> {
  const run = await runSuite(files, { program, suiteFiles: [suite], extra: { pure: [own] } });
  expect(Object.values(run.outcomes)).toEqual(run.tests.map(() => 'passed'));
  return run.lines.flatMap((line) => {
    if (line.kind !== 'impure') return [];
    expect(line.file).toBe(own);
    return [`${String(line.line)} ${[line.what, line.name, line.by ?? ''].join(' ').trim()}`];
  });
}

const told = (rows: Rows, first: number): string[] =>
  rows.flatMap(([, what], at) => (what === null ? [] : [`${String(at + first)} ${what}`]));

test('pytest tells where the code asks for files, network, processes, clock, chance and output, and nothing of what only computes', async () => {
  const modules =
    'datetime, decimal, functools, importlib.machinery, io, json, logging, os, pathlib, random, re, socket, subprocess, sys, threading, time, uuid, zoneinfo';
  const files = {
    'n.py': [
      `import ${modules}`,
      'from datetime import date, datetime as dt',
      'def hold(clock=time.time): return clock is not None',
      ...PYTHON.map(([line], at) => `def f${String(at)}(): ${line}`),
    ].join('\n'),
    'tests/test_n.py': [
      'import os, time',
      'import n',
      ...PYTHON.map((_row, at) => `def test_${String(at)}(tmp_path):\n    n.f${String(at)}()`),
      'def test_own(tmp_path, capsys):',
      '    (tmp_path / "x").write_text("x"); time.time(); print("mine"); os.environ["X"] = "1"',
      '    assert n.hold() and n.hold(time.time)',
    ].join('\n'),
  };
  expect(await seen(files, 'n.py', 'pytest', 'tests/test_n.py')).toEqual(told(PYTHON, 4));
});

test('node:test tells the same', async () => {
  const files = {
    'package.json': '{"type":"module"}',
    'n.mjs': [
      "import fs, { readFileSync } from 'node:fs'; import net from 'node:net'; import cp from 'node:child_process';",
      "import path from 'node:path'; import util from 'node:util';",
      'export const hold = (clock = Date.now) => clock !== null;',
      ...SCRIPT.map(([line], at) => `export const f${String(at)} = () => { ${line}; };`),
    ].join('\n'),
    'tests/n.test.mjs': [
      "import test from 'node:test'; import assert from 'node:assert/strict'; import fs from 'node:fs';",
      "import * as n from '../n.mjs';",
      ...SCRIPT.map((_row, at) => `test('${String(at)}', async () => { await n.f${String(at)}(); });`),
      "test('own', () => { fs.existsSync('/'); console.log('mine'); Date.now(); assert.ok(n.hold() && n.hold(Date.now)); });",
    ].join('\n'),
  };
  expect(await seen(files, 'n.mjs', 'node', 'tests/n.test.mjs')).toEqual(told(SCRIPT, 4));
});
