/**
 * Part of the keeper (`room-agent.ts`): the room's clock. It stands while the guest is ready to run and gets no processor, so that
 * a limit of time says the same on a busy machine as on a free one (docs/decisions/0048-one-clock-for-a-room.md). Example: a step
 * of half a second in which the thread that waited longest waited 0.45 s moves it by 0.05 s. A guest that sleeps moves it as a wall
 * clock does; one whose own threads wait for each other moves it by the processor time that it used, those of
 * its processes that have ended, too.
 */
export const ROOM_CLOCK_SOURCE: string = String.raw`
class Clock:
    # ms: what was counted; None where the kernel does not tell who waits.
    def __init__(self, plan):
        self.plan, self.seen, self.ms, self.at, self.cpus = plan, {}, 0.0, time.monotonic(), len(os.sched_getaffinity(0))
        self.all = self.ever()
        # Waits that the kernel does not tell yet, as they last; and what of one was counted before it was seen.
        self.lasting, self.debt = {}, 0.0
        try: self.fd = os.open('/dev/shm/clock', os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
        except OSError: self.fd = -1
        if self.read() is None: self.ms = None
        else: self.tell(True)

    # What all can read: milliseconds counted, and since when they may go on counting by themselves (never, on a busy machine).
    def tell(self, is_free):
        if self.fd >= 0: os.pwrite(self.fd, b'%015d %015d\n' % (self.ms, self.at * 1000 if is_free else 0), 0)

    # True when half a second is over, or at once.
    def look(self, now, at_once=False):
        if now < self.at + 0.5 and not at_once: return False
        step, self.at, before = (now - self.at) * 1000, now, self.seen
        if self.ms is None: return True
        seen, longest, ran = self.read(), 0.0, 0.0
        if seen is None: self.ms = None; return True
        for task, (used, waited) in seen.items():
            used_before, waited_before = before.get(task, (0, 0))
            used, waited = (used - used_before) / 1e6, (waited - waited_before) / 1e6
            ran += used
            waited = self.waited(task, used, waited, step)
            if waited > max(longest, 20) and not self.stands_back(task): longest = waited
        # Who lives shorter than a step is met by no look, and takes the processor from those that wait all the same.
        all_before, self.all = self.all, max(self.all, self.ever())
        ran = max(ran, self.all - all_before)
        longest += self.debt
        self.debt = min(step, max(0.0, longest - step))
        counted = min(step, max(0.0, step - longest, ran / self.cpus))
        self.ms += counted
        self.tell(counted > step * 0.9)
        return True

    # The kernel tells of a wait when it is over: who is ready and has not run at all has waited all the while.
    def waited(self, task, used, waited, step):
        if used or waited: return waited - self.lasting.pop(task, 0)
        if self.fields(task)[0] != 'R': return 0
        self.lasting[task] = self.lasting.get(task, 0) + step
        return step

    # Nanoseconds that each thread of the guest ran and waited.
    def read(self):
        found = {}
        for pid in filter(str.isdigit, os.listdir('/proc')):
            if pid == '1': continue
            try:
                for task in os.listdir('/proc/%s/task' % pid)[:256]:
                    with open('/proc/%s/task/%s/schedstat' % (pid, task)) as f: ran, waited = f.read().split()[:2]
                    found[task] = (int(ran), int(waited))
            except (FileNotFoundError, ProcessLookupError): continue
            except (OSError, ValueError): return None
        self.seen = found
        return found

    # Processor milliseconds of all that has run in the room, but for the keeper: who has ended is in what the cgroup counts, or who waited for it.
    def ever(self):
        keeper, told = self.fields('1')[11:15], counters(self.plan)
        if told and told[0] is not None: return told[0] / 1000 - self.ms_of(keeper[:2])
        living = [self.fields(pid)[11:15] for pid in os.listdir('/proc') if pid.isdigit() and pid != '1']
        return self.ms_of(sum(living, keeper[2:]))

    def ms_of(self, ticks): return sum(map(int, ticks)) * 1000 / os.sysconf('SC_CLK_TCK')

    # A thread that asked for less than its share, or for fewer processors than there are, waits by its own choice.
    def stands_back(self, task):
        fields = self.fields(task)
        return int(fields[16]) > os.nice(0) or fields[38] != '0' or self.is_pinned(task)

    def is_pinned(self, task):
        try: return len(os.sched_getaffinity(int(task))) < self.cpus
        except OSError: return False

    def fields(self, task):
        try:
            with open('/proc/%s/stat' % task) as f: return f.read().rpartition(')')[2].split()
        except OSError: return ['gone'] + ['0'] * 50
`;
