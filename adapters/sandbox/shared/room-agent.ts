import { ROOM_COLLECTOR_SOURCE } from './room-collector.ts';
import { ROOM_COUNTERS_SOURCE } from './room-counters.ts';
import { ROOM_CLOCK_SOURCE } from './room-clock.ts';
import { ROOM_PREPARE_SOURCE } from './room-prepare.ts';

/**
 * The keeper of a clean room: process 1 of its pid namespace, uid 0 with seven capabilities (or, without root, undumpable).
 * It lays the tree, starts the guest under another uid with no capability, counts output and time, kills everything,
 * and sends back a report and a tar stream. The guest cannot signal it, trace it, or reach its descriptors, so the
 * report is not the guest's to forge (design part 8, gate.md part 9).
 *
 * Python without `site`, and only modules that load in a millisecond: a run of bubblewrap pays this start each time.
 * Wire format: `room-protocol.ts`. The tree arrives as a tar stream whose uid field is 0 nobody, 1 guest, 2 trusted.
 */
export const ROOM_AGENT_SOURCE: string = String.raw`
import os, sys, select, time, resource, fcntl, errno, stat, ctypes, _signal as sg
libc = ctypes.CDLL(None, use_errno=True)

def exact(size):
    parts = []
    while size > 0:
        part = os.read(0, min(size, 1 << 20))
        if not part: os._exit(70)
        parts.append(part); size -= len(part)
    return b''.join(parts)

def send(kind, *parts):
    data = memoryview(kind + sum(map(len, parts)).to_bytes(4, 'big') + b''.join(parts))
    while data: data = data[os.write(1, data):]

class Plan:
    def __init__(self, blob):
        it = iter(blob.split(b'\0'))
        number = lambda: int(next(it))
        many = lambda: [next(it) for _ in range(number())]
        self.privileged, self.tar, self.stdin = number(), number(), number()
        self.uids = [0, number(), number()]
        self.wall_ms, self.bound_ms, self.output, self.disk, self.files, self.collect_bytes = [number() for _ in range(6)]
        self.nproc, self.data, self.cgroup = number(), number(), number()
        self.writable, self.collect, self.changes = many(), many(), many()
        # By path: executable or not, and git's id of the bytes.
        self.laid = {}
        for _ in range(number()):
            path, oid = next(it), next(it); self.laid[path] = (oid[:1] == b'x', bytes.fromhex(oid[1:].decode()))
        prepares = number()
        self.procs = [dict(user=number(), channel=number(), cwd=next(it), argv=many(), env=many()) for _ in range(number())]
        self.prepare = self.procs.pop(0) if prepares else None

def octal(field):
    return int(field.rstrip(b'\0 ') or b'0', 8)

def pax_path(body):
    found = None
    while body:
        size, _, rest = body.partition(b' ')
        key, _, value = body[len(size) + 1:int(size) - 1].partition(b'=')
        if key == b'path': found = value
        body = body[int(size):]
    return found

def lay(plan):
    left, long_name = plan.tar, None
    while left >= 512:
        head = exact(512); left -= 512
        if head[0] == 0: continue
        size = octal(head[124:136]); padded = (size + 511) // 512 * 512
        body = exact(padded)[:size]; left -= padded
        if head[156:157] == b'x': long_name = pax_path(body); continue
        name, prefix = head[:100].rstrip(b'\0'), head[345:500].rstrip(b'\0')
        path = b'/' + (long_name or (prefix + b'/' + name if prefix else name)).rstrip(b'/'); long_name = None
        mode, owner, group = octal(head[100:108]), plan.uids[octal(head[108:116])], plan.uids[octal(head[116:124])]
        if head[156:157] == b'5':
            try: os.mkdir(path, 0o700)
            except FileExistsError: pass
            fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        else:
            fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
            rest = memoryview(body)
            while rest: rest = rest[os.write(fd, rest):]
        if plan.privileged: os.fchown(fd, owner, group)
        os.fchmod(fd, mode); os.close(fd)
        if head[156:157] != b'5' and any(path.startswith(root + b'/') for root in plan.changes):
            plan.laid[path] = (mode & 0o111 != 0, git_id(size, body).digest())
    exact(left)

${ROOM_COUNTERS_SOURCE}def drop_to(uid):
    for cap in range(64):
        if libc.prctl(24, cap, 0, 0, 0) != 0: break
    os.setgroups([]); os.setresgid(uid, uid, uid); os.setresuid(uid, uid, uid)
    libc.prctl(47, 4, 0, 0, 0)
    head, none = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    if libc.capset(head, none) != 0: raise OSError(ctypes.get_errno(), 'capset')

def lower(plan):
    limit = lambda what, value: resource.setrlimit(what, (value, value))
    limit(resource.RLIMIT_CORE, 0)
    # Above the size of the file system: the full disk is what tells of the limit, a single file's own limit tells nobody.
    limit(resource.RLIMIT_FSIZE, plan.disk + (64 << 20))
    limit(resource.RLIMIT_NOFILE, min(4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    if plan.nproc: limit(resource.RLIMIT_NPROC, plan.nproc)
    if plan.data: limit(resource.RLIMIT_DATA, plan.data)

def die_first():
    try:
        with open('/proc/self/oom_score_adj', 'w') as f: f.write('1000')
    except OSError: pass

def child(plan, proc, fds):
    try:
        os.setsid()
        high = [fcntl.fcntl(fd, fcntl.F_DUPFD, 100) for fd in fds]
        for at, fd in enumerate(high): os.dup2(fd, at)
        os.closerange(len(high), 256)
        for s in (sg.SIGPIPE, sg.SIGXFSZ, sg.SIGINT, sg.SIGCHLD): sg.signal(s, sg.SIG_DFL)
        die_first()
        lower(plan)
        if plan.privileged: drop_to(plan.uids[proc['user']])
        os.umask(0o022); os.chdir(proc['cwd'])
        os.execvpe(proc['argv'][0], proc['argv'], dict(e.split(b'=', 1) for e in proc['env']))
    except BaseException as e:
        os.write(2, ('Cannot start %s: %s\n' % (os.fsdecode(proc['argv'][0]), e)).encode('utf8', 'replace'))
    os._exit(127)

${ROOM_PREPARE_SOURCE}${ROOM_CLOCK_SOURCE}
class Room:
    def __init__(self, plan):
        self.plan, self.ended, self.pids, self.pipes, self.total, self.over = plan, {}, {}, {}, 0, False
        self.clock, self.full, self.cpu = Clock(plan), False, children_cpu()
        self.wake, wake_write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        os.set_blocking(wake_write, False)
        sg.signal(sg.SIGCHLD, lambda *_: None); sg.set_wakeup_fd(wake_write)

    def start(self, stdin):
        mine, null = [], os.open('/dev/null', os.O_RDONLY)
        for at in range(1, len(self.plan.procs)):
            extra = []
            if self.plan.procs[at]['channel']:
                (to_r, to_w), (back_r, back_w) = os.pipe(), os.pipe()
                extra = [to_r, back_w]; mine += [back_r, to_w]
            self.spawn(at, [null], extra)
            for fd in extra: os.close(fd)
        self.began = time.monotonic()
        self.spawn(0, [stdin], mine)
        for fd in mine: os.close(fd)

    def spawn(self, at, stdin, extra):
        (out_r, out_w), (err_r, err_w) = os.pipe(), os.pipe()
        pid = os.fork()
        if pid == 0: child(self.plan, self.plan.procs[at], stdin + [out_w, err_w] + extra)
        os.close(out_w); os.close(err_w)
        self.pids[pid], self.pipes[out_r], self.pipes[err_r] = at, (b'o', at), (b'e', at)

    def reap(self):
        while True:
            try: pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError: return True
            if pid == 0: return False
            if pid in self.pids: self.ended.setdefault(self.pids[pid], os.waitstatus_to_exitcode(status))

    def empty(self):
        while True:
            try: os.kill(-1, sg.SIGKILL)
            except ProcessLookupError: pass
            if self.reap(): return
            time.sleep(0.0005)

    def forward(self, fd):
        data = os.read(fd, 65536)
        if not data: os.close(fd); kind = self.pipes.pop(fd); return False
        kind, at = self.pipes[fd]
        allowed = max(0, self.plan.output - self.total)
        self.total += len(data)
        self.over = self.over or self.total > self.plan.output
        send(kind, bytes([at]), len(data).to_bytes(4, 'big'), data[:allowed])
        return True

    def watch(self):
        # Its own clock ends the room; another clock only sees to it that it ends at all.
        poller, bound = select.poll(), self.began + self.plan.bound_ms / 1000
        for fd in (0, self.wake, *self.pipes): poller.register(fd, select.POLLIN)
        while True:
            self.reap()
            if 0 in self.ended: return 'exit'
            now = time.monotonic()
            left = min(bound - now, (self.plan.wall_ms - self.counted(now)) / 1000)
            if left <= 0: return 'timeout'
            if self.clock.look(now): self.full = self.full or any(map(full, self.plan.writable))
            for fd, _ in poller.poll(min(left, 0.5) * 1000 + 1):
                if fd == self.wake: os.read(fd, 4096)
                elif fd == 0:
                    if not os.read(0, 1): os._exit(71)
                    return 'cancel'
                elif not self.forward(fd): poller.unregister(fd)
            if self.over: return 'output'

    # Milliseconds of the room's clock, looked at once more where a wall clock is over.
    def counted(self, now):
        ms = (now - self.began) * 1000
        if ms < self.plan.wall_ms or self.clock.ms is None: return ms
        self.clock.look(now, now > self.clock.at + 0.02)
        return ms if self.clock.ms is None else self.clock.ms

    def finish(self, why):
        now = time.monotonic()
        ms = (now - self.began) * 1000
        self.clock.look(now, True)
        ended = [self.ended.get(at) for at in range(len(self.plan.procs))]
        self.empty()
        for fd in list(self.pipes):
            while self.forward(fd): pass
        return ('output' if self.over and why == 'exit' else why), ms, children_cpu() - self.cpu, ended

${ROOM_COLLECTOR_SOURCE}
def full(path):
    # A little is left where one file may not be as large as the whole limit, or where the guest's unlinked files went with it.
    info = os.statvfs(path)
    return (info.f_blocks > 0 and info.f_bavail <= 16) or (info.f_files > 0 and info.f_favail <= 16)

def text(value):
    if value is None: return 'null'
    return '[' + ','.join(map(text, value)) + ']' if isinstance(value, list) else str(value)

def main():
    sg.signal(sg.SIGINT, sg.SIG_IGN); libc.prctl(4, 0, 0, 0, 0)
    send(b'r')
    plan = Plan(exact(int.from_bytes(exact(4), 'big')))
    lay(plan)
    stdin = os.memfd_create('stdin', os.MFD_CLOEXEC)
    rest = memoryview(exact(plan.stdin))
    while rest: rest = rest[os.write(stdin, rest):]
    os.lseek(stdin, 0, 0)
    if plan.prepare: prepare(plan)
    room, before = Room(plan), counters(plan)
    send(b's'); room.start(stdin)
    why, ms, cpu_ms, ended = room.finish(room.watch())
    after, disk = counters(plan), room.full or any(map(full, plan.writable))
    collect(plan)
    waited = 'null' if room.clock.ms is None else '%.3f' % max(0, ms - room.clock.ms)
    send(b'z', ('{"why":"%s","ms":%.3f,"cpuMs":%.3f,"waitedMs":%s,"ended":%s,"before":%s,"after":%s,"diskFull":%s}' % (
        why, ms, cpu_ms, waited, text(ended), text(before), text(after), 'true' if disk else 'false')).encode())

try: main()
except BaseException as e:
    send(b'f', ('%s: %s' % (type(e).__name__, e)).encode('utf8', 'replace')[:2000])
    os._exit(72)
os._exit(0)
`;
