/** Attempts of a guest, many in one room: each in a process of its own that ends after seconds, each told in one line. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { SandboxResult } from '../../core/ports/sandbox.ts';
import { LIMITS, python, request } from '../adapters/sandbox-backends.ts';
import type { Attack, Held } from './attack.ts';
import type { Field } from './field.ts';

const Line = z.strictObject({ act: z.string(), got: z.string().nullable(), error: z.string() });
type Told = z.infer<typeof Line>;
type Known = Readonly<Record<string, unknown>>;

/** Runs `acts` one after the other; a child that hangs is killed and counts as held by the room. */
export const DRIVER = String.raw`
import ctypes, json, os, select, signal, socket, subprocess, sys, time
ACTS, HOST = json.load(sys.stdin)
libc = ctypes.CDLL(None, use_errno=True)
def syscall(number, *args):
    found = libc.syscall(ctypes.c_long(number), *[ctypes.c_long(a) for a in args])
    if found < 0: raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return found
def connect(kind, address):
    s = socket.socket(kind, socket.SOCK_STREAM); s.settimeout(1); s.connect(address); s.sendall(b'x'); return 'connected'
def grep(folder, word):
    for at, _, names in os.walk(folder):
        for name in names:
            try:
                with open(os.path.join(at, name), 'rb') as f:
                    if word.encode() in f.read(1 << 16): return os.path.join(at, name)
            except OSError: pass
    raise FileNotFoundError('nothing holds the word')
def one(lines):
    r, w = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(r); space = dict(globals())
        try:
            exec(lines, space)
            said = {'got': str(space.get('GOT'))[:200] if space.get('GOT') is not None else None, 'error': 'NothingGot'}
        except BaseException as e: said = {'got': None, 'error': ('%s: %s' % (type(e).__name__, e))[:200]}
        os.write(w, json.dumps(said).encode()); os._exit(0)
    os.close(w)
    ready, _, _ = select.select([r], [], [], 6)
    said = os.read(r, 65536) if ready else b''
    os.close(r)
    try: os.kill(pid, 9)
    except ProcessLookupError: pass
    os.waitpid(pid, 0)
    return json.loads(said) if said else {'got': None, 'error': 'Ended: the process was ended or did not come to an end'}
for name, lines in ACTS:
    print(json.dumps({'act': name, **one(lines)}), flush=True)
`;

type RoomKind = 'guest' | 'neighbour' | 'door';
const done = new WeakMap<Field, Partial<Record<RoomKind, Promise<Map<string, Held>>>>>();

/** Outcomes of all attempts of that kind, made once a field. */
export function onceIn(
  field: Field,
  kind: RoomKind,
  run: () => Promise<Map<string, Held>>,
): Promise<Map<string, Held>> {
  const known = done.get(field) ?? {};
  const found = known[kind] ?? run();
  done.set(field, { ...known, [kind]: found });
  return found;
}

export function guestActs(field: Field, all: readonly Attack[]): Promise<Map<string, Held>> {
  return onceIn(field, 'guest', async () => held((await attempt(field, linesOf(all, 'guest'), {})).told));
}

export function linesOf(
  all: readonly Attack[],
  kind: RoomKind,
  alone = false,
): (readonly [string, string])[] {
  return all.flatMap(({ name, act }) => {
    if (act.kind !== kind || (act.kind === 'neighbour' && (act.alone ?? false) !== alone)) return [];
    return [[name, act.lines.join('\n')] as const];
  });
}

async function attempt(
  field: Field,
  acts: readonly (readonly [string, string])[],
  told: Known,
): Promise<{ readonly told: Told[]; readonly result: SandboxResult }> {
  const { host, rooms } = field;
  const known = {
    ...told,
    folder: host.folder,
    port: host.port,
    socket: host.socketName,
    canary: host.canary,
  };
  // Not as arguments: what the guests look for must not stand in their own command line.
  const stdin = Buffer.from(JSON.stringify([acts, known]));
  const part = {
    key: `guest-${randomUUID()}`,
    argv: python(DRIVER),
    stdin,
    limits: { ...LIMITS, wallMs: 60_000 },
  };
  const result = await rooms.sandbox.run(request(rooms.image, part));
  return { told: toldIn(result), result };
}

/** What the attempts of a room said. */
export function toldIn(result: SandboxResult): Told[] {
  const lines = result.stdout.text.split('\n').filter((line) => line !== '');
  return lines.map((line) => Line.parse(JSON.parse(line)));
}

/** A room of its own for an act that may end it: what it hit there, or what its end was. */
async function attemptAlone(
  field: Field,
  act: readonly [string, string],
  known: Known,
): Promise<[string, Held]> {
  const { result, told } = await attempt(field, [act], known);
  const got = told.find((line) => line.got !== null);
  const limit = result.limitsHit[0];
  const reason = limit === undefined ? result.outcome.kind : `${limit}_limit`;
  return [act[0], got === undefined ? { outcome: 'blocked', reason } : heldOf(got)];
}

function held(told: readonly Told[]): Map<string, Held> {
  return new Map(told.map((line) => [line.act, heldOf(line)]));
}

export function heldOf({ got, error }: Told): Held {
  if (got !== null) return { outcome: 'got_through', reason: got };
  return { outcome: 'blocked', reason: error.split(':')[0] ?? error };
}

/** What a neighbour lays out before it waits; a guest that shows `word` has read it. */
const NEIGHBOUR = String.raw`
import ctypes, json, os, socket, sys, time
word = sys.argv[1]; os.environ['WORD'] = word
for path in ('/work/canary', '/tmp/canary', '/dev/shm/canary'): open(path, 'w').write(word)
s = socket.socket(socket.AF_UNIX); s.bind('\0' + sys.argv[2]); s.listen(); s.setblocking(False)
libc = ctypes.CDLL(None, use_errno=True)
shm = libc.shmget(0x5a5a, 4096, 0o1666)
print('ready', flush=True)
end = time.monotonic() + float(sys.argv[3])
visits = 0
while time.monotonic() < end:
    try: s.accept(); visits += 1
    except OSError: time.sleep(0.02)
space = 0
with open('/work/fill', 'wb') as f:
    for _ in range(8): space += f.write(b'x' * (1 << 20))
print(json.dumps({'visits': visits, 'space': space, 'same': open('/work/canary').read() == word, 'shm': shm}), flush=True)
`;

const Neighbour = z.strictObject({
  visits: z.number(),
  space: z.number(),
  same: z.boolean(),
  shm: z.number(),
});

/** Seconds for which the neighbour waits: as long as the guest beside it may need. */
const NEIGHBOUR_S = 5;

export function neighbourActs(field: Field, all: readonly Attack[]): Promise<Map<string, Held>> {
  return onceIn(field, 'neighbour', async () => {
    const word = `NEIGHBOUR_${randomUUID()}`;
    const socketName = `neighbour-${randomUUID()}`;
    const argv = [...python(NEIGHBOUR), word, socketName, String(NEIGHBOUR_S)];
    const { rooms } = field;
    const known = { word, neighbour: socketName };
    const [beside, { told }, alone] = await Promise.all([
      rooms.sandbox.run(request(rooms.image, { key: `neighbour-${randomUUID()}`, argv })),
      attempt(field, linesOf(all, 'neighbour'), known),
      Promise.all(linesOf(all, 'neighbour', true).map((act) => attemptAlone(field, act, known))),
    ]);
    const outcomes = new Map([...held(told), ...alone]);
    const last = beside.stdout.text.trim().split('\n').at(-1) ?? '';
    const seen = Neighbour.parse(JSON.parse(last));
    const whole = seen.same && seen.visits === 0 && seen.space === 8 * 1024 * 1024;
    if (whole && beside.outcome.kind === 'exited') return outcomes;
    const harm: Held = { outcome: 'got_through', reason: `the neighbour was harmed: ${last.slice(0, 200)}` };
    return new Map([...outcomes.keys()].map((name) => [name, harm]));
  });
}
