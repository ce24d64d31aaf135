/**
 * Part of the keeper (`room-agent.ts`): how long the guest was ready to run and got no processor, in half-second steps. Of each
 * step the thread that waited longest counts: a guest that sleeps cannot look starved, a busy one is judged by its processor time.
 */
export const ROOM_STARVATION_SOURCE: string = String.raw`
class Starved:
    # us: microseconds; None where the kernel does not tell.
    def __init__(self):
        self.seen, self.us, self.due = {}, 0.0, 0.0

    # True when half a second is over.
    def look(self, now):
        if now < self.due: return False
        self.due, longest, seen = now + 0.5, 0, {}
        if self.us is None: return True
        for pid in filter(str.isdigit, os.listdir('/proc')):
            if pid == '1': continue
            try:
                for task in os.listdir('/proc/%s/task' % pid)[:256]:
                    with open('/proc/%s/task/%s/schedstat' % (pid, task)) as f: seen[task] = int(f.read().split()[1])
            except (FileNotFoundError, ProcessLookupError): continue
            except (OSError, ValueError, IndexError): self.us = None; return True
        for task, waited in seen.items(): longest = max(longest, waited - self.seen.get(task, 0))
        self.seen = seen; self.us += longest / 1000
        return True
`;
