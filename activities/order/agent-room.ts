/**
 * An agent's room: the tree without what judges it, a repository of one commit without a past, the task, and one door to
 * its model. Nothing else of the host. What comes back is read by `core/order/take-tree.ts` as a hostile tree.
 */
import {
  ROOM,
  type DriverContext,
  type InstalledAgent,
  type OpenDoor,
  type RoomDriver,
} from '../../core/ports/agent-driver.ts';
import type { SandboxFile, SandboxPort, SandboxRequest, SandboxResult } from '../../core/ports/sandbox.ts';
import type { AgentEnd } from '../../schemas/order.ts';
import type { RoomTree } from './room-tree.ts';
import { runRoom } from '../gate/run-room.ts';
import { quoted } from '../../core/text/typed.ts';

export interface AgentRoom {
  readonly sandbox: SandboxPort;
  readonly key: string;
  readonly owner: string;
  readonly image: string;
  readonly driver: RoomDriver;
  readonly installed: InstalledAgent;
  readonly door: OpenDoor | null;
  readonly doorProgram: SandboxFile;
  readonly context: DriverContext;
  /** Files of the order for the agent: task, plan in words, last feedback. */
  readonly task: readonly SandboxFile[];
  /** Programs of ours that it may run, first on its path. */
  readonly tools?: readonly SandboxFile[];
  readonly tree: RoomTree;
  readonly env: Readonly<Record<string, string>>;
  readonly wallMs: number;
  readonly signal: AbortSignal;
  readonly onOutput: (bytes: Uint8Array) => void;
}

export interface AgentRoomEnd {
  readonly result: SandboxResult;
  readonly end: AgentEnd;
  readonly notes: string | null;
}

const MIB = 1024 * 1024;
const DISK_BYTES = 1024 * MIB;
const OUTPUT_BYTES = 32 * MIB;
const FILES_SPARE = 60_000;
const NOTES_BYTES_MAX = 64 * 1024;

/** Runs the agent once, and closes its door. @throws only what `signal` says. */
export async function runAgentRoom(room: AgentRoom): Promise<AgentRoomEnd> {
  const { driver, context } = room;
  const line = driver.line(context);
  const request = requestOf(room, line);
  const result = await runRoom(withOutput(room), request, room.signal);
  // An agent may leave before its last call is settled: until then a call stands with its worst case, and without its status.
  await room.door?.close();
  const { outcome } = result;
  const read = driver.read({
    exitCode: outcome.kind === 'exited' ? outcome.exitCode : null,
    stdout: result.stdout.text,
    stderr: result.stderr.text,
  });
  const written = result.files[ROOM.out]?.find(({ path }) => `${ROOM.out}/${path}` === ROOM.notes);
  const notes =
    written === undefined ? read.notes : new TextDecoder().decode(written.bytes.subarray(0, NOTES_BYTES_MAX));
  return { result, end: endOf(result, read.end, room.door), notes };
}

/** What the room proved stands above what the agent said. */
function endOf({ outcome }: SandboxResult, said: AgentEnd, door: OpenDoor | null): AgentEnd {
  const exitCode = outcome.kind === 'exited' ? outcome.exitCode : null;
  const limit = door?.limitHit() ?? null;
  const status = door?.noAccess() ?? null;
  if (status !== null) return noAccess(status, said, exitCode);
  if (limit !== null) return { kind: 'limit', exitCode, detail: limit };
  switch (outcome.kind) {
    case 'exited':
      return { ...said, exitCode };
    case 'signaled':
      return { kind: 'crashed', exitCode: null, detail: `ended by ${outcome.signal}` };
    case 'timed_out':
      return { kind: 'timed_out', exitCode: null, detail: `ran longer than ${String(outcome.limitMs)} ms` };
    case 'out_of_memory':
      return {
        kind: 'out_of_memory',
        exitCode: null,
        detail: `needed more than ${String(outcome.limitBytes)} bytes`,
      };
    case 'output_limit':
      return {
        kind: 'output_limit',
        exitCode: null,
        detail: `printed more than ${String(outcome.limitBytes)} bytes`,
      };
    case 'cancelled':
      return { kind: 'cancelled', exitCode: null, detail: 'cancelled' };
    case 'lost':
      return { kind: 'lost', exitCode: null, detail: outcome.reason.slice(0, 2000) };
  }
}

function noAccess(status: number, said: AgentEnd, exitCode: number | null): AgentEnd {
  const words = said.detail === '' ? '' : `; the agent says: ${said.detail.slice(0, 500)}`;
  return { kind: 'no_access', exitCode, detail: `the model's endpoint answers ${String(status)}${words}` };
}

function withOutput({ sandbox, onOutput }: AgentRoom): SandboxPort {
  return {
    backend: sandbox.backend,
    run: (request, options) =>
      sandbox.run(request, { ...options, onOutput: (_stream, bytes) => onOutput(bytes) }),
    probe: (image) => sandbox.probe(image),
    warm: (image, count, shape) => sandbox.warm(image, count, shape),
    reap: () => sandbox.reap(),
    close: () => sandbox.close(),
  };
}

function requestOf(room: AgentRoom, line: ReturnType<RoomDriver['line']>): SandboxRequest {
  const { tree, door, installed, driver, tools = [] } = room;
  const bytes = [
    ...tree.files.map((file) => file.bytes.byteLength),
    ...tree.prepared.map(({ size }) => size),
  ];
  const repository = tree.repository?.files ?? [];
  const laid = [...bytes, ...repository.map((file) => file.bytes.byteLength)].reduce(
    (sum, each) => sum + each,
    0,
  );
  const home = line.files.map(({ path, text }) => ({ path, bytes: new TextEncoder().encode(text) }));
  const dotGit = { path: '.git', bytes: new TextEncoder().encode(`gitdir: ${ROOM.git}\n`) };
  const shows = [
    ...(installed.folder === null ? [] : [{ from: installed.folder, at: ROOM.program }]),
    ...(installed.nodeFolder === null ? [] : [{ from: installed.nodeFolder, at: ROOM.node }]),
    ...(installed.sdkFolder === undefined ? [] : [{ from: installed.sdkFolder, at: ROOM.sdk }]),
    ...(door === null ? [] : [{ from: door.folder, at: ROOM.door }]),
  ];
  return {
    key: room.key,
    owner: room.owner,
    image: room.image,
    mounts: [
      { path: ROOM.work, files: [dotGit, ...tree.files], prepared: tree.prepared },
      { path: ROOM.git, files: repository },
      { path: ROOM.task, files: [...room.task, prepareFile(tree)], writable: false },
      { path: ROOM.out, files: [] },
      ...(tools.length === 0 ? [] : [{ path: ROOM.tools, files: tools, writable: false }]),
      { path: ROOM.home, files: home },
      ...(door === null ? [] : [{ path: ROOM.doorProgram, files: [room.doorProgram], writable: false }]),
    ],
    prepare: ['sh', `${ROOM.task}/${PREPARE_FILE}`],
    argv: ['sh', '-c', START, 'sh', door === null ? '' : String(ROOM.doorPort), ...line.argv],
    env: { ...room.env, ...pathOf(room), HOME: ROOM.home, TERM: 'dumb', ...line.env },
    cwd: ROOM.work,
    stdin: new TextEncoder().encode(line.stdin),
    ...(door === null
      ? {}
      : {
          companions: [
            {
              argv: [
                'node',
                `${ROOM.doorProgram}/${room.doorProgram.path}`,
                String(ROOM.doorPort),
                `${ROOM.door}/model.sock`,
              ],
              user: 'trusted' as const,
              cwd: '/',
            },
          ],
        }),
    limits: {
      wallMs: room.wallMs,
      memoryBytes: driver.memoryBytes + DISK_BYTES + 2 * laid,
      diskBytes: DISK_BYTES,
      filesMax: bytes.length + FILES_SPARE,
      processesMax: 512,
      outputBytes: OUTPUT_BYTES,
      cpus: 2,
    },
    collect: [ROOM.work, ROOM.out],
    collectChanges: [ROOM.work],
    ...(shows.length === 0 ? {} : { shows }),
  };
}

function pathOf({ env, tools = [] }: AgentRoom): Record<string, string> {
  const { PATH = '/usr/local/bin:/usr/bin:/bin' } = env;
  return { PATH: tools.length === 0 ? PATH : `${ROOM.tools}:${PATH}` };
}

const PREPARE_FILE = '.prepare';
const WAIT_FOR_DOOR =
  'let n=0;const t=()=>{const s=require("net").connect(+process.argv[1],"127.0.0.1").on("connect",()=>s.destroy()).on("error",()=>{if(++n>200)process.exitCode=1;else setTimeout(t,25)})};t()';

/** The door; then the agent. */
const START = `if [ -n "$1" ]; then
  node -e '${WAIT_FOR_DOOR}' "$1" || { echo "a7-rt: the door to the model did not open" >&2; exit 125; }
fi
shift
exec "$@"`;

/** A tree without a repository gets one of what was laid, made in the room: it holds nothing else. */
const OWN_REPOSITORY = [
  '{ git init -q -b main && git config user.name agent && git config user.email agent@localhost; } >/dev/null 2>&1',
  '{ git add -A && git commit -q -m base; } >/dev/null 2>&1',
  'exit 0',
];

/** Where the tree of the iteration is the base's, the index knows each file as it lies: the agent's first `git status` reads none. */
function outOf(tree: string): string[] {
  return [
    'set -e',
    `git read-tree ${tree}`,
    'git -c checkout.workers=2 checkout-index --quiet --all --index',
    'git read-tree -m HEAD',
  ];
}

function prepareFile({ links, repository }: RoomTree): SandboxFile {
  const linked = [...links].map(
    ([path, target]) =>
      `mkdir -p ${quoted(parentOf(path))}; ln -s -- ${quoted(target)} ${quoted(`${ROOM.work}/${path}`)}`,
  );
  const lines = [
    `export GIT_DIR=${ROOM.git} GIT_WORK_TREE=${ROOM.work}; cd ${ROOM.work}`,
    ...(repository === null ? [...linked, ...OWN_REPOSITORY] : outOf(repository.tree)),
  ];
  return { path: PREPARE_FILE, bytes: new TextEncoder().encode(`${lines.join('\n')}\n`) };
}

function parentOf(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash < 0 ? ROOM.work : `${ROOM.work}/${path.slice(0, slash)}`;
}
