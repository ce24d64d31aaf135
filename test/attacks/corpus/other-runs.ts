/** A neighbour's room on the same machine at the same time: read, filled, killed, or told something. */
import { family, type Act } from '../attack.ts';

const beside = (...lines: readonly string[]): Act => ({ kind: 'neighbour', lines });
const alone = (...lines: readonly string[]): Act => ({ kind: 'neighbour', lines, alone: true });

export const OTHER_RUNS = family('other runs', {
  'the work of the neighbour in any folder': beside('GOT = grep("/work", HOST["word"])'),
  'the temporary files of the neighbour': beside('GOT = grep("/tmp", HOST["word"])'),
  'the shared memory files of the neighbour': beside('GOT = grep("/dev/shm", HOST["word"])'),
  'processes of the neighbour': beside(
    'for p in filter(str.isdigit, os.listdir("/proc")):',
    '    if int(p) in (os.getpid(), os.getppid(), 1): continue',
    '    if HOST["word"].encode() in open(f"/proc/{p}/cmdline", "rb").read(): GOT = "its arguments"; break',
    'else: raise ProcessLookupError("none")',
  ),
  'a socket of the neighbour without a file': beside(
    'GOT = connect(socket.AF_UNIX, "\\0" + HOST["neighbour"])',
  ),
  'a memory segment of the neighbour': beside(
    'found = libc.shmget(0x5a5a, 4096, 0)',
    'if found < 0: raise OSError(ctypes.get_errno(), "shmget")',
    'GOT = "its segment"',
  ),
  'a key in the keyring of the user': beside('GOT = syscall(250, 0, -4, 1)'),
  'every process that can be signalled': alone('os.kill(-1, 9)', 'time.sleep(1)'),
  'the disk of the neighbour filled': alone(
    'wrote = 0',
    'with open("/work/fill", "wb") as f:',
    '    while True: wrote += f.write(b"x" * 65536); f.flush()',
  ),
  'the processes of the neighbour used up': alone(
    'while True:',
    '    if os.fork() == 0: time.sleep(4); os._exit(0)',
  ),
});
