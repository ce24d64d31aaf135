/** Reports that are made to break or to mislead their reader, and files that an interpreter would load by itself. */
import { family, type Act } from '../attack.ts';
import { lie } from './nodes.ts';

const inside = (...lines: readonly string[]): Act => ({
  kind: 'code',
  node: 'inside',
  source: lie(...lines, 'def parse(text): return 1'),
});
/** `R` is the report, `START` its first line. */
const report = (...lines: readonly string[]): Act =>
  inside('R = "/out/report.jsonl"', 'START = json.loads(open(R).read().splitlines()[0])', ...lines);
const adds = (python: string): Act => report(`open(R, "ab").write(${python} + b"\\n")`);
const loads = (path: string, text: string): Act => ({
  kind: 'code',
  node: 'walled',
  source: lie('def parse(text): return 1'),
  files: { [path]: text },
  changedPaths: ['shop/thing.py', path],
});
const walled = (...lines: readonly string[]): Act => ({
  kind: 'code',
  node: 'walled',
  source: lie(...lines),
  limits: { testTimeoutMs: 1500, wallMs: 12_000 },
});

export const REPORTS = family('verdict forging', {
  'a report with a number that is none': adds('b\'{"kind": "test", "durationMs": NaN}\''),
  'a report with a key twice': adds(
    'b\'{"kind": "end", "kind": "test", "nonce": "\' + START["nonce"].encode() + b\'"}\'',
  ),
  'a report nested for ever': adds('b"[" * 200000'),
  'a report that is no UTF-8': adds('b"\\xff\\xfe\\xff"'),
  'a report with a line of thirty megabytes': adds('b"x" * 30_000_000'),
  'a report that pollutes a prototype': adds(
    'b\'{"__proto__": {"outcome": "passed"}, "constructor": {"prototype": {"outcome": "passed"}}, "kind": "test"}\'',
  ),
  'a report that ends twice': adds(
    'json.dumps({"kind": "end", "nonce": START["nonce"], "collected": 8, "ran": 8}).encode()',
  ),
  'a FIFO where the report was': report('os.remove(R); os.mkfifo(R)'),
  'a folder where the report was': report('os.remove(R); os.mkdir(R)'),
  'a report of eight gigabytes of holes': report(
    'try: os.truncate(R, 1 << 33)',
    'except OSError: os.remove(R)',
  ),
  'bytecode beside the code': loads('shop/__pycache__/thing.cpython-311.pyc', 'x'),
  'usercustomize in the tree': loads('usercustomize.py', 'import os; os._exit(0)\n'),
  'a json module in the tree': loads('json.py', 'dumps = lambda *a, **k: "[1,1230,null,[]]"\n'),
  'the clock of the code stopped': walled(
    'time.monotonic = time.time = time.perf_counter = lambda: 0',
    'def parse(text): time.sleep(30); return 1230',
  ),
  'an error whose text ends the process': walled(
    'class E(ValueError):',
    '    def __str__(self): os._exit(0)',
    'def parse(text): raise E("x")',
  ),
  'a group of errors that holds an interrupt': walled(
    'def parse(text): raise BaseExceptionGroup("x", [KeyboardInterrupt()])',
  ),
  'a generator that ends the process when it is closed': walled(
    'def halves(xs):',
    '    try: yield 1',
    '    finally: os._exit(0)',
  ),
  'hooks of tracing and audit': walled(
    'sys.addaudithook(lambda *a: None); sys.settrace(lambda *a: None); sys.setprofile(lambda *a: None)',
    'def parse(text): return 1',
  ),
});
