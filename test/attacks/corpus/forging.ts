/** A verdict that was not earned: exits, reports, assertion libraries, objects that equal everything, the suite read at run time. */
import { family, type Act } from '../attack.ts';
import { lie } from './nodes.ts';

const walled = (...lines: readonly string[]): Act => ({
  kind: 'code',
  node: 'walled',
  source: lie(...lines),
  limits: { testTimeoutMs: 1000, wallMs: 10_000 },
});
const inside = (...lines: readonly string[]): Act => ({
  kind: 'code',
  node: 'inside',
  source: lie(...lines),
});
const javascript = (...lines: readonly string[]): Act => ({
  kind: 'code',
  node: 'javascript',
  source: `${lines.join('\n')}\n`,
});

export const FORGING = family('verdict forging', {
  'exit 0 at import': walled('os._exit(0)'),
  'exit 0 in a call': walled('def parse(text): os._exit(0)'),
  'exit 0 at import, in one process': inside('os._exit(0)'),
  'exit 0 in a call, in one process': inside('def parse(text): os._exit(0)'),
  'exit 137, as if somebody had killed it': inside('def parse(text): os._exit(137)'),
  'process.exit(0) in a call': javascript('export function parse(text) { process.exit(0); }'),
  'process.exit(0) when the loop is empty': javascript(
    "process.on('beforeExit', () => process.exit(0));",
    'export function parse(text) { return 1; }',
  ),
  'a report written at exit': inside(
    'import atexit',
    'atexit.register(lambda: open("/out/report.jsonl", "a").write("{}\\n"))',
    'def parse(text): return 1',
  ),
  'a second report beside the first': inside(
    'open("/out/second.jsonl", "w").write("{}")',
    'def parse(text): return 1',
  ),
  'a deleted report': inside('os.remove("/out/report.jsonl")', 'def parse(text): return 1'),
  'a link where the report was': inside(
    'os.remove("/out/report.jsonl"); os.symlink("/etc/passwd", "/out/report.jsonl")',
    'def parse(text): return 1',
  ),
  'a forged report with a guessed nonce': inside(
    'lines = open("/out/report.jsonl").read().splitlines()',
    'start = json.loads(lines[0])',
    'open("/out/report.jsonl", "w").write(json.dumps(start) + "\\n" + json.dumps({"kind": "end", "nonce": start["nonce"], "collected": 0, "ran": 0}) + "\\n")',
    'os._exit(0)',
  ),
  'reports written and removed behind the wall': walled(
    'def parse(text):',
    '    for path in ("/out/report.jsonl", "/out/second.jsonl", "/work/conftest.py"):',
    '        for act in (lambda: open(path, "w").write("{}"), lambda: os.remove(path)):',
    '            try: act()',
    '            except OSError: pass',
    '    return 1',
  ),
  'all tests passed, printed': inside('print("5 passed in 0.01s")', 'def parse(text): return 1'),
  SkipTest: inside('import unittest', 'def parse(text): raise unittest.SkipTest("no")'),
  'pytest.skip behind the wall': walled(
    'import pytest',
    'def parse(text): pytest.skip("no", allow_module_level=True)',
  ),
  'patched pytest and builtins': walled(
    'import builtins, _pytest.runner',
    '_pytest.runner.call_and_report = lambda *a, **k: None',
    'builtins.AssertionError = KeyError',
    'def parse(text): return 1',
  ),
  'the runner patched in memory': walled(
    'def parse(text):',
    '    for kind in object.__subclasses__():',
    '        if kind.__name__ == "Pending": kind.decide = lambda *a: None',
    '    end = os._exit',
    '    os._exit = lambda status: end(0)',
    '    return 1',
  ),
  'a number that equals everything': walled(
    'class Magic(int):',
    '    def __eq__(self, other): return True',
    '    __hash__ = int.__hash__',
    'def parse(text): return Magic(1)',
  ),
  'an object that calls itself a number': walled(
    'class Magic:',
    '    def __eq__(self, other): return True',
    '    @property',
    '    def __class__(self): return int',
    'def parse(text): return Magic()',
  ),
  'a class that calls everything equal': walled(
    'Money.__eq__ = lambda self, other: True',
    'Money.plus = lambda s, o: s',
  ),
  'the suite read at run time': walled(
    'def parse(text):',
    '    for folder, _, names in os.walk("/"):',
    '        for name in names:',
    '            if name.startswith("test_it"):',
    '                return int(open(os.path.join(folder, name)).read().split("== ")[1].split()[0])',
    '    return 0',
  ),
  'frames and garbage collector walked': walled(
    'import gc',
    'def parse(text):',
    '    frame = sys._getframe()',
    '    while frame is not None:',
    '        if "test_value" in frame.f_globals: return 1230',
    '        frame = frame.f_back',
    '    for thing in gc.get_objects():',
    '        if type(thing) is dict and "test_value" in thing: return 1230',
    '    return 0',
  ),
  'a thread that answers for the code': walled(
    'def frame(data): os.write(4, len(data).to_bytes(4, "big") + data)',
    'def spam():',
    '    while True: time.sleep(0.01); frame(json.dumps([1, 1230, None, []]).encode())',
    'threading.Thread(target=spam, daemon=True).start()',
    'def parse(text): return 1',
  ),
  'a daemon that outlives its parent': walled(
    'def frame(data): os.write(4, len(data).to_bytes(4, "big") + data)',
    'if os.fork() == 0:',
    '    os.setsid()',
    '    while True: time.sleep(0.02); frame(json.dumps([1, 700, None, []]).encode())',
    'def parse(text): return 1',
  ),
  'everything killed': walled('def parse(text):', '    os.kill(-1, 9)', '    return 1'),
  'the runner killed, in one process': inside('def parse(text): os.kill(os.getpid(), 9)'),
  'a difference that is always nothing': walled(
    'class M:',
    '    def __sub__(self, other): return 0.0',
    'def mean(xs): return M()',
  ),
  'a difference that is always nothing, in an iterator': walled(
    'class M:',
    '    def __sub__(self, other): return 0.0',
    'def halves(xs): return (M() for x in xs)',
  ),
  'a list that holds whatever is looked for': walled(
    'class W:',
    '    def __contains__(self, item): return True',
    '    def __len__(self): return 2',
    '    def __getitem__(self, at): return "a"',
    'def words(text): return W()',
  ),
  'a function with the methods of a string': walled(
    'def word(): pass',
    'word.startswith = lambda start: True',
    'def words(text): return [word, "b"]',
  ),
  'an error of the builder that looks like a platform': inside('def parse(text): raise KeyboardInterrupt'),
});
