// The runners of this machine, and the room in which they run the project's code: bubblewrap where it works.
import { spawn } from 'node:child_process';
import { existsSync, lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findEraser } from './eraser.mjs';

/** Where a run's folder lies for the program that runs in it. */
const INSIDE = '/tmp/audit';
const OUTPUT_MAX_BYTES = 32 * 1024 * 1024;
const PROBE_TIMEOUT_MS = 60_000;
const LEFT_OUT = new Set(['proc', 'sys', 'dev', 'tmp', 'run', 'mnt', 'media', 'boot', 'work', 'lost+found']);

/** A program that the audit needs is not here; the message names the next step. */
export class ToolMissing extends Error {}

/** Programs with their versions. A runner that is missing is null: who needs it says so. */
export async function findRunners(values) {
  if (values.rootfs !== undefined && !existsSync(values.rootfs)) {
    throw new ToolMissing(`Cannot use the root file system "${values.rootfs}": it is not there`);
  }
  const git = await versionOf(['git', '--version']);
  if (git === null) throw new ToolMissing('Cannot audit: git is not on PATH. Install git');
  if (values['no-suites']) {
    return {
      described: { git, node: process.version, python: null, isolation: 'none needed: no suite runs' },
    };
  }
  const room = await findRoom(values.rootfs ?? null);
  const python = await findPython(room, values);
  const own = await findNode(room, values);
  const node = own?.version ?? null;
  const described = { git, node, python: python?.version ?? null, isolation: room.isolation };
  return {
    room: python?.room ?? room,
    nodeRoom: own?.room ?? room,
    python,
    node: own,
    eraseTypes: await findEraser(),
    described,
  };
}

async function findRoom(rootfs) {
  const works = await run(['bwrap', ...roomArguments(null, null), '--', 'true'], {
    timeoutMs: PROBE_TIMEOUT_MS,
  });
  if (works.code === 0)
    return { rootfs, isolation: rootfs === null ? 'bwrap, no network' : 'bwrap, no network, own root' };
  if (rootfs !== null) throw new ToolMissing('Cannot use --rootfs: bwrap is missing or may not be used here');
  return { rootfs: null, isolation: 'none: the suites run as you' };
}

/**
 * The interpreter itself, not a shim that looks for one: the room has another home. A room has a /tmp of its own, so what the
 * interpreter needs from below /tmp is laid in again.
 */
async function findPython(room, values) {
  const asked = values.python ?? 'python3';
  const real = room.rootfs === null ? await realPython(asked) : { program: asked, needs: [] };
  if (real === null) return null;
  const own = { ...room, more: real.needs };
  const args = [
    real.program,
    '-c',
    'import sys, pytest; print(sys.version.split()[0], "pytest", pytest.__version__)',
  ];
  const { code, stdout } = await runInRoom(own, null, args, { env: {}, timeoutMs: PROBE_TIMEOUT_MS });
  return code === 0 ? { program: real.program, version: stdout.trim(), room: own } : null;
}

async function realPython(program) {
  const code = 'import sys; print(sys.executable); print(sys.prefix); print(sys.base_prefix)';
  const result = await run([program, '-c', code], { timeoutMs: PROBE_TIMEOUT_MS });
  if (result.code !== 0) return null;
  const [executable, ...prefixes] = result.stdout.trim().split('\n');
  const needs = [...new Set(prefixes)].filter((path) => path.startsWith('/tmp/'));
  return { program: executable, needs };
}

/** The node that was asked for; with a root file system the one in it, or, where it has none, this one in its own room. */
async function findNode(room, values) {
  if (room.rootfs !== null && values.node === undefined) {
    const args = ['node', '--version'];
    const { code, stdout } = await runInRoom(room, null, args, { env: {}, timeoutMs: PROBE_TIMEOUT_MS });
    if (code === 0) return { program: 'node', version: stdout.trim(), room };
  }
  const program = values.node ?? process.execPath;
  const version = await versionOf([program, '--version']);
  if (version === null) return null;
  const needs = program.startsWith('/tmp/') ? [dirname(dirname(program))] : [];
  return { program, version, room: { ...room, rootfs: null, more: needs } };
}

async function versionOf(argv) {
  const { code, stdout } = await run(argv, { timeoutMs: PROBE_TIMEOUT_MS });
  return code === 0 ? stdout.trim() : null;
}

/** Path of a run's folder as the program in the room sees it. */
export function insidePath(room, folder) {
  return room.isolation.startsWith('bwrap') ? INSIDE : folder;
}

/** Runs a program on a folder; `argv` and `env` use the paths of `insidePath`. Never throws. */
export function runInRoom(room, folder, argv, options) {
  const env = {
    PATH: process.env.PATH ?? '/usr/bin:/bin',
    HOME: '/nonexistent',
    LANG: 'C.UTF-8',
    LC_ALL: 'C.UTF-8',
    TZ: 'UTC',
    ...options.env,
  };
  const cwd = folder === null ? '/' : `${folder}/work`;
  if (!room.isolation.startsWith('bwrap')) return run(argv, { ...options, env, cwd });
  const inside = folder === null ? '/' : `${INSIDE}/work`;
  return run(['bwrap', ...roomArguments(room.rootfs, folder, room.more), '--chdir', inside, '--', ...argv], {
    ...options,
    env,
  });
}

function roomArguments(rootfs, folder, more = []) {
  const root = rootfs === null ? ['--ro-bind', '/', '/'] : rootEntries(rootfs);
  const bound = folder === null ? [] : ['--bind', folder, INSIDE];
  return [
    ...root,
    '--proc',
    '/proc',
    '--dev',
    '/dev',
    '--tmpfs',
    '/tmp',
    ...more.flatMap((path) => ['--ro-bind', path, path]),
    ...bound,
    '--unshare-all',
    '--new-session',
    '--die-with-parent',
  ];
}

function rootEntries(rootfs) {
  const names = readdirSync(rootfs).filter((name) => !LEFT_OUT.has(name));
  return names.flatMap((name) => {
    const path = join(rootfs, name);
    return lstatSync(path).isSymbolicLink()
      ? ['--symlink', readlinkSync(path), `/${name}`]
      : ['--ro-bind', path, `/${name}`];
  });
}

/** Exit code (null: killed), standard output and error as text, and whether the time was up. */
function run(argv, { env, cwd, timeoutMs }) {
  return new Promise((resolve) => {
    const child = spawn(argv[0], argv.slice(1), {
      env: env ?? process.env,
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const texts = { stdout: '', stderr: '' };
    let timedOut = false;
    const kill = () => {
      try {
        process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It has ended meanwhile.
      }
    };
    const timer = setTimeout(() => {
      timedOut = true;
      kill();
    }, timeoutMs);
    for (const name of ['stdout', 'stderr']) {
      child[name].setEncoding('utf8').on('data', (part) => {
        texts[name] += part;
        if (texts[name].length > OUTPUT_MAX_BYTES) kill();
      });
    }
    const end = (code) => {
      clearTimeout(timer);
      resolve({ code, ...texts, timedOut });
    };
    child.once('error', () => end(null));
    child.once('close', end);
  });
}
