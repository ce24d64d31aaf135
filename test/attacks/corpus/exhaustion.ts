/** Everything taken: processes, memory, disk, output, names, time. The code answers honestly besides: only a limit is in its way. */
import { MIB } from '../../adapters/sandbox-backends.ts';
import { family, type Act } from '../attack.ts';
import { greedy, lie } from './nodes.ts';

type Limits = NonNullable<Extract<Act, { kind: 'code' }>['limits']>;
const code =
  (node: 'walled' | 'inside', make: (...lines: readonly string[]) => string) =>
  (limits: Limits, ...lines: readonly string[]): Act => ({
    kind: 'code',
    node,
    source: make(...lines),
    limits,
  });
const takes = code('inside', greedy);
const takesBehind = code('walled', greedy);
const inside = code('inside', lie);
const walled = code('walled', lie);

const FORKS = [
  'try:',
  '    while True:',
  '        if os.fork() == 0: time.sleep(60)',
  'except OSError: pass',
];
const DISK = [
  'try:',
  '    with open("/tmp/big", "wb") as f:',
  '        while True: f.write(b"x" * 65536)',
  'except OSError: pass',
];
const MEMORY = 'hog = [bytearray(b"x" * (1 << 20)) for _ in range(4096)]';

/** What a guest sees of the clock of its room. */
const CLOCK = [
  'def clock():',
  '    counted, since = map(int, open("/dev/shm/clock").read().split())',
  '    return counted + (max(0, min(time.monotonic() * 1000 - since, 500)) if since else 0)',
  'crowd = []',
];
/** Through where the clock goes much slower than that. */
const rateOf = (seconds: string): string[] => [
  `rate = (clock() - counted) / ${seconds} / 1000`,
  'for pid in crowd: os.kill(pid, 9); os.waitpid(pid, 0)',
  'if rate > 0.7: raise TimeoutError(rate)',
  'GOT = f"the clock went at {rate:.2f}"',
];

export const EXHAUSTION = family('exhaustion', {
  'forks without end': takes({ processesMax: 24 }, ...FORKS),
  'forks without end, behind the wall': takesBehind({ processesMax: 24 }, ...FORKS),
  'threads without end': takes(
    { processesMax: 24 },
    'try:',
    '    while True: threading.Thread(target=time.sleep, args=(60,), daemon=True).start()',
    'except RuntimeError: pass',
  ),
  memory: takes({}, MEMORY),
  'memory, behind the wall': takesBehind({}, MEMORY),
  'memory of a child, its death hidden': takes(
    {},
    'import subprocess',
    `subprocess.run([sys.executable, "-c", ${JSON.stringify(MEMORY)}])`,
    'os._exit(137)',
  ),
  'memory in JavaScript': {
    kind: 'code',
    node: 'javascript',
    source:
      'const hog = [];\nexport function parse(text) { for (;;) hog.push(new Array(100000).fill(hog.length)); }\n',
    limits: { memoryBytes: 256 * MIB, wallMs: 30_000, testTimeoutMs: 20_000 },
  },
  'a disk filled': takes({}, ...DISK),
  'a disk filled, behind the wall': takesBehind({}, ...DISK),
  'files without end': takes(
    {},
    'try:',
    '    for n in range(100000): open(f"/tmp/f{n}", "w").close()',
    'except OSError: pass',
  ),
  'folders without bottom': takes(
    { wallMs: 10_000, testTimeoutMs: 8_000 },
    'os.chdir("/tmp")',
    'try:',
    '    for n in range(100000): os.mkdir("d"); os.chdir("d")',
    'except OSError: pass',
    'finally: os.chdir("/work")',
  ),
  'two megabytes of output where one is allowed': takesBehind(
    { outputBytes: MIB },
    'for _ in range(32): os.write(1, b"x" * 65536)',
  ),
  'four hundred megabytes of output': takesBehind(
    { outputBytes: MIB },
    'for _ in range(6400): os.write(1, b"x" * 65536)',
  ),
  'four hundred megabytes of output, in one process': takes(
    { outputBytes: MIB },
    'for _ in range(6400): os.write(1, b"x" * 65536)',
  ),
  'sleep in a call': inside({ testTimeoutMs: 600 }, 'def parse(text): time.sleep(60)'),
  'sleep in a call, behind the wall': walled({ testTimeoutMs: 800 }, 'def parse(text): time.sleep(60)'),
  'sleep at import': inside({ wallMs: 6_000 }, 'time.sleep(60)'),
  'sleep at import, behind the wall': walled({ testTimeoutMs: 1_000, wallMs: 7_000 }, 'time.sleep(60)'),
  'sleep that swallows every deadline': inside(
    { testTimeoutMs: 500, wallMs: 6_000 },
    'def parse(text):',
    '    while True:',
    '        try: time.sleep(60)',
    '        except BaseException: pass',
  ),
  'waiting for a lock that nobody frees': inside(
    { testTimeoutMs: 500, wallMs: 6_000 },
    'import signal',
    'signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})',
    'def parse(text): threading.Lock().acquire(); lock = threading.Lock(); lock.acquire(); lock.acquire()',
  ),
  'its own process stopped': inside(
    { testTimeoutMs: 500, wallMs: 6_000 },
    'import signal',
    'def parse(text): os.kill(os.getpid(), signal.SIGSTOP)',
  ),
  'a deleted report and a sleep, to look like a platform': inside(
    { testTimeoutMs: 500, wallMs: 6_000 },
    'import signal',
    'signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})',
    'os.remove("/out/report.jsonl")',
    'time.sleep(60)',
  ),
  'an endless loop': inside({ testTimeoutMs: 600 }, 'def parse(text):', '    while True: pass'),
  'an endless loop at import': inside({ wallMs: 6_000, testTimeoutMs: 2_000 }, 'while True: pass'),
  'every file below / read': inside(
    { testTimeoutMs: 1_000, wallMs: 12_000 },
    'import glob',
    'def parse(text):',
    '    for path in glob.iglob("/**", recursive=True, include_hidden=True):',
    '        try: open(path, "rb").read()',
    '        except OSError: pass',
    '    return 1',
  ),
  "the room's clock slowed by a crowd on one processor": {
    kind: 'guest',
    lines: [
      ...CLOCK,
      'def spin():',
      '    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})',
      '    end = time.monotonic() + 4',
      '    while time.monotonic() < end: pass',
      'for _ in range(6):',
      '    crowd.append(os.fork())',
      '    if crowd[-1] == 0: spin(); os._exit(0)',
      'time.sleep(0.6)',
      'counted, at = clock(), time.monotonic()',
      'time.sleep(1.6)',
      ...rateOf('(time.monotonic() - at)'),
    ],
  },
  "the room's clock slowed by processes that each end at once": {
    kind: 'guest',
    lines: [
      ...CLOCK,
      // On a busy machine the crowd gets less: the clock is held against what it has used.
      'import mmap, resource, struct',
      'used = mmap.mmap(-1, 8 * 13)',
      'def spin(seconds, at=None):',
      '    end = time.monotonic() + seconds',
      '    while time.monotonic() < end:',
      '        if at is not None: struct.pack_into("d", used, 8 * at, time.process_time())',
      'def breed(at):',
      '    end = time.monotonic() + 4',
      '    while time.monotonic() < end:',
      '        pid = os.fork()',
      '        if pid == 0: spin(0.03); os._exit(0)',
      '        os.waitpid(pid, 0)',
      '        mine = resource.getrusage(resource.RUSAGE_CHILDREN)',
      '        struct.pack_into("d", used, 8 * at, mine.ru_utime + mine.ru_stime)',
      'def ran(): return sum(struct.unpack("13d", used)) / len(os.sched_getaffinity(0))',
      'for at in range(13):',
      '    crowd.append(os.fork())',
      '    if crowd[-1] == 0: (breed(at) if at else spin(4, 0)); os._exit(0)',
      'time.sleep(0.6)',
      'counted, before = clock(), ran()',
      'time.sleep(1.6)',
      ...rateOf('(ran() - before)'),
    ],
  },
  'a sleeping process in JavaScript': {
    kind: 'code',
    node: 'javascript',
    source:
      'export function parse(text) { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60000); }\n',
    limits: { testTimeoutMs: 800, wallMs: 10_000 },
  },
});
