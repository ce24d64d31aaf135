/** Out of the tree, out of the room: paths, links, archives, devices, names that fold into one. */
import type { SandboxResult } from '../../../core/ports/sandbox.ts';
import { python, request } from '../../adapters/sandbox-backends.ts';
import { family, type Act, type Held } from '../attack.ts';
import type { Field } from '../field.ts';

const write = (path: string): Act => ({
  kind: 'tool',
  call: { tool: 'write_file', input: { path, content: 'owned\n', intent: 'attack' } },
});
const archive = (...entries: Extract<Act, { kind: 'archive' }>['entries']): Act => ({
  kind: 'archive',
  entries,
});
const guest = (...lines: readonly string[]): Act => ({ kind: 'guest', lines });

/** Leaves something in the folder that is collected, and looks at what came out. */
function leaves(...lines: readonly string[]): Act {
  return { kind: 'staged', run: (field) => leavesIn(field, lines) };
}

async function leavesIn(field: Field, lines: readonly string[]): Promise<Held> {
  const { rooms, host } = field;
  const result: SandboxResult = await rooms.sandbox.run(
    request(rooms.image, {
      argv: python('import os, socket', 'os.chdir("/work")', `HOST = "${host.folder}"`, ...lines),
      collect: ['/work'],
    }),
  );
  const files = result.files['/work'] ?? [];
  const reason = result.refused[0]?.reason;
  if (files.length > 0) return { outcome: 'got_through', reason: `came out: ${files[0]?.path ?? ''}` };
  if (reason !== undefined) return { outcome: 'blocked', reason };
  return { outcome: 'got_through', reason: `nothing was refused: ${result.stderr.text.slice(-200)}` };
}

export const FILE_SYSTEM = family('file system escapes', {
  'write ../ out of the tree': write('../host.txt'),
  'write shop/thing/../../../host.txt': write('shop/thing/../../../host.txt'),
  'write an absolute path': write('/etc/cron.d/a7'),
  'write a name that ends in a dot': write('shop/thing/x.'),
  'write a name with an invisible character': write('shop/thing/a\u200bb.py'),
  'write a name that is not in Unicode form C': write('shop/thing/e\u0301.py'),
  'write a Windows path': write('shop\\thing\\..\\..\\x'),
  'write a name with NUL': write('shop/thing/a\0b.py'),
  'write a name of five thousand letters': write(`shop/thing/${'a'.repeat(5000)}`),
  'write below three thousand folders': write(`shop/thing/${'a/'.repeat(3000)}x`),
  'write a stream beside a file': write('shop/thing/x.py:stream'),
  'write a name that is shown backwards': write('shop/thing/\u202eyp.exe'),
  'write a name with a joiner': write('shop/thing/a\u200db.py'),
  'write into the home of a person': write('~/.ssh/authorized_keys'),
  'write through __proto__': write('shop/thing/__proto__/../../../x'),
  'import a name that ends in a blank': { kind: 'import', paths: ['shop/thing.py '] },
  'import two spellings of one letter': { kind: 'import', paths: ['shop/\u212a.py', 'shop/k.py'] },
  'import letters that another case folds': { kind: 'import', paths: ['shop/I\u0307.py', 'shop/i\u0307.py'] },
  'write through a link of the base': {
    kind: 'tool',
    base: 'linked',
    call: { tool: 'write_file', input: { path: 'shop/thing', content: 'x', intent: 'attack' } },
  },
  'write below a link of the base': {
    kind: 'tool',
    base: 'linked',
    call: { tool: 'write_file', input: { path: 'shop/thing/x', content: 'x', intent: 'attack' } },
  },
  'read through a link of the base': {
    kind: 'tool',
    base: 'linked',
    call: { tool: 'read_file', input: { path: 'shop/thing', intent: 'attack' } },
  },
  'move a file out of the write set': {
    kind: 'tool',
    call: {
      tool: 'rename_file',
      input: { old_path: 'shop/thing.py', new_path: '../../x.py', intent: 'attack' },
    },
  },
  'import two names that differ in case': { kind: 'import', paths: ['shop/Thing.py', 'shop/thing.py'] },
  'import two names that fold into one': {
    kind: 'import',
    paths: ['shop/stra\u00dfe.py', 'shop/strasse.py'],
  },
  'import a file and a folder of one name': { kind: 'import', paths: ['shop/thing', 'shop/thing/x.py'] },
  'archive: ../ in a name': archive({ name: '0/../escape' }),
  'archive: an absolute name': archive({ name: '/etc/passwd' }),
  'archive: a link and a file behind it': archive(
    { name: '0/link', type: 'symlink', target: '/etc' },
    { name: '0/link/passwd', type: 'link', target: '/etc/passwd' },
  ),
  'archive: a device': archive({ name: '0/device', type: 'block' }),
  'archive: a FIFO where a report is read': archive({ name: '0/report.jsonl', type: 'fifo' }),
  'archive: one name twice': archive({ name: '0/fine', body: 'other' }),
  'archive: a longer name in a header of its own': archive(
    { name: 'x', type: 'longname', body: '0/../../host\0' },
    { name: '0/harmless' },
  ),
  'archive: more bytes than are there': archive({ name: '0/huge', claims: 8_000_000_000 }),
  'room: a symlink to a file of the host': leaves('os.symlink(HOST + "/files/secret.txt", "report")'),
  'room: a hard link': leaves('open("a", "w").close(); os.link("a", "b")'),
  'room: a socket': leaves('socket.socket(socket.AF_UNIX).bind("sock")'),
  'room: names that a terminal or a path takes apart': leaves('open("a\\nb", "w").close()'),
  'guest: a sparse file of a terabyte': guest(
    'os.truncate(os.open("/work/s", os.O_CREAT | os.O_RDWR), 1 << 40); GOT = "a terabyte"',
  ),
  'guest: read a file of the host by its path': guest(
    'GOT = open(HOST["folder"] + "/files/secret.txt").read()',
  ),
  'guest: look for the host behind /proc/1/root': guest(
    'GOT = open("/proc/1/root" + HOST["folder"] + "/files/secret.txt").read()',
  ),
  'guest: change the root folder': guest('os.chroot("/tmp"); GOT = "root changed"'),
  'guest: mount over the programs of the runner': guest(
    'if libc.mount(b"none", b"/usr", b"tmpfs", 0, None) != 0: raise OSError(ctypes.get_errno(), "mount")',
    'GOT = "mounted"',
  ),
  'guest: make a device': guest('os.mknod("/tmp/disk", 0o060666, os.makedev(254, 0)); GOT = "a device"'),
  'guest: write the programs of the image': guest('open("/usr/bin/a7", "w").close(); GOT = "written"'),
  'guest: open a file by its handle': guest(
    'b = ctypes.create_string_buffer(64); GOT = syscall(304, -100, ctypes.addressof(b), 0)',
  ),
});
