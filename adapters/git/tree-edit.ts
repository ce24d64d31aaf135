/**
 * Applies changes to a tree: only folders on the way to a change are made anew.
 *
 *  E1. Deletions come before additions, so a rename may change case and a file may give way to a folder.
 *  E2. A name that is new to its folder passes the path rules and must not collide with any other after folding.
 *  E3. Links survive unchanged: nothing is written over them, nothing removes them, none is made.
 *  E4. All or nothing: with one refusal no object is written.
 */
import type { FileKind, TreeChange, TreeRefusal, TreeResult } from '../../core/ports/git.ts';
import { checkPath, foldName } from '../../core/shadow/path-rules.ts';
import type { Folder, Folders, ObjectBatch } from './folders.ts';
import { assertOid } from './loose-objects.ts';
import type { TreeItem } from './tree-codec.ts';

/** Makes the changed tree; its objects are on disk when this returns. */
export async function applyChanges(
  folders: Folders,
  tree: string,
  changes: readonly TreeChange[],
): Promise<TreeResult> {
  const batch = folders.batch();
  const root = plan(changes, batch);
  const edit: Edit = { folders, batch, refusals: [], known: new Set([tree]) };
  const items = await editFolder(edit, tree, root, '');
  if (edit.refusals.length > 0) return { status: 'refused', refusals: edit.refusals };
  const result = batch.addFolder(items);
  await batch.flush(edit.known);
  return { status: 'ok', tree: result };
}

/** Adds a refusal for each name of `added` that is another name of the folder on some file system (P5). */
export function collisions(folder: Folder, added: ReadonlySet<string>, prefix: string): TreeRefusal[] {
  if (added.size === 0) return [];
  const byKey = new Map<string, string>();
  const refusals: TreeRefusal[] = [];
  // Names that were there first: the refusal names the newcomer.
  for (const name of [...folder.keys()].sort((a, b) => Number(added.has(a)) - Number(added.has(b)))) {
    const key = foldName(name);
    const other = byKey.get(key);
    if (other === undefined) byKey.set(key, name);
    else if (added.has(name)) {
      const rule = `must differ from "${prefix}${other}" in more than letter case`;
      refusals.push({ path: prefix + name, reason: 'collision', rule });
    }
  }
  return refusals;
}

interface Edit {
  readonly folders: Folders;
  readonly batch: ObjectBatch;
  readonly refusals: TreeRefusal[];
  /** Folders that were read: stored for certain. */
  readonly known: Set<string>;
}

/** What shall happen at one path, and below it. */
interface Step {
  readonly below: Map<string, Step>;
  remove: boolean;
  /** `kind` null: as it is. */
  put: { readonly oid: string; readonly kind: FileKind | null } | null;
}

function plan(changes: readonly TreeChange[], batch: ObjectBatch): Step {
  const root = newStep();
  for (const change of changes) {
    let step = root;
    for (const name of change.path.split('/')) {
      const next = step.below.get(name) ?? newStep();
      step.below.set(name, next);
      step = next;
    }
    if (change.kind === 'delete') step.remove = true;
    else if (change.kind === 'place')
      step.put = { oid: assertOid(change.entry.oid), kind: change.entry.kind };
    else step.put = { oid: batch.addBlob(change.bytes), kind: writtenKind(change.executable) };
  }
  return root;
}

function newStep(): Step {
  return { below: new Map(), remove: false, put: null };
}

function writtenKind(executable: boolean | undefined): FileKind | null {
  if (executable === undefined) return null;
  return executable ? 'executable' : 'blob';
}

async function editFolder(edit: Edit, oid: string | null, step: Step, prefix: string): Promise<Folder> {
  const before: Folder = oid === null ? new Map<string, TreeItem>() : await edit.folders.load(oid);
  if (oid !== null) edit.known.add(oid);
  const items = new Map(before);
  for (const [name, next] of step.below) {
    const path = prefix + name;
    if (next.remove) removeFile(edit, items, name, path);
    if (next.below.size > 0) await enterFolder(edit, items, name, next, path);
    if (next.put !== null) putFile(edit, items, name, next.put, path);
  }
  const added = new Set([...items.keys()].filter((name) => !before.has(name)));
  edit.refusals.push(...collisions(items, added, prefix));
  return items;
}

function removeFile(edit: Edit, items: Map<string, TreeItem>, name: string, path: string): void {
  const item = items.get(name);
  if (item === undefined) refuse(edit, path, 'missing', 'there must be such a file');
  else if (item.kind === 'folder') refuse(edit, path, 'file_and_folder', 'must be a file, it is a folder');
  else if (isLink(item.kind)) refuse(edit, path, 'link', 'is a link, which must stay as it is');
  else items.delete(name);
}

async function enterFolder(
  edit: Edit,
  items: Map<string, TreeItem>,
  name: string,
  step: Step,
  path: string,
): Promise<void> {
  const item = items.get(name);
  if (item !== undefined && item.kind !== 'folder') {
    refuse(edit, path, 'file_and_folder', 'must be a folder, it is a file');
    return;
  }
  const inside = await editFolder(edit, item?.oid ?? null, step, `${path}/`);
  if (inside.size === 0) items.delete(name);
  else items.set(name, { name, kind: 'folder', oid: edit.batch.addFolder(inside) });
}

function putFile(
  edit: Edit,
  items: Map<string, TreeItem>,
  name: string,
  put: { readonly oid: string; readonly kind: FileKind | null },
  path: string,
): void {
  const item = items.get(name);
  if (item?.kind === 'folder') {
    refuse(edit, path, 'file_and_folder', 'must be a file, it is a folder');
    return;
  }
  const kind = put.kind ?? item?.kind ?? 'blob';
  const same = item?.kind === kind && item.oid === put.oid;
  if (!same && (isLink(kind) || (item !== undefined && isLink(item.kind)))) {
    refuse(edit, path, 'link', 'is a link, which must stay as it is');
    return;
  }
  const refusal = item === undefined ? checkPath(path) : null;
  if (refusal !== null) refuse(edit, path, 'path', refusal.rule);
  else items.set(name, { name, kind, oid: put.oid });
}

function isLink(kind: TreeItem['kind']): boolean {
  return kind === 'symlink' || kind === 'gitlink';
}

function refuse(edit: Edit, path: string, reason: TreeRefusal['reason'], rule: string): void {
  edit.refusals.push({ path, reason, rule });
}
