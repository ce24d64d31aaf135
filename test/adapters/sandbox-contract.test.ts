import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { SandboxRequest, SandboxResult, SandboxRunOptions } from '../../core/ports/sandbox.ts';
import { BACKENDS, file, LIMITS, MIB, openBackend, python, request, shell } from './sandbox-backends.ts';
import type { Backend } from './sandbox-backends.ts';

describe.each(BACKENDS)('%s sandbox', (kind) => {
  let backend: Backend;
  beforeAll(async () => {
    backend = await openBackend(kind);
  });
  afterAll(async () => {
    await backend.close();
  });
  const run = async (
    part: Partial<SandboxRequest> & Pick<SandboxRequest, 'argv'>,
    options?: SandboxRunOptions,
  ): Promise<SandboxResult> => await backend.sandbox.run(request(backend.image, part), options);

  test('run() lays files, passes environment and input, and returns exit code, output and files', async () => {
    const deep = `${'long-folder-name/'.repeat(8)}file.txt`;
    const result = await run({
      mounts: [
        {
          path: '/work',
          files: [
            file('a/tool.sh', '#!/bin/sh\ncat a/b.txt; cat; echo $WORD', true),
            file('a/b.txt', 'laid '),
          ],
        },
        { path: '/out', files: [file(deep, 'kept')] },
      ],
      argv: shell(
        'echo oops >&2; ./a/tool.sh; mkdir -p /out/ä; echo 1 > /out/ä/r; chmod +x /out/ä/r; exit 3',
      ),
      stdin: Buffer.from('input '),
      env: { WORD: 'word' },
      collect: ['/out'],
    });
    expect(result).toEqual({
      outcome: { kind: 'exited', exitCode: 3 },
      stdout: { text: 'laid input word\n', bytes: 16, truncated: false },
      stderr: { text: 'oops\n', bytes: 5, truncated: false },
      files: {
        '/out': [
          { path: deep, bytes: new Uint8Array(Buffer.from('kept')), executable: false },
          { path: 'ä/r', bytes: new Uint8Array(Buffer.from('1\n')), executable: true },
        ],
      },
      refused: [],
      durationMs: expect.any(Number),
      cpuMs: expect.any(Number),
      waitedMs: expect.any(Number),
      limitsHit: [],
    });
  });

  test('run() tells a signal, an exit code of 137 and a missing program apart', async () => {
    const [killed, code137, missing] = await Promise.all([
      run({ argv: shell('kill -SEGV $$') }),
      run({ argv: shell('exit 137') }),
      run({ argv: ['no-such-program'] }),
    ]);
    expect(killed.outcome).toEqual({ kind: 'signaled', signal: 'SIGSEGV' });
    expect(code137.outcome).toEqual({ kind: 'exited', exitCode: 137 });
    expect(missing.outcome).toEqual({ kind: 'exited', exitCode: 127 });
    expect(missing.stderr.text).toContain('Cannot start no-such-program');
  });

  test('run() gives a room loopback, by number and by name, and no other interface', async () => {
    const script = [
      'import socket, threading',
      'server = socket.create_server(("127.0.0.1", 0))',
      'threading.Thread(target=lambda: [server.accept()[0].sendall(b"hello") for _ in range(2)]).start()',
      'for name in ("127.0.0.1", "localhost"):',
      '    print(socket.create_connection((name, server.getsockname()[1])).recv(5))',
      'print([name for _, name in socket.if_nameindex()])',
    ].join('\n');
    const result = await run({ argv: python(script) });
    expect(result.stderr.text).toBe('');
    expect(result.stdout.text).toBe("b'hello'\nb'hello'\n['lo']\n");
  });

  test('run() stops a guest that sleeps at the wall limit, and one that is busy with its processor time', async () => {
    const limits = { ...LIMITS, wallMs: 2_500 };
    const asleep = await run({ argv: shell('trap "" TERM; echo start; sleep 60'), limits });
    expect(asleep.outcome).toEqual({ kind: 'timed_out', limitMs: 2_500 });
    expect(asleep.stdout.text).toBe('start\n');
    expect(asleep.cpuMs).toBeLessThan(350);
    // Long enough that also a starved machine gives the loop more processor time than the sleeper's start took.
    const busy = await run({ argv: python('while True: pass'), limits: { ...limits, wallMs: 5000 } });
    expect(busy.outcome).toEqual({ kind: 'timed_out', limitMs: 5000 });
    expect(busy.cpuMs).toBeGreaterThan(asleep.cpuMs ?? 0);
  });

  test('run() names a guest that ran out of memory, also when only a child was killed', async () => {
    const bomb = 'b = []\nwhile True: b.append(bytearray(b"x" * 1048576))';
    const [main, child] = await Promise.all([
      run({ argv: python(bomb) }),
      run({
        argv: python(
          'import subprocess, sys',
          `sys.exit(subprocess.run(["python3", "-c", ${JSON.stringify(bomb)}]).returncode != 0)`,
        ),
      }),
    ]);
    const outcome = { kind: 'out_of_memory', limitBytes: LIMITS.memoryBytes };
    expect([main.outcome, child.outcome]).toEqual([outcome, outcome]);
  });

  test('run() cuts output at its limit, says so and kills the guest', async () => {
    const result = await run({ argv: ['yes'], limits: { ...LIMITS, outputBytes: 10_000 } });
    expect(result.outcome).toEqual({ kind: 'output_limit', limitBytes: 10_000 });
    expect(result.stdout.text).toHaveLength(10_000);
    expect(result.stdout.truncated).toBe(true);
    expect(result.stdout.bytes).toBeGreaterThan(10_000);
  });

  test('run() bounds processes and says that the limit was hit', async () => {
    const fork =
      'import os, time\nn = 0\ntry:\n  while True:\n    if os.fork() == 0: time.sleep(60)\n    n += 1\nexcept OSError: print(n)';
    const result = await run({ argv: python(fork), limits: { ...LIMITS, processesMax: 20 } });
    expect(result.outcome).toEqual({ kind: 'exited', exitCode: 0 });
    expect(Number(result.stdout.text)).toBeLessThanOrEqual(20);
    expect(Number(result.stdout.text)).toBeGreaterThan(10);
    expect(result.limitsHit).toEqual(['processes']);
  });

  test('run() bounds bytes and number of files together', async () => {
    const fill =
      'head -c 80M /dev/zero > /work/big; head -c 80M /dev/zero > /tmp/big; head -c 80M /dev/zero > /dev/shm/big';
    const bytes = await run({ argv: shell(`${fill}; cat /work/big /tmp/big /dev/shm/big | wc -c`) });
    expect(Number(bytes.stdout.text)).toBeLessThanOrEqual(LIMITS.diskBytes + 2 * MIB);
    expect(Number(bytes.stdout.text)).toBeGreaterThan(LIMITS.diskBytes / 4);
    expect(bytes.limitsHit).toEqual(['disk']);
    const files = await run({ argv: python('for i in range(100000): open(f"/work/{i}", "w").close()') });
    expect(files.outcome).toEqual({ kind: 'exited', exitCode: 1 });
    expect(files.stderr.text).toContain('No space left on device');
    expect(files.limitsHit).toEqual(['disk']);
  });

  test('run() ends descendants that left the session and hold the output open', async () => {
    const before = performance.now();
    const result = await run({ argv: shell('setsid sleep 50 & (setsid sh -c "sleep 60" &) ; echo done') });
    expect(result.outcome).toEqual({ kind: 'exited', exitCode: 0 });
    expect(result.stdout.text).toBe('done\n');
    expect(performance.now() - before).toBeLessThan(10_000);
  });

  test('run() reaps orphans, so that they do not use up the process limit', async () => {
    const script =
      'for i in $(seq 100); do (sleep 0.001 &) ; done; sleep 0.3; for i in $(seq 100); do (true &) ; done; echo fine';
    const result = await run({ argv: shell(script), limits: { ...LIMITS, processesMax: 120 } });
    expect(result.stdout.text).toBe('fine\n');
    expect(result.limitsHit).toEqual([]);
  });

  test('run() refuses whatever is not a regular file with a plain name', async () => {
    const result = await run({
      mounts: [
        { path: '/work', files: [] },
        { path: '/out', files: [] },
      ],
      argv: python(
        'import os, socket',
        'os.chdir("/out")',
        'open("good", "w").write("good")',
        'os.symlink("/etc/passwd", "link"); os.symlink("/etc", "folder")',
        'open("/out/twin", "w").close(); os.link("twin", "twin2")',
        'socket.socket(socket.AF_UNIX).bind("sock")',
        'os.truncate(os.open("sparse", os.O_CREAT | os.O_RDWR), 20 << 20); os.truncate(os.open("sparse2", os.O_CREAT | os.O_RDWR), 20 << 20)',
        'os.makedirs(".GIT/hooks"); open(".GIT/hooks/x", "w").close()',
        'open(b"bad\\xff", "w").close(); open("new\\nline", "w").close(); open("back\\\\slash", "w").close()',
        'open("secret", "w").write("s"); os.chmod("secret", 0)',
        'try: os.mkfifo("pipe")',
        'except PermissionError: pass',
      ),
      collect: ['/out', '/missing'],
    });
    expect(result.stderr.text).toBe('');
    expect(result.files['/out']?.map(({ path }) => path)).toEqual(['good', 'secret', 'sparse']);
    const refused = result.refused.filter(({ path }) => path !== '/out/pipe');
    expect(refused.sort((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
      { path: '/missing', reason: 'other' },
      { path: '/out/.GIT/hooks/x', reason: 'git' },
      { path: '/out/back\\slash', reason: 'path' },
      { path: '/out/bad\ufffd', reason: 'path' },
      { path: '/out/folder', reason: 'symlink', target: '/etc' },
      { path: '/out/link', reason: 'symlink', target: '/etc/passwd' },
      { path: '/out/new\nline', reason: 'path' },
      { path: '/out/sock', reason: 'socket' },
      { path: '/out/sparse2', reason: 'too_large' },
      { path: '/out/twin', reason: 'hard_link' },
      { path: '/out/twin2', reason: 'hard_link' },
    ]);
  });

  test('run() returns files also after a time-out', async () => {
    const result = await run({
      argv: shell('echo part > /work/report; sleep 60'),
      limits: { ...LIMITS, wallMs: 2_500 },
      collect: ['/work'],
    });
    expect(result.outcome.kind).toBe('timed_out');
    expect(result.files['/work']?.map(({ path }) => path)).toEqual(['report']);
  });

  test('run() ends at once when it is cancelled, before and during the command', async () => {
    const before = await run({ argv: ['true'] }, { signal: AbortSignal.abort() });
    expect(before.outcome).toEqual({ kind: 'cancelled' });
    const started = performance.now();
    const during = await run({ argv: ['sleep', '60'] }, { signal: AbortSignal.timeout(1200) });
    expect(during.outcome).toEqual({ kind: 'cancelled' });
    expect(performance.now() - started).toBeLessThan(6_000);
  });

  test('run() of the same key first removes the earlier attempt', async () => {
    const same = request(backend.image, { argv: ['sleep', '60'] });
    const first = backend.sandbox.run(same);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const second = await backend.sandbox.run({ ...same, argv: ['true'] });
    expect(second.outcome).toEqual({ kind: 'exited', exitCode: 0 });
    expect((await first).outcome.kind).toBe('lost');
  });

  test('run() loses nothing of a large tree or a large input', async () => {
    const files = Array.from({ length: 1_500 }, (_, at) =>
      file(`d${at % 40}/f${at}.txt`, `text ${at}\n`.repeat(20)),
    );
    const result = await run({
      mounts: [{ path: '/work', files, writable: false }],
      argv: shell('find . -type f | wc -l; cat d*/* | wc -c; wc -c'),
      stdin: Buffer.alloc(3 * MIB, 'x'),
    });
    const bytes = files.reduce((sum, { bytes: { length } }) => sum + length, 0);
    expect(result.stdout.text.split('\n').slice(0, 3)).toEqual(['1500', String(bytes), String(3 * MIB)]);
  });

  test('run() refuses a wrong request by throwing, and an unknown image as lost', async () => {
    await expect(run({ argv: [] })).rejects.toThrow('argv must name a command');
    await expect(run({ argv: ['true'], mounts: [{ path: '/etc/x', files: [] }] })).rejects.toThrow(
      'outside the system folders',
    );
    await expect(
      run({ argv: ['true'], mounts: [{ path: '/work', files: [file('../x', '')] }] }),
    ).rejects.toThrow('plain relative path');
    const result = await backend.sandbox.run({ ...request('a7-rt/no-such-image:1', { argv: ['true'] }) });
    expect(result.outcome.kind).toBe('lost');
  });
});
