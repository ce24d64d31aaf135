/** BUILDING: one turn of the agent on the tree of the iteration before (seed 003, step 4). */
import { cancellationSignal, heartbeat } from '@temporalio/activity';
import type { OpenDoor, RoomDriver } from '../../core/ports/agent-driver.ts';
import { ROOM } from '../../core/ports/agent-driver.ts';
import type { SandboxFile } from '../../core/ports/sandbox.ts';
import { ignoreTest } from '../../core/order/ignore.ts';
import { promptOf } from '../../core/order/prompt.ts';
import { takeWork } from '../../core/order/take-tree.ts';
import { matchesAnyGlob } from '../../core/globs.ts';
import { allDependencies } from '../../core/repository/toolchains.ts';
import { isPlanFile } from '../../core/repository/plan-files.ts';
import { prettyJson } from '../../core/text/canonical.ts';
import { typed } from '../../core/text/typed.ts';
import type { BuiltResult, IterationStep } from '../../schemas/order-io.ts';
import { BuiltIteration, OrderBase, type AgentUsage } from '../../schemas/order.ts';
import { withHeartbeat } from '../shared/heartbeat.ts';
import { agentLog } from './agent-log.ts';
import { guessedPlanProblem } from './baseline.ts';
import { runAgentRoom } from './agent-room.ts';
import { roomTree } from './room-tree.ts';
import { iterationFolder, openStep, type OpenOrder, type OrderPorts } from './ports.ts';
import { frozenPlan } from './prepare.ts';
import { checkProgram, contextOf, roomEnv, taskFiles } from './told.ts';
import type { Build } from './build-turn.ts';

const NO_USAGE: AgentUsage = { calls: 0, inputTokens: 0, outputTokens: 0, costMicroUsd: 0 };

/** Runs the agent; a retry finds what was stored, or runs it again from the same tree. */
export async function buildIteration(ports: OrderPorts, step: IterationStep): Promise<BuiltResult> {
  const opened = await openStep(ports, step.at);
  const at = iterationFolder(step.iteration);
  const known = await opened.folder.get(`${at}/built.json`);
  if (known !== null) return resultOf(known);
  // A turn whose end could not be stored would be paid again.
  await withHeartbeat(heartbeat, () => ports.awaitSpace(cancellationSignal()));
  const started = ports.nowMs();
  const lack =
    step.iteration === 1
      ? await withHeartbeat(heartbeat, () => guessedPlanProblem(ports, opened, cancellationSignal()))
      : null;
  if (lack !== null) return { unmendable: lack };
  const build = await prepare(ports, opened, step);
  const driver = ports.programs.driver(opened.order.agent.name);
  const turn = await withHeartbeat(heartbeat, () => inRoom(build, driver));
  build.log.assertWhole();
  const built: BuiltIteration = {
    iteration: step.iteration,
    ...turn,
    notes: turn.notes?.slice(0, 60_000) ?? null,
    durationMs: ports.nowMs() - started,
  };
  await opened.folder.put(`${at}/build-notes.md`, `${built.notes ?? 'The agent left no notes.'}\n`);
  return resultOf(await opened.folder.putFirst(`${at}/built.json`, prettyJson(built)));
}

function resultOf(bytes: Uint8Array): Exclude<BuiltResult, { unmendable: string }> {
  const { end, usage, durationMs, tree } = BuiltIteration.parse(
    JSON.parse(Buffer.from(bytes).toString('utf8')),
  );
  return { end, usage, durationMs, tree };
}

async function prepare(ports: OrderPorts, opened: OpenOrder, step: IterationStep): Promise<Build> {
  const { folder, order, workspace } = opened;
  const at = iterationFolder(step.iteration);
  const base = OrderBase.parse(
    JSON.parse(Buffer.from((await folder.get('before.json')) ?? '').toString('utf8')),
  );
  const frozen = await frozenPlan(folder);
  const before =
    step.iteration === 1 ? null : await folder.get(`${iterationFolder(step.iteration - 1)}/built.json`);
  const tree = before === null ? base.tree : resultOf(before).tree;
  const feedback = await folder.get(`${iterationFolder(step.iteration - 1)}/feedback.md`);
  const isHidden = (path: string): boolean =>
    isPlanFile(path) && !matchesAnyGlob(order.policy.gateEdits, path);
  const listed = await workspace.trees.listTree(tree);
  const prompt = promptOf({
    order,
    plan: frozen.plan,
    iteration: step.iteration,
    feedback: feedback === null ? null : Buffer.from(feedback).toString('utf8'),
    advice: step.advice,
    paths: listed.map(({ path }) => path),
    wallMs: step.wallMs,
    notesPath: ROOM.notes,
  });
  await folder.put(`${at}/prompt.md`, prompt);
  const log = agentLog(folder, `${at}/agent.log`);
  log.add(`--- ${order.agent.name}, iteration ${String(step.iteration)}, run ${String(step.run)}\n`);
  return { ...opened, ports, step, frozen, base, tree, prompt, signal: cancellationSignal(), isHidden, log };
}

type Turn = Pick<BuiltIteration, 'end' | 'usage' | 'tree' | 'refused' | 'notes' | 'agent'>;

async function inRoom(build: Build, driver: RoomDriver): Promise<Turn> {
  const { ports, order, workspace, folder, step, tree, frozen } = build;
  const installed = await ports.programs.installed(order.agent.name);
  if (installed === null)
    throw new Error(
      `Agent "${order.agent.name}" is not installed where the worker runs: ${typed`a7-rt agents --install ${order.agent.name}`}`,
    );
  const image = await imageOf(build);
  const door = await openDoor(build, driver);
  try {
    const laid = await roomTree(workspace, { work: tree, base: build.base.tree }, build.isHidden);
    const { result, end, notes } = await runAgentRoom({
      sandbox: ports.parts.sandbox,
      key: `a7-order-${order.id}-${String(step.iteration)}`,
      owner: `order-${order.id}`,
      image,
      driver,
      installed: { ...installed, folder: order.agent.files ?? installed.folder },
      door,
      doorProgram: ports.doorProgram,
      context: contextOf(build, driver, door),
      task: taskFiles(build, await folder.get(`${iterationFolder(step.iteration - 1)}/feedback.json`)),
      tree: laid,
      tools: [checkProgram(frozen.plan)],
      env: roomEnv(build, door),
      wallMs: step.wallMs,
      signal: build.signal,
      onOutput: build.log.add,
    });
    build.log.add(`\n--- ${end.kind}: ${end.detail === '' ? 'no detail' : end.detail}\n`);
    // The room itself was lost: nobody's turn, the activity is tried again.
    if (end.kind === 'lost') throw new Error(`The agent's room was lost: ${end.detail}`);
    const rules = await ignoreRules(build, result.files[ROOM.work] ?? []);
    const taken = takeWork(
      laid.before,
      {
        files: result.files[ROOM.work] ?? [],
        kept: (result.kept?.[ROOM.work] ?? []).filter((path) => path !== '.git'),
        refused: ownRefusals(result.refused),
      },
      { isHidden: build.isHidden, isIgnored: ignoreTest(rules), links: laid.links },
    );
    const kept = await stored(build, taken);
    const usage = door?.usage() ?? NO_USAGE;
    return { end, usage, notes, agent: `${order.agent.name} ${installed.version}`, ...kept };
  } finally {
    await door?.close();
  }
}

/** @throws what this machine lacks, a key for example: no turn of an agent can mend it, and a later attempt may find it. */
async function openDoor(build: Build, driver: RoomDriver): Promise<OpenDoor | null> {
  const { ports, order, folder, step } = build;
  if (driver.protocol === null && order.agent.model === null && order.policy.networkHosts.length === 0)
    return null;
  const { usage } = await folder.state();
  const request = {
    agent: order.agent,
    limits: order.limits,
    networkHosts: order.policy.networkHosts,
    protocol: driver.protocol,
    spent: usage,
    folder: folder.pathOf(iterationFolder(step.iteration)),
  };
  return ports.doors.open(request);
}

/** The room of the agent has what the gate's rooms have: preflight and verdict run in the same image. @throws what it lacks */
async function imageOf({ ports, frozen }: Build): Promise<string> {
  const { from, ...spec } = allDependencies(frozen.plan.steps);
  if (from.length === 0) return ports.image;
  const layer = await ports.parts.resolveLayer(spec);
  if ('problem' in layer) throw new Error(layer.problem);
  return layer.image;
}

async function stored(
  build: Build,
  taken: ReturnType<typeof takeWork>,
): Promise<Pick<Turn, 'tree' | 'refused'>> {
  const { workspace, order, step, tree } = build;
  const refused = [...taken.refused];
  if (taken.changes === null) return { tree, refused };
  const written = await workspace.trees.writeFiles(tree, taken.changes);
  if (written.status === 'refused') {
    refused.push(...written.refusals.map(({ path, rule }) => ({ path, reason: rule })));
    return { tree, refused: refused.slice(0, 1000) };
  }
  await workspace.trees.keep(`refs/a7/orders/${order.id}/built-${String(step.iteration)}`, written.tree);
  return { tree: written.tree, refused: refused.slice(0, 1000) };
}

function ownRefusals(
  refused: readonly { readonly path: string; readonly reason: string; readonly target?: string }[],
) {
  return refused.flatMap((entry) =>
    entry.path.startsWith(`${ROOM.work}/`)
      ? [{ ...entry, path: entry.path.slice(ROOM.work.length + 1) }]
      : entry.path === ROOM.work || entry.path === ''
        ? [{ ...entry, path: '' }]
        : [],
  ) as Parameters<typeof takeWork>[1]['refused'];
}

async function ignoreRules(
  { workspace, tree }: Build,
  files: readonly SandboxFile[],
): Promise<{ readonly folder: string; readonly text: string }[]> {
  const isIgnoreFile = (path: string): boolean => path === '.gitignore' || path.endsWith('/.gitignore');
  const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));
  const found = new Map<string, string>();
  for (const { path, oid, kind } of await workspace.trees.listTree(tree))
    if (isIgnoreFile(path) && (kind === 'blob' || kind === 'executable'))
      found.set(folderOf(path), (await workspace.trees.readBlob(oid)).toString('utf8'));
  for (const { path, bytes } of files)
    if (isIgnoreFile(path)) found.set(folderOf(path), new TextDecoder().decode(bytes));
  return [...found].map(([folder, text]) => ({ folder, text }));
}
