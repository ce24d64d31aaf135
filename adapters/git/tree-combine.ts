/** Trees made of trees: overlay, filter, union (gate.md part 7). Never `git merge-tree`, which guesses. */
import { globPredicate } from '../../core/shadow/write-set.ts';
import type { OverlayInput, TreeChange, TreeRefusal, TreeResult } from '../../core/ports/git.ts';
import type { Folder, Folders, ObjectBatch } from './folders.ts';
import { applyChanges, collisions } from './tree-edit.ts';
import type { TreeItem } from './tree-codec.ts';
import { diffTrees } from './tree-read.ts';

/** Head with exactly the paths of `ownGlobs` replaced by those of the source. */
export async function overlay(folders: Folders, input: OverlayInput): Promise<TreeResult> {
  const isOwn = globPredicate(input.ownGlobs);
  const refusals = input.start === undefined ? [] : await overlayRefusals(folders, input, input.start, isOwn);
  if (refusals.length > 0) return { status: 'refused', refusals };
  const changes: TreeChange[] = [];
  for (const { path, after } of await diffTrees(folders, input.headTree, input.sourceTree)) {
    if (!isOwn(path)) continue;
    changes.push(after === null ? { kind: 'delete', path } : { kind: 'place', path, entry: after });
  }
  return applyChanges(folders, input.headTree, changes);
}

/** The tree without the paths that `keep` refuses. */
export async function filterTree(
  folders: Folders,
  tree: string,
  keep: (path: string) => boolean,
): Promise<string> {
  const batch = folders.batch();
  const result = batch.addFolder(await filterFolder(folders, batch, tree, keep, ''));
  await batch.flush();
  return result;
}

/** Union of trees; equal entries may repeat, all else that meets is refused. */
export async function mergeDisjoint(folders: Folders, trees: readonly string[]): Promise<TreeResult> {
  const batch = folders.batch();
  const refusals: TreeRefusal[] = [];
  const merged = await mergeFolders({ folders, batch, refusals }, [...new Set(trees)], '');
  if (refusals.length > 0) return { status: 'refused', refusals };
  const result = batch.addFolder(merged);
  await batch.flush();
  return { status: 'ok', tree: result };
}

async function overlayRefusals(
  folders: Folders,
  input: OverlayInput,
  start: { readonly sourceTree: string; readonly headTree: string },
  isOwn: (path: string) => boolean,
): Promise<TreeRefusal[]> {
  const written = await diffTrees(folders, start.sourceTree, input.sourceTree);
  const moved = await diffTrees(folders, start.headTree, input.headTree);
  const globs = input.ownGlobs.join(', ');
  return [
    ...written
      .filter(({ path }) => !isOwn(path))
      .map(({ path }) => ({ path, reason: 'outside_write_set' as const, rule: `must match ${globs}` })),
    ...moved
      .filter(({ path }) => isOwn(path))
      .map(({ path }) => ({
        path,
        reason: 'changed_in_head' as const,
        rule: 'must be as it was when the work began',
      })),
  ];
}

async function filterFolder(
  folders: Folders,
  batch: ObjectBatch,
  oid: string,
  keep: (path: string) => boolean,
  prefix: string,
): Promise<Folder> {
  const kept = new Map<string, TreeItem>();
  for (const item of (await folders.load(oid)).values()) {
    const path = prefix + item.name;
    if (item.kind !== 'folder') {
      if (keep(path)) kept.set(item.name, item);
      continue;
    }
    const inside = await filterFolder(folders, batch, item.oid, keep, `${path}/`);
    if (inside.size > 0) kept.set(item.name, { ...item, oid: batch.addFolder(inside) });
  }
  return kept;
}

interface Merge {
  readonly folders: Folders;
  readonly batch: ObjectBatch;
  readonly refusals: TreeRefusal[];
}

async function mergeFolders(merge: Merge, oids: readonly string[], prefix: string): Promise<Folder> {
  const byName = new Map<string, TreeItem[]>();
  for (const oid of oids) {
    for (const item of (await merge.folders.load(oid)).values()) {
      byName.set(item.name, [...(byName.get(item.name) ?? []), item]);
    }
  }
  const merged = new Map<string, TreeItem>();
  for (const [name, items] of byName) {
    const item = await mergeItems(merge, items, prefix + name);
    if (item !== null) merged.set(name, item);
  }
  if (oids.length > 1) merge.refusals.push(...collisions(merged, new Set(merged.keys()), prefix));
  return merged;
}

async function mergeItems(merge: Merge, items: readonly TreeItem[], path: string): Promise<TreeItem | null> {
  const first = items[0];
  if (first === undefined) return null;
  if (items.every((item) => item.oid === first.oid && item.kind === first.kind)) return first;
  if (items.every((item) => item.kind === 'folder')) {
    const inside = await mergeFolders(merge, [...new Set(items.map((item) => item.oid))], `${path}/`);
    return { ...first, oid: merge.batch.addFolder(inside) };
  }
  merge.refusals.push({ path, reason: 'collision', rule: 'must be the same file in every part' });
  return null;
}
