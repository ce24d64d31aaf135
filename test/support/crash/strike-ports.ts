/** The product's ports with one strike between them: a marker is written, then the process gets its signal. */
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  readdirSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { createModelAdapter } from '../../../adapters/model/model-adapter.ts';
import { withLock } from '../../../adapters/store/lock.ts';
import { createObjectFiles } from '../../../adapters/store/objects.ts';
import type { CallStep } from '../../../adapters/model/call-step.ts';
import type { SandboxPort } from '../../../core/ports/sandbox.ts';
import type { Session, Sessions } from '../../../core/ports/session.ts';
import type { Machine } from '../../../workers/machine.ts';
import { type WorkerPorts, gateOf as gateOfSession } from '../../../workers/ports.ts';
import type { Strike } from './strike-points.ts';

/** Strikes when `point` is reached for the n-th time. */
type Reached = (point: string) => void;

/** Wraps what `machine` and `ports` offer. */
export function strikePorts(strike: Strike, ports: WorkerPorts, machine: Machine): WorkerPorts {
  const reached = counter(strike);
  const model = createModelAdapter({
    objectsOf: (dir) => createObjectFiles({ dir: join(dir, 'objects') }),
    withLock,
    onStep: (step: CallStep) => reached(`model:${step}`),
  });
  const sessions = wrapSessions(ports.sessions, strike, reached);
  const struck = { ...machine, sandbox: wrapSandbox(machine.sandbox, strike, reached) };
  const gateOf = perSession((session) => gateOfSession(struck, session));
  return {
    model,
    sessions: { ...sessions, close: () => ports.sessions.close() },
    agent: { ...ports.agent, sessions, model },
    stage: { ...ports.stage, sessions, model },
    judge: { ...ports.judge, sessions, gateOf },
    roomAgent: { ...ports.roomAgent, sessions, sandbox: struck.sandbox },
  };
}

function counter(strike: Strike): Reached {
  let times = 0;
  return (point) => {
    if (point !== strike.point) return;
    times += 1;
    if (times === strike.nth) hit(strike);
  };
}

function hit(strike: Strike): void {
  const file = openSync(strike.marker, 'w');
  writeSync(file, JSON.stringify({ point: strike.point, pid: process.pid, atMs: Date.now() }));
  fsyncSync(file);
  closeSync(file);
  process.kill(process.pid, strike.signal);
}

function wrapSessions(sessions: Sessions, strike: Strike, reached: Reached): Sessions {
  const wrapped = perSession((session) => wrapSession(session, strike, reached));
  return { open: async (dir) => wrapped(await sessions.open(dir)) };
}

function wrapSession(session: Session, strike: Strike, reached: Reached): Session {
  let opened = 0;
  return {
    ...session,
    ledger: {
      read: () => session.ledger.read(),
      async append(request) {
        if (strike.point === 'ledger:torn' && request.events.some((event) => event.type === 'returned')) {
          const handle = openSync(join(session.dir, 'events.jsonl'), 'a');
          writeSync(handle, '{"at":"2026-01-01T00:00:00.000Z","data":{"nod');
          fsyncSync(handle);
          reached('ledger:torn');
        }
        const result = await session.ledger.append(request);
        for (const type of new Set(request.events.map((event) => event.type))) {
          if (type === 'committed' && strike.point === 'master:half') {
            halve(join(session.dir, 'master.json'));
            reached('master:half');
          }
          reached(`appended:${type}`);
        }
        return result;
      },
    },
    results: {
      get: (key, name, schema) => session.results.get(key, name, schema),
      async putFirst(key, name, schema, value) {
        const stored = await session.results.putFirst(key, name, schema, value);
        reached(`stored:${name}`);
        return stored;
      },
    },
    content: {
      ...session.content,
      async recover() {
        opened += 1;
        // The first time a worker opens a stage; every commit recovers by itself, inside the adapter.
        if (opened > 1) reached('stage:continued');
        return session.content.recover();
      },
      async commit(request) {
        const watching = watchCommit(session, strike, reached);
        try {
          return await session.content.commit(request);
        } finally {
          watching.stop();
        }
      },
    },
  };
}

/** Looks at the branch between all steps of a commit and strikes when it has moved. */
function watchCommit(session: Session, strike: Strike, reached: Reached): { stop(): void } {
  const git = join(session.contentDir, '.git');
  const branch = join(git, 'refs', 'heads', 'main');
  const before = read(branch);
  const files = filesIn(session.contentDir);
  let going = strike.point === 'commit:swapped' || strike.point === 'commit:half';
  const look = (): void => {
    if (!going) return;
    if (read(branch) !== before && strike.point === 'commit:swapped') reached('commit:swapped');
    else if (read(branch) !== before && filesIn(session.contentDir) > files) {
      // What a git leaves that is killed in the middle of its work.
      if (!existsSync(join(git, 'index.lock'))) writeFileSync(join(git, 'index.lock'), '');
      reached('commit:half');
    } else setImmediate(look);
  };
  look();
  return { stop: () => (going = false) };
}

/** Strikes when the room's program runs: its process is on record, or its container is there. */
function wrapSandbox(sandbox: SandboxPort, strike: Strike, reached: Reached): SandboxPort {
  return {
    backend: sandbox.backend,
    run: (request, options) => {
      const running = sandbox.run(request, options);
      if (strike.point === 'gate:running' && request.key.startsWith('a7-gate-')) {
        const timer = setInterval(() => {
          if (!hasLiveRoom()) return;
          clearInterval(timer);
          reached('gate:running');
        }, 2);
        void running.finally(() => clearInterval(timer)).catch(() => undefined);
      }
      return running;
    },
    probe: (image) => sandbox.probe(image),
    warm: (...args) => sandbox.warm(...args),
    reap: () => sandbox.reap(),
    close: () => sandbox.close(),
  };
}

function hasLiveRoom(): boolean {
  const folder = join(process.env['A7_HOME'] ?? '', 'bubblewrap', 'rooms');
  return readdirSync(folder).some((name) => {
    const text = read(join(folder, name));
    return text.includes(`:${String(process.pid)}:`) && !text.includes('"room":null');
  });
}

function filesIn(dir: string): number {
  return readdirSync(dir, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && !entry.parentPath.includes('/.git'),
  ).length;
}

function halve(path: string): void {
  const text = readFileSync(path);
  writeFileSync(path, text.subarray(0, Math.floor(text.length / 2)));
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function perSession<T>(make: (session: Session) => T): (session: Session) => T {
  const made = new WeakMap<Session, { readonly value: T }>();
  return (session) => {
    const known = made.get(session) ?? { value: make(session) };
    made.set(session, known);
    return known.value;
  };
}
