/** What must hold of a finished session after every crash (issue 3 part 3), in one place, as a list of what does not. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Docker from 'dockerode';
import { sumUsage } from '../../../adapters/model/usage-report.ts';
import { OWNER_LABEL } from '../../../adapters/sandbox/docker/room-shape.ts';
import { isAlive } from '../../../adapters/sandbox/shared/process-identity.ts';
import { readToolchain } from '../../../adapters/toolchain/index.ts';
import { ledgerVerify } from '../../../workers/services/ledger-verify.ts';
import { plainGit } from '../git-repo.ts';
import type { TestSession } from './yard.ts';

const ORPHAN_DIES_MS = 20_000;
const ORPHAN_POLL_MS = 50;

/** What two sessions of the same script must have in common; commit ids differ by their date. */
export interface Facts {
  readonly tree: string;
  readonly commits: number;
  /** Executed test ids by node, of the reports that allowed the commits. */
  readonly tests: Readonly<Record<string, readonly string[]>>;
}

/** Facts of a session, from git and its reports. */
export function sessionFacts(dir: string): Facts {
  const content = join(dir, 'content');
  const git = (...args: string[]): string => plainGit(['-C', content, ...args]);
  const trailer = (commit: string, name: string): string =>
    git('log', '-1', `--format=%(trailers:key=${name},valueonly)`, commit).trim();
  // The scaffold has none: it was there before any agent.
  const commits = git('rev-list', 'HEAD')
    .split('\n')
    .filter((each) => trailer(each, 'A7-Node') !== '');
  const tests: Record<string, readonly string[]> = {};
  for (const commit of commits) {
    tests[trailer(commit, 'A7-Node')] = executedTests(dir, trailer(commit, 'A7-Report'));
  }
  return { tree: git('rev-parse', 'HEAD^{tree}'), commits: commits.length, tests };
}

/** Everything that is wrong; empty when the crash left no trace but the named unknowns. */
export async function findings(
  home: string,
  session: TestSession,
  undisturbed: Facts,
): Promise<readonly string[]> {
  const { dir } = session;
  return [
    ...(await ledgerFindings(dir)),
    ...contentFindings(dir),
    ...lockFindings(dir),
    ...(await roomFindings(home, session.pids)),
    ...(await containerFindings(session)),
    ...(await callFindings(session)),
    ...differences(sessionFacts(dir), undisturbed),
  ];
}

async function ledgerFindings(dir: string): Promise<readonly string[]> {
  const verified = await ledgerVerify(dir);
  if (!verified.ok) return [`ledger verify: ${JSON.stringify(verified.problems)}`];
  const { chain, fold, detail } = verified.value;
  return chain === 'valid' && fold === 'equal' ? [] : [`ledger: chain ${chain}, fold ${fold}: ${detail}`];
}

/** Branch, index and work tree say the same, judged by git. */
function contentFindings(dir: string): readonly string[] {
  const content = join(dir, 'content');
  const status = plainGit(['-C', content, 'status', '--porcelain', '--ignored']);
  const index = plainGit(['-C', content, 'write-tree']);
  const head = plainGit(['-C', content, 'rev-parse', 'HEAD^{tree}']);
  const problems = plainGit(['-C', content, 'fsck', '--no-dangling', '--strict']);
  return [
    ...(status === '' ? [] : [`git status: ${status}`]),
    ...(index === head ? [] : [`the index is tree ${index}, the branch ${head}`]),
    ...(problems === '' ? [] : [`git fsck: ${problems}`]),
  ];
}

function lockFindings(dir: string): readonly string[] {
  const names = readdirSync(dir, { recursive: true, encoding: 'utf8' });
  const left = names.filter((name) => name.endsWith('.lock') || /^[^/]*\.tmp$/.test(name));
  return [...left, ...(existsSync(join(dir, 'manager.json')) ? ['manager.json'] : [])].map(
    (name) => `left behind: ${name}`,
  );
}

/** Of this session: no room on record whose owner is dead. Of the home: no bubblewrap process that lost its parent. */
export async function roomFindings(home: string, pids: ReadonlySet<number>): Promise<readonly string[]> {
  const state = join(home, 'bubblewrap');
  const rooms = existsSync(join(state, 'rooms')) ? readdirSync(join(state, 'rooms')) : [];
  const dead = rooms.filter((name) => {
    const text = readText(join(state, 'rooms', name));
    return text !== '' && isLeft((JSON.parse(text) as { owner: string }).owner, pids);
  });
  const orphans = await lastingOrphans(state);
  return [
    ...dead.map((name) => `room of a dead owner: ${name}`),
    ...orphans.map((pid) => `orphaned room process ${pid}`),
  ];
}

async function containerFindings({ backend, pids }: TestSession): Promise<readonly string[]> {
  if (backend !== 'docker') return [];
  const docker = await openEngine();
  const filters = { label: [OWNER_LABEL] };
  const all = await docker.listContainers({ all: true, filters });
  return all
    .filter((info) => isLeft(info.Labels[OWNER_LABEL] ?? '', pids))
    .map((info) => `container of a dead owner: ${info.Names.join(', ')}`);
}

/** Processes of rooms without a parent; one whose owner was killed this moment has time to die. */
async function lastingOrphans(state: string): Promise<readonly string[]> {
  const deadline = performance.now() + ORPHAN_DIES_MS;
  for (;;) {
    const found = orphansOf(state);
    if (found.length === 0 || performance.now() > deadline) return found;
    await delay(ORPHAN_POLL_MS);
  }
}

function orphansOf(state: string): readonly string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid) || !readText(`/proc/${pid}/cmdline`).includes(state)) return false;
    const stat = readText(`/proc/${pid}/stat`);
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] === '1';
  });
}

/** True for what a dead process of this session made: other sessions of the home are cleaned up at their own pace. */
function isLeft(owner: string, pids: ReadonlySet<number>): boolean {
  return pids.has(Number(owner.split(':')[1])) && !isAlive(owner);
}

/** The engine that set-up found. @throws when none answers. */
export async function openEngine(): Promise<Docker> {
  const { docker } = await readToolchain();
  if (docker === null) throw new Error('Cannot reach a Docker engine: none answers. Run npm run setup');
  return new Docker(
    'socketPath' in docker ? { socketPath: docker.socketPath } : { host: docker.host, port: docker.port },
  );
}

/** Every paid request is another one, but for those that the session names as unknown. */
async function callFindings({ dir, model, lines }: TestSession): Promise<readonly string[]> {
  const served = model.requests();
  const wrong = served.filter((each) => each.outcome === 'script_error' || each.outcome === 'refused');
  const paid = served.filter((each) => each.billable);
  const distinct = new Set(paid.map((each) => `${JSON.stringify(each.coordinates)} ${each.requestHash}`));
  const { total, calls } = await sumUsage(dir);
  const named = new Set(
    lines().flatMap((line) =>
      line.type === 'call_unknown' ? [(line.data as { callKey: string }).callKey] : [],
    ),
  );
  const unnamed = calls.filter((call) => call.unknownAttempts > 0 && !named.has(call.key));
  const twice = paid.length - distinct.size;
  return [
    ...wrong.map((each) => `the model server says ${each.outcome}: ${each.detail}`),
    ...(twice <= total.unknownAttempts
      ? []
      : [`${String(twice)} calls were paid twice, ${String(total.unknownAttempts)} are unknown`]),
    ...unnamed.map((call) => `the ledger does not name the unknown call ${call.key}`),
  ];
}

function differences(facts: Facts, undisturbed: Facts): readonly string[] {
  return (['tree', 'commits', 'tests'] as const)
    .filter((name) => JSON.stringify(sorted(facts[name])) !== JSON.stringify(sorted(undisturbed[name])))
    .map((name) => `${name}: ${JSON.stringify(facts[name])} is not ${JSON.stringify(undisturbed[name])}`);
}

function sorted(value: Facts[keyof Facts]): unknown {
  return typeof value === 'object' ? Object.entries(value).sort(([a], [b]) => a.localeCompare(b)) : value;
}

function executedTests(dir: string, digest: string): readonly string[] {
  const path = join(dir, 'reports', 'by-digest', `${digest.replace('sha256:', '')}.json`);
  const report = JSON.parse(readFileSync(path, 'utf8')) as { ids: { ran: readonly unknown[] } };
  return report.ids.ran.map((each) => JSON.stringify(each)).sort();
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
