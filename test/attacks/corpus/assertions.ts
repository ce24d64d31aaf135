/** Assertions of the suite that the code is handed: in callbacks, in blocks that it closes, in doubles that it may change. */
import { family, type Act } from '../attack.ts';
import { lie, TYPED_HONEST } from './nodes.ts';

const walled = (...lines: readonly string[]): Act => ({
  kind: 'code',
  node: 'walled',
  source: lie(...lines),
  limits: { testTimeoutMs: 1500, wallMs: 15_000 },
});
/** Calls back with what is wrong for one test and right for the others. */
const applies = (...lines: readonly string[]): Act =>
  walled('def apply(f, n):', '    if n != 5: return f(n)', ...lines.map((line) => `    ${line}`));
const typed = (name: string, source: string): Act => ({
  kind: 'code',
  node: 'typed',
  source: `${Object.values({ ...TYPED_HONEST, [name]: source }).join('\n')}\n`,
});

export const ASSERTIONS = family('verdict forging', {
  'a failed assertion of a callback caught': applies('try: f(99)', 'except BaseException: pass', 'return 6'),
  'arguments tried until no assertion fails': applies(
    'for guess in range(10):',
    '    try: return f(guess)',
    '    except AssertionError: continue',
  ),
  'the wanted value read from a failed assertion': applies(
    'try: return f(99)',
    'except AssertionError as error:',
    '    import re',
    '    return f(int(re.search("== ([0-9]+)", str(error) + repr(error.args))[1]))',
  ),
  'a failed assertion caught in a coroutine': walled(
    'async def later(f):',
    '    try: await f(99)',
    '    except BaseException: pass',
  ),
  'a failed assertion gathered as a value': walled(
    'async def later(f):',
    '    import asyncio',
    '    await asyncio.gather(f(99), return_exceptions=True)',
  ),
  'a failed assertion of a task that nobody awaits': walled(
    'async def later(f):',
    '    import asyncio',
    '    task = asyncio.ensure_future(f(99))',
    '    await asyncio.sleep(0.05)',
  ),
  'a block that closes over failed assertions': walled(
    'Batch.total = lambda self: 0',
    'Batch.__exit__ = lambda self, *error: True',
  ),
  'a block that leaves by another error': walled(
    'import contextlib',
    'class Batch(contextlib.suppress, Batch):',
    '    def __init__(self): contextlib.suppress.__init__(self, BaseException); self.all = []',
    '    def __enter__(self): return self',
    '    def total(self): return 0',
  ),
  "a method of the suite's double replaced": walled('def feed(spy): spy.has_seen = lambda n: True'),
  "a method of the suite's double replaced by another of its own": walled(
    'def feed(spy): spy.has_seen = spy.record',
  ),
  'a failed assertion of a callback caught in JavaScript': typed(
    'each',
    "export function each(xs, f) { try { f('b' + 'c'); } catch { f('a'); } }",
  ),
  'arguments tried until no assertion fails in JavaScript': typed(
    'each',
    "export function each(xs, f) { for (const c of 'zyxa') { try { f(c); return; } catch {} } }",
  ),
  'a failed assertion of a promise caught': typed(
    'run',
    'export async function run(f) { try { await f(99); } catch {} }',
  ),
  'a failed assertion of a promise settled': typed(
    'run',
    'export async function run(f) { await Promise.allSettled([f(99)]); }',
  ),
  'a failed assertion of a promise that nobody awaits': typed(
    'run',
    'export async function run(f) { f(99).catch(() => {}); }',
  ),
  "a method of the suite's object replaced": typed(
    'feed',
    'export function feed(spy) { spy.saw = () => true; }',
  ),
  "a method of the suite's object behind a getter": typed(
    'feed',
    "export function feed(spy) { Object.defineProperty(spy, 'saw', { get: () => () => true, configurable: true }); }",
  ),
  "a builtin in place of a method of the suite's object": typed(
    'feed',
    'export function feed(spy) { spy.saw = Math.abs; }',
  ),
});
