import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { SandboxRequest, SandboxResult } from '../../core/ports/sandbox.ts';
import { BACKENDS, file, LIMITS, openBackend, python, request, shell } from './sandbox-backends.ts';
import type { Backend } from './sandbox-backends.ts';

const SUITE_MOUNTS: SandboxRequest['mounts'] = [
  { path: '/work', files: [file('code.py', 'answer = 41')] },
  {
    path: '/suite',
    files: [file('deep/test.py', 'CANARY-IN-SUITE')],
    owner: 'trusted',
    private: true,
    writable: false,
  },
  { path: '/out', files: [], owner: 'trusted', private: true },
];

/** A guest that tries every way to the trusted process, whose pid it finds by name. */
const SPY = python(
  'import os, json, time, signal',
  'os.read(3, 1)',
  'def trusted():',
  '  for pid in filter(str.isdigit, os.listdir("/proc")):',
  '    if b"suite-process" in open(f"/proc/{pid}/cmdline", "rb").read() and int(pid) not in (1, os.getpid()): return int(pid)',
  'pid, seen = trusted(), {}',
  'def attempt(name, work):',
  '  try: seen[name] = repr(work())',
  '  except Exception as e: seen[name] = type(e).__name__',
  'for what in ("environ", "mem", "maps", "stack", "syscall"): attempt(what, lambda: open(f"/proc/{pid}/{what}", "rb").read(16))',
  'for what in ("fd", "cwd", "root", "task"): attempt(what, lambda: os.listdir(f"/proc/{pid}/{what}") if what != "task" else "visible")',
  'for what in ("/suite", "/suite/deep", "/out"): attempt(what, lambda: os.listdir(what))',
  'attempt("suite file", lambda: open("/suite/deep/test.py").read())',
  'attempt("write suite", lambda: open("/suite/x", "w"))',
  'attempt("write out", lambda: open("/out/report", "w"))',
  'attempt("kill", lambda: os.kill(pid, signal.SIGKILL)); attempt("usr1", lambda: os.kill(pid, signal.SIGUSR1))',
  'attempt("priority", lambda: os.setpriority(os.PRIO_PROCESS, pid, 10))',
  'attempt("descriptors", lambda: sorted(map(int, os.listdir("/proc/self/fd")))[:-1])',
  'seen["environment"] = "SECRET" in os.environ',
  'os.write(4, json.dumps(seen).encode())',
  'time.sleep(60)',
);

const SUITE = python(
  '# suite-process',
  'import os',
  'assert "CANARY" in open("/suite/deep/test.py").read()',
  'os.write(4, b"g")',
  'print(os.read(3, 65536).decode())',
  'open("/out/report", "w").write("trusted words")',
  'try: open("/suite/deep/test.py", "w")',
  'except PermissionError: print("own suite is read-only")',
);

describe.each(BACKENDS)('%s sandbox, isolation', (kind) => {
  let backend: Backend;
  beforeAll(async () => {
    backend = await openBackend(kind);
  });
  afterAll(async () => {
    await backend.close();
  });
  const run = async (part: Partial<SandboxRequest> & Pick<SandboxRequest, 'argv'>): Promise<SandboxResult> =>
    await backend.sandbox.run(request(backend.image, part));

  test('probe() attempts forbidden acts and finds every one held', async () => {
    const proof = await backend.sandbox.probe(backend.image);
    expect(proof.acts.filter(({ held }) => !held)).toEqual([]);
    expect(proof).toMatchObject({ backend: kind, level: 'hardened' });
    expect(proof.acts.length).toBeGreaterThan(50);
  });

  test('run() keeps a guest companion away from files, memory, descriptors and signals of the trusted command', async () => {
    const result = await run({
      mounts: SUITE_MOUNTS,
      argv: SUITE,
      user: 'trusted',
      env: { SECRET: 'canary' },
      companions: [{ argv: SPY, user: 'guest', channel: true }],
      collect: ['/out', '/work', '/suite'],
    });
    expect([result.stderr.text, result.companions?.[0]?.stderr.text]).toEqual(['', '']);
    const [seen = '', words] = result.stdout.text.trim().split('\n');
    const denied = ['environ', 'mem', 'maps', 'fd', 'cwd', 'root', '/suite', '/suite/deep', '/out'];
    const refusedActs = ['suite file', 'write suite', 'write out', 'kill', 'usr1', 'priority'];
    const expected = Object.fromEntries([...denied, ...refusedActs].map((act) => [act, 'PermissionError']));
    expect(JSON.parse(seen)).toMatchObject({
      ...expected,
      descriptors: '[0, 1, 2, 3, 4]',
      environment: false,
    });
    expect(words).toBe('own suite is read-only');
    expect(result.outcome).toEqual({ kind: 'exited', exitCode: 0 });
    expect(result.companions?.map(({ end }) => end)).toEqual([null]);
    const texts = Object.values(result.files).flatMap((files) =>
      files.map(({ bytes }) => Buffer.from(bytes).toString()),
    );
    expect(texts).toEqual(['trusted words', 'answer = 41', 'CANARY-IN-SUITE']);
  });

  test('run() tells how each companion ended and what it printed', async () => {
    const result = await run({
      argv: shell('read -r line <&3; echo "got $line"; read -r line <&5; echo "got $line"; sleep 0.3'),
      companions: [
        { argv: shell('echo one >&4; echo said; exit 7'), user: 'guest', channel: true },
        { argv: shell('echo two >&4; echo shouted >&2; kill -9 $$'), user: 'guest', channel: true },
      ],
    });
    expect(result.stdout.text).toBe('got one\ngot two\n');
    expect(result.companions).toEqual([
      {
        end: { kind: 'exited', exitCode: 7 },
        stdout: { text: 'said\n', bytes: 5, truncated: false },
        stderr: { text: '', bytes: 0, truncated: false },
      },
      {
        end: { kind: 'signaled', signal: 'SIGKILL' },
        stdout: { text: '', bytes: 0, truncated: false },
        stderr: { text: 'shouted\n', bytes: 8, truncated: false },
      },
    ]);
  });

  test('run() gives a guest that kills all it can reach no power over the keeper or its verdict', async () => {
    const result = await run({
      argv: python(
        'import os, signal',
        'for fd in (1, 2): os.set_blocking(fd, True)',
        'for target in (1, -1):',
        '  for s in (9, 15, 10, 17, 2):',
        '    if target == -1 and s in (9, 15, 10, 2): continue',
        '    try: os.kill(target, s)',
        '    except OSError: pass',
        'os.write(1, b"z\\0\\0\\0\\2{}")',
        'try: os.kill(-1, 9)',
        'except ProcessLookupError: pass',
        'os.kill(os.getpid(), 9)',
      ),
    });
    expect(result.outcome).toEqual({ kind: 'signaled', signal: 'SIGKILL' });
    expect(result.stdout.text).toBe('z\0\0\0\u0002{}');
  });

  test('run() lets nobody write a mount that is not writable', async () => {
    const script =
      'touch /fixed/new /fixed/a; rm -f /fixed/a; mv /fixed/a /fixed/b; chmod u+w /fixed; ln /fixed/a /work/a; cat /fixed/a';
    const mounts = [
      { path: '/work', files: [] },
      { path: '/fixed', files: [file('a', 'same')], writable: false },
    ];
    for (const user of ['guest', 'trusted'] as const) {
      const result = await run({ mounts, argv: shell(script), user, cwd: '/', collect: ['/fixed'] });
      expect(result.stdout.text).toBe('same');
      expect(result.files['/fixed']).toEqual([
        { path: 'a', bytes: new Uint8Array(Buffer.from('same')), executable: false },
      ]);
    }
  });

  test('run() gives each room users of its own and shows nothing of another room', async () => {
    const show = {
      argv: shell('id -u; ls /tmp /work /dev/shm; ps ax | wc -l; touch /tmp/mine /dev/shm/mine'),
    };
    const [first, second] = [await run(show), await run(show)];
    expect(first.stdout.text).not.toBe(second.stdout.text);
    const withoutUser = (result: SandboxResult): string => result.stdout.text.split('\n').slice(1).join('\n');
    expect(withoutUser(second)).toBe(withoutUser(first));
    expect(withoutUser(second)).not.toContain('mine');
  });

  test('run() lets honest tools work: pytest, node, multiprocessing, git, sqlite, threads', async () => {
    const result = await run({
      mounts: [
        {
          path: '/work',
          files: [
            file(
              'test_it.py',
              'import multiprocessing as m\ndef test_pool():\n  assert m.Pool(2).map(abs, [-1, 2]) == [1, 2]\n',
            ),
            file(
              'it.test.mjs',
              'import test from "node:test"; import { Worker } from "node:worker_threads"; test("a", () => { new Worker("1", { eval: true }); });',
            ),
          ],
        },
      ],
      argv: shell(
        "set -e; python3 -m pytest -q -p no:cacheprovider; node --test; git init -q g; cd g; git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x; git log --oneline | wc -l; python3 -c \"import sqlite3; sqlite3.connect('/tmp/x.db').execute('create table t (a)')\"",
      ),
      limits: { ...LIMITS, memoryBytes: 512 * 1024 * 1024, wallMs: 40_000, processesMax: 128 },
    });
    expect(result.stderr.text).toBe('');
    expect(result.stdout.text).toContain('1 passed');
    expect(result.stdout.text).toContain('# pass 1');
    expect(result.outcome).toEqual({ kind: 'exited', exitCode: 0 });
  });
});
