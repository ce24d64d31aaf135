/**
 * A shadow in a room and back. What the role must not see is not in the tree, hence not in the room: its repository is made in
 * there, of what was laid. Of what comes back only the node's own files of the role are taken; all else is put back.
 */
import { ROOM } from '../../core/ports/agent-driver.ts';
import { isConftest, isReservedPath } from '../../core/contract/reserved-paths.ts';
import { matchesAnyGlob } from '../../core/globs.ts';
import { takeWork } from '../../core/order/take-tree.ts';
import type { TreeEntry } from '../../core/ports/git.ts';
import type { SandboxFile, SandboxResult } from '../../core/ports/sandbox.ts';
import type { Session } from '../../core/ports/session.ts';
import { writeGlobs } from '../../core/projection/paths.ts';
import type { AgentTurnInput } from '../../schemas/agent-turn.ts';
import type { RoomTree } from '../order/room-tree.ts';
import { contractOf } from '../shared/trees.ts';

export interface LaidShadow extends RoomTree {
  readonly before: readonly TreeEntry[];
}

export interface TakenShadow {
  readonly tree: string;
  /** Own files that cannot be taken, each with its rule. */
  readonly refused: readonly string[];
  /** Files of others that it changed. */
  readonly putBack: readonly string[];
}

/** Files and links of the shadow; the room makes a repository of one commit of them. */
export async function layShadow({ trees }: Session, tree: string): Promise<LaidShadow> {
  const before = await trees.listTree(tree);
  const files: SandboxFile[] = [];
  const links = new Map<string, string>();
  for (const { path, kind, oid } of before) {
    if (kind === 'symlink') links.set(path, (await trees.readBlob(oid)).toString('utf8'));
    else if (kind !== 'gitlink')
      files.push({ path, bytes: await trees.readBlob(oid), executable: kind === 'executable' });
  }
  return { files, prepared: [], links, repository: null, before };
}

const NOTED_MAX = 100;
/** What tools leave beside the work, and nobody is told of. */
const LEFT_BY_TOOLS = ['**/__pycache__/**', '**/*.pyc', '**/.pytest_cache/**', '**/node_modules/**', '.git'];

export async function takeShadow(
  session: Session,
  { at, tree }: AgentTurnInput,
  laid: LaidShadow,
  result: SandboxResult,
): Promise<TakenShadow> {
  if (at.role === 'analyst') throw new RangeError('Cannot run an analyst in a room');
  const contract = await contractOf(session, at.nodeId);
  const globs = writeGlobs(contract, at.role);
  const isOwn = (path: string): boolean =>
    matchesAnyGlob(globs, path) &&
    !matchesAnyGlob(LEFT_BY_TOOLS, path) &&
    !isReservedPath(path) &&
    (at.role === 'test_author' || !isConftest(path));
  const files = result.files[ROOM.work];
  // Nothing was read: nothing must be taken for deleted.
  if (files === undefined) return { tree, refused: [], putBack: [] };
  const foreign = files.filter(({ path }) => !isOwn(path) && !matchesAnyGlob(LEFT_BY_TOOLS, path));
  const taken = takeWork(
    laid.before,
    {
      files: files.filter(({ path }) => isOwn(path)),
      kept: result.kept?.[ROOM.work] ?? [],
      refused: result.refused.flatMap((entry) => refusedOwn(entry, isOwn)),
    },
    { isHidden: (path) => !isOwn(path), isIgnored: () => false, links: laid.links },
  );
  const putBack = foreign.map(({ path }) => path).slice(0, NOTED_MAX);
  const refused = taken.refused.map(({ path, reason }) => `"${path}" (${reason})`).slice(0, NOTED_MAX);
  if (taken.changes === null) return { tree, refused, putBack };
  const written = await session.trees.writeFiles(tree, taken.changes);
  if (written.status === 'refused')
    return {
      tree,
      refused: written.refusals.map(({ path, rule }) => `"${path}" ${rule}`).slice(0, NOTED_MAX),
      putBack,
    };
  return { tree: written.tree, refused, putBack };
}

type Refused = SandboxResult['refused'][number];

/** Paths of the work folder that are the role's own, and refusals of the whole. */
function refusedOwn(entry: Refused, isOwn: (path: string) => boolean): Refused[] {
  if (entry.path === '' || entry.path === ROOM.work) return [{ ...entry, path: '' }];
  if (!entry.path.startsWith(`${ROOM.work}/`)) return [];
  const path = entry.path.slice(ROOM.work.length + 1);
  return isOwn(path) ? [{ ...entry, path }] : [];
}
