/** Lies about what suite and code share beside values: files, environment, logs, warnings, replaced names (decision 0022). */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { LockedSuite } from '../../schemas/report.ts';
import { openGateWorld, type GateWorld } from '../gate/gate-world.ts';
import { choiceOf, judged, lockOf, runInside, thingContract } from './wall-world.ts';

const CONTRACT = thingContract({
  exports: [
    'def save(path: str, text: str) -> None: ...',
    'def copy(source: str, target: str) -> None: ...',
    'def setting() -> str: ...',
    'def wait(seconds: float) -> None: ...',
    'def note(text: str) -> None: ...',
  ],
});
const SUITE = [
  'import logging, time',
  'from unittest.mock import patch',
  'import pytest',
  'from shop.thing import copy, note, save, setting, wait',
  'def test_save(tmp_path):',
  '    save(str(tmp_path / "a"), "hello")',
  '    assert (tmp_path / "a").read_text() == "hello"',
  '    assert [p.name for p in tmp_path.iterdir()] == ["a"]',
  'def test_copy(tmp_path):',
  '    (tmp_path / "in").write_text("12")',
  '    copy(str(tmp_path / "in"), str(tmp_path / "out"))',
  '    (tmp_path / "wanted").write_text("12")',
  '    time.sleep(0.05)',
  '    assert (tmp_path / "out").read_bytes() == (tmp_path / "wanted").read_bytes()',
  'def test_setting(monkeypatch):',
  '    monkeypatch.setenv("SHOP", "eu")',
  '    assert setting() == "EU"',
  '@patch("time.sleep")',
  'def test_wait(sleep):',
  '    wait(2.5)',
  '    sleep.assert_called_once_with(2.5)',
  'def test_note(caplog):',
  '    with pytest.warns(UserWarning, match="low"): note("low")',
  '    assert caplog.messages == ["low"]',
  '',
].join('\n');
const HONEST = [
  'import logging, os, shutil, time, warnings',
  'def save(path, text):',
  '    with open(path, "w") as f: f.write(text)',
  'def copy(source, target): shutil.copyfile(source, target)',
  'def setting(): return os.environ["SHOP"].upper()',
  'def wait(seconds): time.sleep(seconds)',
  'def note(text):',
  '    logging.getLogger("shop").warning("%s", text)',
  '    warnings.warn(text)',
  '',
].join('\n');

/** The honest module with other functions behind it. */
function liar(...lines: readonly string[]): string {
  return `${HONEST}import json, socket, threading\n${lines.join('\n')}\n`;
}

/** Answers a call with a message of our own that tells of something shared. */
function teller(call: string, told: string): string {
  return liar(
    'def frame(data): os.write(4, len(data).to_bytes(4, "big") + data)',
    `def ${call}: frame(json.dumps([1, None, ["", "", ${told}], []]).encode())`,
  );
}

const TEST_FILE = '/work/tests/shop_thing/test_it.py';
const ATTACKS: readonly (readonly [string, string])[] = [
  ['a link to the suite', liar(`def save(path, text): os.symlink("${TEST_FILE}", path)`)],
  [
    'a link that leads out over another',
    liar(
      'def save(path, text):',
      '    os.symlink("/", path + "b")',
      '    os.symlink("ab/etc/hostname", path)',
    ),
  ],
  ['a pipe in place of a file', liar('def save(path, text): os.mkfifo(path)')],
  ['a socket in place of a file', liar('def save(path, text): socket.socket(socket.AF_UNIX).bind(path)')],
  [
    'a file of a terabyte',
    liar('def save(path, text):', '    with open(path, "w") as f: f.truncate(1 << 40)'),
  ],
  [
    'more files than may cross',
    liar('def save(path, text):', '    for n in range(5000): open(path + str(n), "w").close()'),
  ],
  [
    'folders without end',
    liar(
      'def save(path, text):',
      '    os.chdir(os.path.dirname(path))',
      '    for n in range(3000): os.mkdir("d"); os.chdir("d")',
    ),
  ],
  [
    'a thread that copies what the suite writes',
    liar(
      'def watch(folder):',
      '    while True:',
      '        try: shutil.copyfile(folder + "/wanted", folder + "/out")',
      '        except OSError: pass',
      'def copy(source, target): threading.Thread(target=watch, args=(os.path.dirname(target),), daemon=True).start()',
    ),
  ],
  [
    'a file in the folder of the suite itself',
    liar(
      'def save(path, text):',
      '    around = path.split("/tmp/", 2)[1]',
      '    for name in ("suite", "code", "tmp"):',
      '        try: shutil.copytree(os.path.dirname(path), f"/tmp/{around}/{name}", dirs_exist_ok=True)',
      '        except OSError: pass',
    ),
  ],
  ['a file above the folder', teller('save(path, text)', '{"files": [["../a", "f", 420, 0, "aGVsbG8="]]}')],
  ['a file of the suite', teller('save(path, text)', '{"files": [["/work/conftest.py", "f", 420, 0, ""]]}')],
  [
    'a file behind a link',
    teller('save(path, text)', '{"files": [["l", "l", 0, 0, "/work"], ["l/conftest.py", "f", 420, 0, ""]]}'),
  ],
  ['a file of an unknown kind', teller('save(path, text)', '{"files": [["a", "p", 420, 0, ""]]}')],
  ['files that are no list', teller('save(path, text)', '{"files": {"a": "hello"}}')],
  ['the folder of the suite to work in', teller('setting()', '{"environment": {"": "/work"}}')],
  ['an environment that is none', teller('setting()', '{"environment": {"SHOP": 5}}')],
  [
    'records that are none',
    teller('note(text)', '{"logs": [["shop", 30, "low", [["H", 1]], "low", None, {}]]}'),
  ],
  [
    'a warning that ends the process',
    teller('note(text)', '{"warnings": [["X", [["b", "SystemExit"]], [], "low", {}, None]]}'),
  ],
  ['an answer to the suite in place of the code', liar('def setting(): os.environ["SHOP"] = "EU"')],
  [
    'the record of what stands for sleep',
    liar(
      'def wait(seconds):',
      '    time.sleep.called, time.sleep.call_count, time.sleep.call_args = True, 1, ((2.5,), {})',
    ),
  ],
  [
    'another assertion on it',
    liar('def wait(seconds): time.sleep.assert_called_once_with = lambda *args: None'),
  ],
  ['another sleep in its place', liar('def wait(seconds): time.sleep = lambda seconds: None')],
  [
    'a log for the wrong text',
    liar('def note(text): logging.getLogger().warning("high"); warnings.warn("low")'),
  ],
];

let world: GateWorld;
let locked: LockedSuite;

beforeAll(async () => {
  world = await openGateWorld();
  const inside = await runInside({ code: HONEST, suite: SUITE });
  locked = lockOf(SUITE, inside.ids, 'glass_wall');
});
afterAll(async () => {
  await world.close();
});

describe('verifySnapshot() of code that lies about what it shares with the suite', () => {
  test('passes the honest code behind the wall', async () => {
    expect(await choiceOf(CONTRACT, SUITE)).toEqual({ tier: 'glass_wall', reasons: [] });
    const { report, logs } = await judged(world, CONTRACT, { code: HONEST, suite: SUITE }, locked);
    expect({ verdict: report.verdict, tier: report.tier, logs }).toEqual({
      verdict: 'PASS',
      tier: 'glass_wall',
      logs,
    });
  });

  test.each(ATTACKS)('sees through %s', async (_name, code) => {
    const limits = { testTimeoutMs: 1500, wallMs: 15_000 };
    const { report, logs } = await judged(world, CONTRACT, { code, suite: SUITE }, locked, limits);
    const codes = report.levels.flatMap((level) => level.findings.map((found) => found.code));
    expect({ verdict: report.verdict, fault: report.fault, codes, logs }).toEqual({
      verdict: 'FAIL',
      fault: 'builder',
      codes: codes.filter((each) => !each.startsWith('export_')),
      logs,
    });
    const red = report.tests.filter((result) => result.outcome !== 'passed');
    expect(red.length).toBeGreaterThan(0);
  });

  test('tells the code nothing of the tests by paths or variables', async () => {
    const code = liar('def save(path, text): raise ValueError(path + repr(dict(os.environ)) + os.getcwd())');
    const { report } = await judged(world, CONTRACT, { code, suite: SUITE }, locked);
    const message = report.tests.find((result) => result.id.name === 'test_save')?.failure?.message ?? '';
    expect(message).toContain('/tmp/');
    expect(message).not.toMatch(/test_|PYTEST/u);
  });
});
