/** What a guest asks of the kernel beyond files and sockets: name spaces, mounts, memory of others, programs in the kernel. */
import { family, type Act } from '../attack.ts';

const guest = (...lines: readonly string[]): Act => ({ kind: 'guest', lines });
/** A system call that raises where it is refused. */
const asks = (call: string): Act => guest(`syscall(${call}); GOT = "it was carried out"`);
const TEXT = 'ctypes.addressof(text)';
const named = (call: string, text: string): Act =>
  guest(`text = ctypes.create_string_buffer(b"${text}")`, `syscall(${call}); GOT = "it was carried out"`);

export const KERNEL_ESCAPES = family('file system escapes', {
  'guest: a name space of users': asks('272, 0x10000000'),
  'guest: a name space entered': guest(
    'syscall(308, os.open("/proc/self/ns/net", 0), 0); GOT = "it was carried out"',
  ),
  'guest: a file system opened by name': named(`430, ${TEXT}, 0`, 'tmpfs'),
  'guest: the tree of mounts copied': named(`428, -100, ${TEXT}, 1`, '/'),
  'guest: the user of root': guest('os.setuid(0); GOT = "root"'),
  'guest: control groups': guest(
    'import glob',
    'found = glob.glob("/sys/fs/cgroup/**/cgroup.procs", recursive=True)',
    'open((found or ["/none"])[0], "w").write("0"); GOT = "moved"',
  ),
  'guest: the keys of the kernel console': guest(
    'open("/proc/sysrq-trigger", "w").write("h"); GOT = "pressed"',
  ),
});

export const KERNEL_READS = family('exfiltration', {
  'guest: a ring of requests': asks('425, 8, 0'),
  'guest: a program in the kernel': asks('321, 5, 0, 0'),
  'guest: page faults served by the guest': asks('323, 0'),
  'guest: counters of performance': asks('298, 0, 0, -1, -1, 0'),
  'guest: the keeper traced': asks('101, 16, 1, 0, 0'),
  'guest: the memory of the keeper': guest(
    'text = ctypes.create_string_buffer(64)',
    'vector = (ctypes.c_size_t * 2)(ctypes.addressof(text), 64)',
    'at = ctypes.addressof(vector); syscall(310, 1, at, 1, at, 1, 0); GOT = "it was read"',
  ),
  'guest: a file that the keeper has open': guest(
    'syscall(438, syscall(434, 1, 0), 0, 0); GOT = "it was taken"',
  ),
  'guest: packets of the network': guest('GOT = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)'),
  'guest: the memory of the kernel': guest('GOT = open("/proc/kcore", "rb").read(64)'),
  'guest: addresses of the kernel': guest(
    'lines = [line for line in open("/proc/kallsyms") if not line.startswith("0" * 16)]',
    'if not lines: raise PermissionError("zeros only")',
    'GOT = lines[0]',
  ),
  'guest: keys typed into a terminal': guest(
    'import fcntl, termios',
    'fcntl.ioctl(0, termios.TIOCSTI, b"x"); GOT = "typed"',
  ),
  'guest: the address of cloud metadata': guest('GOT = socket.create_connection(("169.254.169.254", 80), 1)'),
});
