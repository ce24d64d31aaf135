/** Command lines of bubblewrap: which namespaces, which folders, who may do what. Pure. */
import { KEEPER_CAPABILITIES, SCRATCH_FOLDERS } from '../shared/room-request.ts';
import { ROOM_AGENT_SOURCE } from '../shared/room-agent.ts';

/** An entry at the top of the unpacked image. */
export interface RootEntry {
  readonly name: string;
  /** Target of a symbolic link; null for a folder. */
  readonly link: string | null;
}

/** A writable or filled folder of the room. */
export type RoomFolder =
  | { readonly kind: 'bind'; readonly from: string; readonly at: string }
  | { readonly kind: 'read_only'; readonly from: string; readonly at: string }
  | { readonly kind: 'tmpfs'; readonly at: string; readonly maxBytes: number; readonly shared: boolean };

export interface RoomLayout {
  readonly program: string;
  readonly rootfs: string;
  readonly rootEntries: readonly RootEntry[];
  readonly folders: readonly RoomFolder[];
  /** Root: real users and seven capabilities for the keeper. Otherwise a user namespace with one user. */
  readonly privileged: boolean;
}

/** Descriptor of the compiled seccomp filter. */
export const SECCOMP_FD = 3;

/** Made by the room itself, or of no use in it. */
const LEFT_OUT = new Set(['proc', 'sys', 'dev', 'tmp', 'run', 'mnt', 'media', 'boot', 'lost+found']);

/** The whole command of a room, program first. */
export function roomCommand(layout: RoomLayout): string[] {
  return [
    layout.program,
    ...namespaces(layout.privileged),
    ...rootArguments(layout),
    ...['--proc', '/proc', '--dev', '/dev'],
    ...layout.folders.flatMap(folderArguments),
    ...['--remount-ro', '/dev', '--remount-ro', '/'],
    ...['--clearenv', '--setenv', 'LANG', 'C.UTF-8', '--chdir', '/', '--hostname', 'room'],
    ...['--seccomp', String(SECCOMP_FD)],
    ...['--', '/usr/bin/python3', '-I', '-S', '-E', '-c', ROOM_AGENT_SOURCE],
  ];
}

/**
 * Prepares one size-limited tmpfs for all writable folders in a mount namespace of its own, then becomes bubblewrap.
 * Arguments: mount point, mount options, names of the folders, files that take the pid (both with spaces between), the command.
 */
export const PREPARE_SCRIPT = [
  'set -e; d=$1; o=$2; n=$3; for p in $4; do echo $$ > "$p"; done; shift 4',
  'mount -t tmpfs -o "$o" a7-rt "$d"',
  'cd "$d"; mkdir -m 1777 $n; cd /',
  'exec "$@"',
].join('\n');

function namespaces(privileged: boolean): string[] {
  const common = ['ipc', 'pid', 'net', 'uts', 'cgroup-try'].map((name) => `--unshare-${name}`);
  const rights = privileged
    ? ['--cap-drop', 'ALL', ...KEEPER_CAPABILITIES.flatMap((name) => ['--cap-add', `CAP_${name}`])]
    : ['--unshare-user', '--cap-drop', 'ALL'];
  return [...common, ...rights, '--new-session', '--die-with-parent', '--as-pid-1'];
}

function rootArguments(layout: RoomLayout): string[] {
  const taken = new Set(layout.folders.map((folder) => folder.at.split('/')[1]));
  const entries = layout.rootEntries.filter((entry) => !LEFT_OUT.has(entry.name) && !taken.has(entry.name));
  const shown = entries.flatMap(({ name, link }) => {
    return link === null
      ? ['--ro-bind', `${layout.rootfs}/${name}`, `/${name}`]
      : ['--symlink', link, `/${name}`];
  });
  return [...shown, '--dir', '/run', '--dir', '/work', ...parentArguments(layout.folders)];
}

/** Folders above nested mount points, made by us: bubblewrap would make them readable by nobody but root. */
function parentArguments(folders: readonly RoomFolder[]): string[] {
  const parents = folders.flatMap(({ at }) => {
    const parts = at.split('/').slice(1, -1);
    return parts.map((_, depth) => `/${parts.slice(0, depth + 1).join('/')}`);
  });
  const missing = [...new Set(parents)].filter((path) => path !== '/dev');
  return missing.flatMap((path) => ['--perms', '0755', '--dir', path]);
}

function folderArguments(folder: RoomFolder): string[] {
  switch (folder.kind) {
    case 'bind':
      return ['--bind', folder.from, folder.at];
    case 'read_only':
      return ['--ro-bind', folder.from, folder.at];
    case 'tmpfs':
      return [
        '--size',
        String(folder.maxBytes),
        '--perms',
        folder.shared ? '1777' : '0755',
        '--tmpfs',
        folder.at,
      ];
  }
}

/** Folders of a privileged room: numbered folders of one prepared tmpfs. */
export function preparedFolders(mountPoint: string, mounts: readonly string[]): RoomFolder[] {
  return [...mounts, ...SCRATCH_FOLDERS].map((at, number) => ({
    kind: 'bind',
    from: `${mountPoint}/${number}`,
    at,
  }));
}
