/** What the probe runs inside a room as the guest: each act is attempted, and one JSON line says whether it was held. */
export const PROBE_SCRIPT: string = String.raw`
import ctypes, json, os, platform, socket, sys
libc = ctypes.CDLL(None, use_errno=True)
ARM = platform.machine() == 'aarch64'

def say(act, held, detail):
    print(json.dumps({'act': act, 'held': bool(held), 'detail': str(detail)[:200]}), flush=True)

def attempt(act, work):
    try: got = work()
    except BaseException as e: return say(act, True, '%s: %s' % (type(e).__name__, e))
    say(act, False, 'succeeded: %r' % (got,))

def call(x64, arm64, *args):
    result = libc.syscall(ctypes.c_long(arm64 if ARM else x64), *[ctypes.c_long(a) for a in args])
    if result < 0: raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result

def checked(result):
    if result != 0: raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result

def connect(host, port):
    s = socket.socket(); s.settimeout(1)
    s.connect((host, int(port)))

def write(path):
    with open(path, 'w') as f: f.write('x')

def read(path):
    with open(path, 'rb') as f: return len(f.read(64))

def kill_keeper():
    os.kill(1, 9)
    raise ProcessLookupError('the keeper ignored the signal')

def status(key):
    with open('/proc/self/status') as f: return next(l.split()[1] for l in f if l.startswith(key + ':'))

buffer = ctypes.create_string_buffer(256)
at = ctypes.addressof(buffer)
attempt('open a vsock socket', lambda: socket.socket(40, socket.SOCK_STREAM).close())
attempt('open a raw socket', lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1).close())
attempt('open a packet socket', lambda: socket.socket(17, socket.SOCK_RAW).close())
attempt('open a kernel crypto socket', lambda: socket.socket(38, socket.SOCK_SEQPACKET).close())
attempt('open an audit netlink socket', lambda: socket.socket(16, socket.SOCK_RAW, 9).close())
attempt('set up io_uring', lambda: call(425, 425, 4, at))
attempt('use ptrace', lambda: call(101, 117, 0, 0, 0, 0))
attempt('read memory of another process', lambda: call(310, 270, 1, at, 1, at, 1, 0))
attempt('load a bpf program', lambda: call(321, 280, 0, at, 72))
attempt('open a performance counter', lambda: call(298, 241, at, 0, -1, -1, 0))
attempt('open the user keyring', lambda: call(250, 219, 0, -4, 1))
attempt('add a key', lambda: call(248, 217, at, at, at, 1, -4))
attempt('request a key', lambda: call(249, 218, at, at, at, -4))
attempt('use userfaultfd', lambda: call(323, 282, 1))
attempt('open a file by handle', lambda: call(304, 265, -100, at, 0))
attempt('make a user namespace', lambda: call(272, 97, 0x10000000))
attempt('make a mount namespace', lambda: call(272, 97, 0x00020000))
attempt('clone into a user namespace', lambda: call(56, 220, 0x10000000 | 17, 0, 0, 0, 0) or os._exit(0))
attempt('clone by clone3', lambda: call(435, 435, at, 88) or os._exit(0))
attempt('mount a file system', lambda: checked(libc.mount(b'none', b'/tmp', b'tmpfs', 0, None)))
attempt('change the root folder', lambda: os.chroot('/tmp'))
attempt('make a device', lambda: os.mknod('/tmp/device', 0o020666, os.makedev(1, 1)))
attempt('become root', lambda: os.setuid(0))
attempt('join the root group', lambda: os.setgid(0))
attempt('set the host name', lambda: socket.sethostname('guest'))
attempt('connect to the loopback of the host', lambda: connect('127.0.0.1', sys.argv[1]))
attempt('connect to the gateway of the host', lambda: connect('172.17.0.1', sys.argv[1]))
attempt('connect to another network', lambda: connect('192.0.2.1', 80))
attempt('resolve a name', lambda: socket.getaddrinfo('example.com', 80))
for path in ('/a7-probe', '/etc/passwd', '/usr/bin/a7-probe', '/dev/a7-probe', '/proc/sys/kernel/core_pattern', '/proc/sysrq-trigger'):
    attempt('write ' + path, lambda: write(path))
for path in ('/var/run/docker.sock', '/run/docker.sock', '/run/containerd/containerd.sock', '/dev/kvm', '/dev/mem', '/dev/vsock', '/dev/fuse', '/dev/vda', '/dev/kmsg'):
    attempt('see ' + path, lambda: os.stat(path))
attempt('read the environment of the keeper', lambda: read('/proc/1/environ'))
attempt('read the memory of the keeper', lambda: read('/proc/1/mem'))
attempt('list the files of the keeper', lambda: os.listdir('/proc/1/fd'))
attempt('kill the keeper', kill_keeper)
for key in ('CapInh', 'CapPrm', 'CapEff', 'CapAmb'):
    say('hold capabilities (%s)' % key, int(status(key), 16) == 0, status(key))
say('gain privileges by exec', status('NoNewPrivs') == '1', 'NoNewPrivs ' + status('NoNewPrivs'))
say('run without a system call filter', status('Seccomp') == '2', 'Seccomp ' + status('Seccomp'))
say('be root', os.getuid() != 0 and os.getgid() != 0 and not [g for g in os.getgroups() if g != os.getgid()], 'uid %d' % os.getuid())
`;
