/** What an order does not allow, read from two trees: the snapshot's record has it, and `order replay` asks again. */
import { matchesAnyGlob } from '../../core/globs.ts';
import { type ChangedPath, violationsOf } from '../../core/order/policy.ts';
import { steeringPart } from '../../core/order/steering.ts';
import type { TreeDifference } from '../../core/ports/git.ts';
import type { FrozenPlan } from '../../schemas/order-files.ts';
import type { OrderPolicy, Violation } from '../../schemas/order.ts';
import type { OpenOrder, OrderPorts } from './ports.ts';

type Trees = OpenOrder['workspace']['trees'];

export interface Rules extends Pick<OrderPorts, 'readToml'>, Pick<FrozenPlan, 'plan'> {
  readonly trees: Trees;
  readonly policy: OrderPolicy;
}

export interface Change {
  readonly before: string;
  readonly differences: readonly TreeDifference[];
  /** Of entries that no tree holds. */
  readonly entries: readonly Violation[];
}

/** Every violation of a change. */
export async function violationsIn(
  { trees, policy, plan, readToml }: Rules,
  { before, differences, entries }: Change,
): Promise<Violation[]> {
  const listed = await trees.listTree(before);
  const changed = differences.map(({ path, before: was, after }): ChangedPath => {
    return { path, kind: was === null ? 'added' : after === null ? 'deleted' : 'changed' };
  });
  const basePaths = new Set(listed.map(({ path }) => path));
  const found = violationsOf({ changed, basePaths, plan, policy, entries });
  const steered: Violation[] = [];
  for (const { path, before: was, after } of differences) {
    const isSteering = /(?:^|\/)(?:pyproject\.toml|package\.json)$/.test(path);
    if (!isSteering || matchesAnyGlob(policy.gateEdits, path)) continue;
    const texts = await Promise.all([was, after].map((entry) => textOf(trees, entry)));
    const [old, fresh] = texts.map((text) => steeringPart(path, text, readToml));
    if (old !== fresh)
      steered.push({
        kind: 'gate_file',
        path,
        text: `The part of "${path}" that steers test runs was changed: put it back as it was`,
      });
  }
  return [...found, ...steered];
}

async function textOf(trees: Trees, entry: TreeDifference['before']): Promise<string> {
  if (entry === null || entry.kind === 'symlink' || entry.kind === 'gitlink') return '';
  return (await trees.readBlob(entry.oid)).toString('utf8');
}
