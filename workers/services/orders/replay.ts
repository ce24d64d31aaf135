/** `order replay`: verifies an order again from its bundle alone: its trees, its frozen plan, its record (G11). */
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import type { z } from 'zod';
import { join, resolve } from 'node:path';
import type { Judging } from '../../../activities/order/judge-tree.ts';
import { frozenPlan } from '../../../activities/order/prepare.ts';
import { judgeSnapshot } from '../../../activities/order/verify.ts';
import { violationsIn } from '../../../activities/order/violations.ts';
import { openWorkspace } from '../../../adapters/git/order-workspace.ts';
import { porcelain } from '../../../adapters/git/order-source.ts';
import { readSnapshot } from '../../../adapters/git/read-snapshot.ts';
import { readToml } from '../../../adapters/system/toml.ts';
import { withLock } from '../../../adapters/store/lock.ts';
import type { Workspace } from '../../../core/ports/orders.ts';
import type { ReplayReport } from '../../../core/ports/order-services.ts';
import type { Result } from '../../../core/ports/services.ts';
import { FrozenPlan } from '../../../schemas/order-files.ts';
import { OrderSnapshot, type Violation, WorkOrder } from '../../../schemas/order.ts';
import { OrderEvent } from '../../../schemas/order-ledger.ts';
import { RepositoryReport } from '../../../schemas/repository-report.ts';
import { repositoryParts } from '../gate/parts.ts';
import { type Surroundings, failed, messageOf } from '../common.ts';
import { openHomeMachine } from '../home-machine.ts';
import { withOrder } from './data.ts';

/** Judges every recorded iteration anew, in this machine's clean room. */
export async function replay(
  around: Surroundings,
  name: string,
  isBundle: boolean,
): Promise<Result<ReplayReport>> {
  if (isBundle) return replayBundle(around, resolve(name));
  return withOrder(around, name, (folder) => replayBundle(around, folder.pathOf('order.bundle')));
}

async function replayBundle(around: Surroundings, file: string): Promise<Result<ReplayReport>> {
  if ((await stat(file).catch(() => null)) === null)
    return failed(
      2,
      `Cannot replay: there is no bundle "${file}"`,
      'An order leaves order.bundle when it has ended',
    );
  const scratch = await mkdtemp(join(tmpdir(), 'a7-replay-'));
  try {
    const workspace = await openWorkspace(scratch, 'replay', withLock);
    try {
      await porcelain(scratch, workspace.gitDir, {}).raw([
        '--git-dir',
        workspace.gitDir,
        'fetch',
        '--quiet',
        file,
        '+refs/heads/*:refs/a7/bundle/*',
      ]);
    } catch (error) {
      return failed(
        2,
        `Cannot replay "${file}": ${messageOf(error).trim().split('\n').at(-1) ?? ''}`,
        'git bundle verify FILE',
      );
    }
    return await judgeAll(around, workspace).catch((error: unknown) => {
      if (!(error instanceof RecordUnreadable)) throw error;
      return failed(
        2,
        `Cannot replay "${file}": ${error.message}`,
        'The bundle was changed: ask for the original',
      );
    });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function judgeAll(around: Surroundings, workspace: Workspace): Promise<Result<ReplayReport>> {
  const record = await workspace.trees.readRef('refs/a7/bundle/record');
  if (record === null)
    return failed(2, 'Cannot replay: the bundle has no branch "record"', 'git bundle list-heads FILE');
  const files = await recordOf(workspace, record);
  const order = parsed(WorkOrder, files('order.json'), 'order.json');
  parsed(FrozenPlan, files('plan.json'), 'plan.json');
  const told = verdictsTold(files('events.jsonl'));
  const machine = await openHomeMachine(around, null);
  if ('ok' in machine) return machine;
  const iterations: ReplayReport['iterations'][number][] = [];
  try {
    for (let iteration = 1; iteration <= order.limits.iterationsMax; iteration += 1) {
      const at = `iteration-${String(iteration)}`;
      const snapshot = OrderSnapshot.safeParse(files(`${at}/snapshot.json`));
      const recorded = RepositoryReport.safeParse(files(`${at}/report.json`));
      if (!snapshot.success || !recorded.success) {
        if (told.has(iteration))
          throw new RecordUnreadable(
            `its ledger has a verdict on iteration ${String(iteration)}, its record has none`,
          );
        break;
      }
      const problem = await treeProblem(workspace, iteration, snapshot.data);
      if (problem !== null) return failed(1, problem, 'The bundle was changed: ask for the original');
      const folder = {
        id: order.id,
        get: async (path: string) => bytesOf(files(path)),
      };
      const ports = { parts: repositoryParts(machine), readSnapshot, image: machine.image };
      const violations = await violationsAnew({ folder, order, workspace }, snapshot.data);
      const seen = { ...snapshot.data, violations };
      const { report } = await judgeSnapshot({ ports, folder, order, workspace }, seen, 0, undefined);
      const [was, is] = [recorded.data, report];
      iterations.push({
        iteration,
        recorded: was.verdict,
        verdict: is.verdict,
        recordedDigest: was.digest,
        digest: is.digest,
        same:
          was.verdict === is.verdict &&
          was.subject.tree === is.subject.tree &&
          was.subject.planHash === is.subject.planHash,
      });
    }
  } finally {
    await machine.sandbox.close();
  }
  const value = { id: order.id, iterations };
  const other = iterations.find(({ same }) => !same);
  if (other === undefined) return { ok: true, value };
  return failed(
    1,
    `Order ${order.id}, iteration ${String(other.iteration)}: recorded ${other.recorded}, now ${other.verdict}`,
    'a7-rt order report ID',
  );
}

/** From the trees; what was never taken out of the room is in no tree and stands as recorded. */
async function violationsAnew(
  { folder, order, workspace: { trees } }: Omit<Judging, 'ports'>,
  { before, tree, violations }: OrderSnapshot,
): Promise<Violation[]> {
  const { plan } = await frozenPlan(folder);
  const entries = violations.filter(({ kind }) => kind === 'refused_entry' || kind === 'too_much');
  const differences = await trees.diff(before.tree, tree);
  return violationsIn(
    { trees, policy: order.policy, plan, readToml },
    { before: before.tree, differences, entries },
  );
}

/** The tree of the branch is the one that the record names. */
async function treeProblem(
  workspace: Workspace,
  iteration: number,
  snapshot: OrderSnapshot,
): Promise<string | null> {
  const commit = await workspace.trees.readRef(`refs/a7/bundle/iteration-${String(iteration)}`);
  if (commit !== snapshot.replayCommit)
    return `Iteration ${String(iteration)}: the bundle holds another commit than its record names`;
  const { tree, parents } = await workspace.readCommit(commit);
  const [parent = ''] = parents;
  const before = parent === '' ? '' : await treeOf(workspace, parent);
  if (tree === snapshot.tree && before === snapshot.before.tree) return null;
  return `Iteration ${String(iteration)}: the bundle holds another tree than its record names`;
}

async function treeOf(workspace: Workspace, commit: string): Promise<string> {
  const { tree } = await workspace.readCommit(commit);
  return tree;
}

async function recordOf(workspace: Workspace, commit: string): Promise<(path: string) => unknown> {
  const tree = await treeOf(workspace, commit);
  const read = new Map<string, unknown>();
  for (const { path, oid } of await workspace.trees.listTree(tree)) {
    if (!/\.jsonl?$/.test(path)) continue;
    const text = (await workspace.trees.readBlob(oid)).toString('utf8');
    read.set(path, path.endsWith('.jsonl') ? text : jsonOf(text, path));
  }
  return (path) => read.get(path) ?? null;
}

/** Iterations on which the ledger has a verdict. */
function verdictsTold(text: unknown): ReadonlySet<number> {
  const lines = (typeof text === 'string' ? text : '')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => OrderEvent.safeParse(picked(jsonOf(line, 'events.jsonl'))));
  return new Set(
    lines.flatMap(({ success, data }) => (success && data.type === 'verified' ? [data.data.iteration] : [])),
  );
}

function picked(line: unknown): unknown {
  const { type, data } = typeof line === 'object' && line !== null ? (line as Record<string, unknown>) : {};
  return { type, data };
}

function jsonOf(text: string, path: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new RecordUnreadable(`${path} of its record is no JSON`);
  }
}

function parsed<T>(schema: z.ZodType<T>, value: unknown, path: string): T {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  throw new RecordUnreadable(`${path} of its record cannot be read`);
}

class RecordUnreadable extends Error {
  override readonly name = 'RecordUnreadable';
}

function bytesOf(value: unknown): Uint8Array | null {
  return value === null ? null : new TextEncoder().encode(JSON.stringify(value));
}
