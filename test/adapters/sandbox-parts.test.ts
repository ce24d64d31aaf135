import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { pack } from 'tar-stream';
import { isAlive, ownIdentity } from '../../adapters/sandbox/shared/process-identity.ts';
import { roomName } from '../../adapters/sandbox/shared/room-name.ts';
import { encodePlan, FrameReader } from '../../adapters/sandbox/shared/room-protocol.ts';
import { compileSeccomp } from '../../adapters/sandbox/shared/seccomp-bpf.ts';
import { syscallNumbers } from '../../adapters/sandbox/shared/syscall-numbers.ts';
import type { FilterArch } from '../../adapters/sandbox/shared/syscall-numbers.ts';
import { readCheckedTar } from '../../adapters/sandbox/shared/tar-out.ts';
import { diskShare } from '../../adapters/sandbox/shared/room-request.ts';
import { LIMITS, seccompProfile } from './sandbox-backends.ts';

test('diskShare() gives most to where a guest works, and never more than there is', () => {
  const mounts = [{ path: '/work' }, { path: '/opt/a7', writable: false }, { path: '/out' }];
  const limits = { ...LIMITS, diskBytes: 800 };
  const request = { mounts: mounts.map((mount) => ({ ...mount, files: [] })), limits };
  const shares = ['/work', '/out', '/tmp', '/dev/shm'].map((path) => diskShare(request, path));
  expect(shares).toEqual([300, 100, 300, 100]);
});

type Entry = Parameters<ReturnType<typeof pack>['entry']>[0] & { readonly text?: string };

describe('readCheckedTar()', () => {
  test('readCheckedTar() keeps regular files and refuses everything else with its reason', async () => {
    const tar = await tarOf([
      { name: '0/ok.txt', text: 'ok', mode: 0o755 },
      { name: '0/ok.txt', text: 'twice' },
      { name: '1/deep/ok', text: '' },
      { name: '0/link', type: 'symlink', linkname: '/etc/passwd' },
      { name: '0/hard', type: 'link', linkname: '0/ok.txt' },
      { name: '0/pipe', type: 'fifo' },
      { name: '0/device', type: 'character-device' },
      { name: '0/disk', type: 'block-device' },
      { name: '0/../up', text: 'x' },
      { name: '/0/absolute', text: 'x' },
      { name: '0/a//b', text: 'x' },
      { name: 'name/x', text: 'x' },
      { name: '0/.git/config', text: 'x' },
      { name: '0/sub/.Git', text: 'x' },
      { name: '0/GIT~1/config', text: 'x' },
      { name: '0/.g\u200bit/config', text: 'x' },
      { name: '0/.git. /config', text: 'x' },
      { name: '0/.gitignore', text: 'fine' },
      { name: '0/e\u0301', text: 'not NFC' },
      { name: `0/${'x'.repeat(300)}`, text: 'x' },
      { name: `0/${'d/'.repeat(40)}x`, text: 'x' },
    ]);
    const { files, refused } = await readCheckedTar(tar, { filesMax: 100, bytesMax: 1000 });
    expect(
      [...files].map(([folder, list]) => [
        folder,
        ...list.map(({ path, executable }) => `${path} ${executable}`),
      ]),
    ).toEqual([
      [0, 'ok.txt true', '.gitignore false'],
      [1, 'deep/ok false'],
    ]);
    expect(refused.map(({ reason }) => reason)).toEqual(
      'path symlink hard_link fifo device device path path path path git git git git git path path path'.split(
        ' ',
      ),
    );
  });

  test('readCheckedTar() stops at its limits and survives a broken stream', async () => {
    const tar = await tarOf([
      { name: '0/a', text: 'aaaa' },
      { name: '0/b', text: 'bbbb' },
      { name: '0/c', text: 'c' },
      { name: '0/d', text: '' },
    ]);
    const limited = await readCheckedTar(tar, { filesMax: 3, bytesMax: 6 });
    expect(limited.refused).toEqual([
      { path: '0/b', reason: 'too_large' },
      { path: '0/d', reason: 'too_many' },
    ]);
    const noise = await readCheckedTar(Buffer.alloc(4096, 7), { filesMax: 3, bytesMax: 6 });
    expect([noise.files.size, noise.refused.length]).toEqual([0, 1]);
  });
});

describe('FrameReader', () => {
  test('FrameReader gives the same frames however the stream is cut', () => {
    const frame = fc.record({
      kind: fc.constantFrom('o', 'e', 't', 'z'),
      payload: fc.uint8Array({ maxLength: 300 }),
    });
    fc.assert(
      fc.property(
        fc.array(frame, { maxLength: 20 }),
        fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1 }),
        (frames, cuts) => {
          const wire = Buffer.concat(
            frames.map(({ kind, payload }) => {
              const head = Buffer.alloc(5, kind);
              head.writeUInt32BE(payload.length, 1);
              return Buffer.concat([head, payload]);
            }),
          );
          const reader = new FrameReader();
          const read: string[] = [];
          for (let at = 0, turn = 0; at < wire.length; turn += 1) {
            const end = at + (cuts[turn % cuts.length] ?? 1);
            read.push(
              ...reader
                .push(wire.subarray(at, end))
                .map(({ kind, payload }) => kind + payload.toString('hex')),
            );
            at = end;
          }
          expect(read).toEqual(
            frames.map(({ kind, payload }) => kind + Buffer.from(payload).toString('hex')),
          );
        },
      ),
    );
  });

  test('FrameReader refuses a frame that no keeper sends', () => {
    expect(() => new FrameReader().push(Buffer.from('o\xff\xff\xff\xff', 'latin1'))).toThrow(
      'Cannot read the keeper',
    );
  });

  test('encodePlan() refuses a NUL, which would shift the fields behind it', () => {
    const plan = {
      collect: ['a\0b'],
      changes: [],
      prepared: [],
      prepare: null,
      writable: [],
      processes: [],
    } as unknown as Parameters<typeof encodePlan>[0];
    expect(() => encodePlan(plan)).toThrow('contains NUL');
  });
});

describe('compileSeccomp()', () => {
  const ALLOW = 0x7fff0000;
  const errno = (value: number): number => 0x00050000 | value;

  test.each(['x64', 'arm64'] as const)(
    'compileSeccomp() decides every call of %s as the profile says',
    (arch) => {
      const profile = seccompProfile();
      const filter = compileSeccomp(profile, arch);
      const plain = new Set(
        profile.syscalls
          .filter(({ args, action }) => args === undefined && action === 'SCMP_ACT_ALLOW')
          .flatMap(({ names }) => names),
      );
      const special = new Set(['socket', 'clone', 'clone3', 'personality']);
      for (const [name, number] of syscallNumbers(arch)) {
        if (special.has(name)) continue;
        expect([name, decide(filter, arch, number, [])]).toEqual([name, plain.has(name) ? ALLOW : errno(1)]);
      }
      const call = (name: string, ...args: bigint[]): number =>
        decide(filter, arch, syscallNumbers(arch).get(name) ?? -1, args);
      expect([1n, 2n, 10n].map((family) => call('socket', family))).toEqual([ALLOW, ALLOW, ALLOW]);
      expect([17n, 38n, 40n, (1n << 32n) | 2n].map((family) => call('socket', family))).toEqual([
        errno(1),
        errno(1),
        errno(1),
        errno(1),
      ]);
      expect([call('socket', 16n, 3n, 0n), call('socket', 16n, 3n, 9n)]).toEqual([ALLOW, errno(1)]);
      expect([call('clone', 0x11n), call('clone', 0x3d0f00n)]).toEqual([ALLOW, ALLOW]);
      for (const flag of [
        0x00020000n,
        0x02000000n,
        0x04000000n,
        0x08000000n,
        0x10000000n,
        0x20000000n,
        0x40000000n,
      ]) {
        expect(call('clone', flag | 0x11n)).toBe(errno(1));
      }
      expect([call('clone3'), call('personality', 0n), call('personality', 0x40000n)]).toEqual([
        errno(38),
        ALLOW,
        errno(1),
      ]);
    },
  );

  test('compileSeccomp() kills a call of another processor and denies the x32 calls', () => {
    const filter = compileSeccomp(seccompProfile(), 'x64');
    expect(decide(filter, 'arm64', 63, [])).toBe(0x80000000);
    expect(decide(filter, 'x64', 0x40000000, [])).toBe(errno(1));
  });

  test('the profile names no dangerous call', () => {
    const names = new Set(seccompProfile().syscalls.flatMap((rule) => rule.names));
    const dangerous =
      'ptrace process_vm_readv process_vm_writev keyctl add_key request_key io_uring_setup bpf mount umount2 unshare setns userfaultfd perf_event_open open_by_handle_at';
    expect(dangerous.split(' ').filter((name) => names.has(name))).toEqual([]);
  });
});

describe('names of rooms and owners', () => {
  test('roomName() is the same for every attempt and differs by owner', () => {
    const key = { key: 'x'.repeat(100), owner: 'a' };
    expect(roomName(key)).toBe(roomName({ ...key }));
    expect(roomName(key)).not.toBe(roomName({ ...key, owner: 'b' }));
    expect(roomName(key)).toMatch(/^a7-rt\.x{60}\.[0-9a-f]{16}$/);
  });

  test('isAlive() is false for a reused pid and for a process of an earlier boot', () => {
    const own = ownIdentity();
    expect(isAlive(own)).toBe(true);
    const [boot = '', pid = '', start = '', namespace = ''] = own.split(':');
    expect(isAlive([boot, pid, `${Number(start) - 1}`, namespace].join(':'))).toBe(false);
    expect(isAlive(['earlier-boot', pid, start, namespace].join(':'))).toBe(false);
    expect(isAlive([boot, '999999999', start, 'other-namespace'].join(':'))).toBe(true);
  });
});

async function tarOf(entries: readonly Entry[]): Promise<Buffer> {
  const stream = pack();
  for (const { text, ...header } of entries) {
    if (text === undefined) stream.entry({ ...header, size: 0 }, Buffer.alloc(0));
    else stream.entry(header, text);
  }
  stream.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** What the kernel would answer: a classic BPF machine with the six instructions that the compiler uses. */
function decide(filter: Buffer, arch: FilterArch, number: number, args: readonly bigint[]): number {
  const data = Buffer.alloc(64);
  data.writeInt32LE(number, 0);
  data.writeUInt32LE(arch === 'x64' ? 0xc000003e : 0xc00000b7, 4);
  args.forEach((value, at) => data.writeBigUInt64LE(value, 16 + 8 * at));
  let accumulator = 0;
  for (let at = 0; at < filter.length / 8; at += 1) {
    const [code, yes, no] = [
      filter.readUInt16LE(at * 8),
      filter.readUInt8(at * 8 + 2),
      filter.readUInt8(at * 8 + 3),
    ];
    const value = filter.readUInt32LE(at * 8 + 4);
    if (code === 0x06) return value;
    if (code === 0x20) accumulator = data.readUInt32LE(value);
    else if (code === 0x54) accumulator = (accumulator & value) >>> 0;
    else if (code === 0x15) at += accumulator === value ? yes : no;
    else if (code === 0x25) at += accumulator > value ? yes : no;
    else if (code === 0x35) at += accumulator >= value ? yes : no;
    else throw new Error(`Unknown instruction ${code}`);
  }
  throw new Error('The filter has no end');
}
