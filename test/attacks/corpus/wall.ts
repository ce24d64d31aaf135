/** The pipe between suite and code: forged messages, confused handles, values without end, answers without hurry. */
import { family, type Act } from '../attack.ts';
import { lie } from './nodes.ts';

const FRAME = 'def frame(data): os.write(4, len(data).to_bytes(4, "big") + data)';
const walled = (...lines: readonly string[]): Act => ({
  kind: 'code',
  node: 'walled',
  source: lie(FRAME, ...lines),
  limits: { testTimeoutMs: 700, wallMs: 9_000 },
});
const answers = (message: string): Act => walled(`def parse(text): frame(json.dumps(${message}).encode())`);

/** Right for one of the two judges only. `where` names how code may tell them apart. */
const rightFor = (where: string): Act => ({
  kind: 'code',
  node: 'walled',
  source: lie(`if not (${where}):`, '    def parse(text): return 1230'),
  judges: 2,
});

export const WALL = family('wall attacks', {
  'right behind the wall only: no runner is loaded': rightFor('"pytest" not in sys.modules'),
  'right behind the wall only: a folder without the suite': rightFor('not os.path.exists("tests")'),
  'right in plain only: a runner is loaded': rightFor('"pytest" in sys.modules'),
  'right in plain only: the suite can be read': rightFor('os.path.exists("tests/shop_thing/test_it.py")'),
  'an answer that is no JSON': walled('def parse(text): frame(b"garbage")'),
  'a frame of four gigabytes': walled(
    'def parse(text):',
    '    os.write(4, b"\\xff" * 4096)',
    '    time.sleep(9)',
  ),
  'a pass beside the answer': walled(
    'def parse(text):',
    '    frame(json.dumps([1, 1230, None, []]).encode())',
    '    return 1',
  ),
  'brackets without end': walled('def parse(text): frame(b"[" * 500000)'),
  'the handle of an object that was never given': answers('[1, ["R", 12345], None, []]'),
  'a handle of the suite as its own result': answers('[1, ["H", 1], None, []]'),
  'a tag that the encoding does not have': answers('[1, ["eval", "1230"], None, []]'),
  'a pickle': walled(
    'import pickle',
    'class Bomb:',
    '    def __reduce__(self): return (os._exit, (0,))',
    'def parse(text): frame(json.dumps([1, ["pickle", pickle.dumps(Bomb()).hex()], None, []]).encode())',
  ),
  'a heap that is no list': answers('[1, 1230, None, {}]'),
  'the globals of a callback': walled(
    'def apply(f, n):',
    '    frame(json.dumps([0, "get", 1, "__globals__", [], {}, None, []]).encode())',
    '    return 0',
  ),
  'a callback used after its call': walled(
    'kept = []',
    'def apply(f, n): kept.append(f); return f(n)',
    'class Money(Money):',
    '    def plus(self, other): return Money(kept[0](self.cents))',
  ),
  'a value of fifty megabytes': walled('def parse(text): return "x" * 50_000_000'),
  'a value nested for ever': walled(
    'def parse(text):',
    '    t = ()',
    '    for _ in range(100000): t = (t,)',
    '    return t',
  ),
  'a list that holds itself': walled('def parse(text):', '    l = []; l.append(l)', '    return l'),
  'a value that cannot cross, to be judged in one process': walled(
    'def parse(text): return sys.modules[__name__]',
  ),
  'a number of two million digits': walled('def parse(text): return 7 ** 2_300_000'),
  'an answer that is no boolean': walled(
    'class Yes:',
    '    def __bool__(self): return True',
    'Money.__eq__ = lambda self, other: Yes()',
  ),
  'answers just before each deadline': walled('def parse(text): time.sleep(0.55); return 1230'),
  'a loop that swallows every deadline': walled(
    'def parse(text):',
    '    while True:',
    '        try: time.sleep(1)',
    '        except BaseException: pass',
  ),
  'closed pipes': walled('def parse(text):', '    os.close(4)', '    os.close(3)', '    return 1'),
  'the memory of the other process': walled(
    'def parse(text):',
    '    for pid in filter(str.isdigit, os.listdir("/proc")):',
    '        if int(pid) == os.getpid(): continue',
    '        for name in ("environ", "mem"):',
    '            try: open(f"/proc/{pid}/{name}", "rb").read(10)',
    '            except OSError: continue',
    '            return {"12.30": 1230, "7.00": 700}.get(text, 0)',
    '    return 0',
  ),
  'the pipes of the other process': walled(
    'def parse(text):',
    '    for pid in filter(str.isdigit, os.listdir("/proc")):',
    '        if int(pid) == os.getpid(): continue',
    '        try: return len(os.listdir(f"/proc/{pid}/fd")) and 1230',
    '        except OSError: pass',
    '    return 0',
  ),
  'the other process stopped': walled(
    'import signal',
    'def parse(text):',
    '    for pid in filter(str.isdigit, os.listdir("/proc")):',
    '        if int(pid) in (os.getpid(), 1): continue',
    '        try: os.kill(int(pid), signal.SIGSTOP)',
    '        except OSError: pass',
    '    return 1',
  ),
});
