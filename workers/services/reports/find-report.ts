/** Finds one report of a session by any name that people have for it: digest, commit, dispatch, snapshot or node. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { git } from '../../../adapters/git/git-process.ts';
import { createArtifactStore, readIteration } from '../../../adapters/store/artifacts.ts';
import { sessionPaths } from '../../../adapters/store/session.ts';
import type { Session } from '../../../core/ports/session.ts';
import type { IterationRecord } from '../../../schemas/artifacts.ts';
import type { GateReport } from '../../../schemas/report.ts';

/** A commit that a node made, by its trailers. */
export interface NodeCommit {
  readonly id: string;
  readonly nodeId: string;
  readonly digest: string;
  readonly suite: number;
}

export interface FoundReport {
  readonly report: GateReport;
  readonly commit: NodeCommit | null;
  /** The folder of artifacts it was found in, and its record. */
  readonly iteration: { readonly folder: string; readonly record: IterationRecord } | null;
}

const DIGEST = /^(?:sha256:)?([0-9a-f]{64})$/;
const HEX_PREFIX = /^(?:sha256:)?[0-9a-f]{6,64}$/;
const STEP = /^([A-Za-z0-9_][A-Za-z0-9_.-]*)(?:\/((?:iteration|test-run)-\d+))?$/;

/** The report that `name` means; null when it means none. An older one wins over nothing, the newest over the rest. */
export async function findReport(session: Session, name: string): Promise<FoundReport | null> {
  const digest = DIGEST.exec(name)?.[1];
  if (digest !== undefined) return byDigest(session, `sha256:${digest}`, null);
  const step = STEP.exec(name);
  const iteration = step === null ? null : await newestIteration(session, step[1] ?? '', step[2] ?? null);
  if (iteration !== null) return byDigest(session, iteration.record.reportDigest, null, iteration);
  const commit = (await readCommit(session, name)) ?? (await lastCommitOf(session, name));
  if (commit !== null) return byDigest(session, commit.digest, commit);
  return HEX_PREFIX.test(name) ? bySnapshot(session, name) : null;
}

/** Reads without any configuration or hook of the user. Null for what is no commit of a node. */
export async function readCommit(session: Session, revision: string): Promise<NodeCommit | null> {
  if (!/^\w[\w./~^-]{0,99}$/.test(revision)) return null;
  return trailersOf(session, ['log', '-1', `--format=${FORMAT}`, revision, '--']);
}

/** Newest commit of a node: its trailer is compared whole, because a pattern of git would match parts of it too. */
async function lastCommitOf(session: Session, nodeId: string): Promise<NodeCommit | null> {
  const { state } = await session.doc();
  if (!(nodeId in state.nodes)) return null;
  const format = '--format=%H %(trailers:key=A7-Node,valueonly,separator=%x2C)';
  const text = await git(gitOf(session), ['log', format]).catch(() => '');
  const line = text.split('\n').find((each) => each.split(' ')[1] === nodeId);
  return line === undefined ? null : readCommit(session, line.split(' ')[0] ?? '');
}

const FORMAT = '%H%n%(trailers:unfold)';

async function trailersOf(session: Session, args: readonly string[]): Promise<NodeCommit | null> {
  const text = await git(gitOf(session), args).catch(() => '');
  const [id, ...trailers] = text.trim().split('\n');
  const value = (name: string): string | undefined =>
    trailers.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
  const nodeId = value('A7-Node');
  const digest = value('A7-Report');
  if (id === undefined || nodeId === undefined || digest === undefined) return null;
  return { id, nodeId, digest, suite: Number(value('A7-Suite') ?? 0) };
}

function gitOf(session: Session): { readonly gitDir: string } {
  return { gitDir: `${session.contentDir}/.git` };
}

async function byDigest(
  session: Session,
  digest: string,
  commit: NodeCommit | null,
  iteration?: FoundReport['iteration'],
): Promise<FoundReport | null> {
  const { reports, runs } = sessionPaths(session.dir);
  const store = createArtifactStore({ reportsDir: reports, runsDir: runs });
  const report = await store.reportByDigest(digest);
  if (report === null) return null;
  return { report, commit, iteration: iteration ?? (await iterationOf(session, digest)) };
}

/** A tree that was judged, or the beginning of its id or of a digest. Several reports: the one of the newest iteration. */
async function bySnapshot(session: Session, name: string): Promise<FoundReport | null> {
  const hex = name.replace('sha256:', '');
  const { reports, runs } = sessionPaths(session.dir);
  const store = createArtifactStore({ reportsDir: reports, runsDir: runs });
  const files = await readdir(join(reports, 'by-digest')).catch(() => [] as string[]);
  for (const file of files) {
    const digest = `sha256:${file.replace('.json', '')}`;
    const report = DIGEST.test(digest) ? await store.reportByDigest(digest) : null;
    if (report === null) continue;
    const { tree, projection } = report.subject;
    const names = [tree, projection, file];
    if (names.some((each) => each.startsWith(hex))) return byDigest(session, digest, null);
  }
  return null;
}

/** Every verification whose artifacts are there, oldest run first. */
export async function listIterations(
  session: Session,
): Promise<readonly NonNullable<FoundReport['iteration']>[]> {
  const { runs } = sessionPaths(session.dir);
  const found: NonNullable<FoundReport['iteration']>[] = [];
  for (const run of await foldersOf(runs)) {
    for (const step of await foldersOf(join(runs, run))) {
      for (const name of await foldersOf(join(runs, run, step))) {
        const folder = join(runs, run, step, name);
        const record = /^(iteration|test-run)-\d+$/.test(name) ? await readIteration(folder) : null;
        if (record !== null) found.push({ folder, record });
      }
    }
  }
  return found;
}

async function newestIteration(
  session: Session,
  step: string,
  name: string | null,
): Promise<FoundReport['iteration']> {
  const all = (await listIterations(session)).filter(({ record }) => record.step === step);
  const wanted = name === null ? all : all.filter(({ folder }) => folder.endsWith(`/${name}`));
  const attempts = wanted.filter(({ record }) => record.purpose !== 'test_run');
  return (attempts.length > 0 ? attempts : wanted).at(-1) ?? null;
}

async function iterationOf(session: Session, digest: string): Promise<FoundReport['iteration']> {
  const all = await listIterations(session);
  return all.findLast(({ record }) => record.reportDigest === digest) ?? null;
}

/** Names with numbers in their order: `r2` before `r10`. */
async function foldersOf(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return names.sort((left, right) => left.localeCompare(right, 'en', { numeric: true }));
}
