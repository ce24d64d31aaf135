/** Part of the keeper (`room-agent.ts`): what the room's cgroup counts, where one is mounted. */
export const ROOM_COUNTERS_SOURCE: string = String.raw`
def number_in(path, key=None):
    try:
        with open(path) as f: text = f.read()
    except OSError: return None
    if key is None: return int(text)
    rows = dict(line.split()[:2] for line in text.splitlines() if len(line.split()) > 1)
    return int(rows.get(key, 0))

def first(*tries):
    return next((n for n in (number_in(*t) for t in tries) if n is not None), None)

def counters(plan):
    if not plan.cgroup: return None
    g = '/sys/fs/cgroup/'
    ns = first((g + 'cpuacct/cpuacct.usage',), (g + 'cpu,cpuacct/cpuacct.usage',))
    us = ns // 1000 if ns is not None else first((g + 'cpu.stat', 'usage_usec'))
    return [us, first((g + 'memory/memory.oom_control', 'oom_kill'), (g + 'memory.events', 'oom_kill')),
            first((g + 'pids/pids.events', 'max'), (g + 'pids.events', 'max'))]

def children_cpu():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (used.ru_utime + used.ru_stime) * 1000

`;
