/**
 * The branch against the ledger (G1): which commits the ledger names, and which files of nodes hold what no verdict covers.
 *
 *  B1. A commit is known when an event names it, or when it carries out an intent whose end is not written yet.
 *  B2. A file of a node is verified while it is as the node's last known commit left it. Who put it so does not matter: what a
 *      person committed and took back again is verified.
 *  B3. Scaffold is a person's, and so is what lies where a node has no verified code yet.
 */
import type { LedgerLine } from '../../schemas/ledger.ts';
import type { ResolvedContract } from '../../schemas/contract.ts';
import type { CommitIntent } from '../../schemas/stage.ts';
import { matchesAnyGlob } from '../globs.ts';
import { eventOf } from '../ledger/lines.ts';
import { ownGlobs } from '../projection/paths.ts';

/** A commit of the branch as git tells it. */
export interface BranchCommit {
  readonly id: string;
  readonly parents: readonly string[];
  readonly tree: string;
  readonly trailers: readonly (readonly [name: string, value: string])[];
  /** Against its first parent; `oid` null: deleted. */
  readonly changes: readonly { readonly path: string; readonly oid: string | null }[];
}

/** Code that the ledger says it committed. */
export interface CommittedCode {
  readonly commit: string;
  readonly nodeId: string;
  /** Of the `committed` line. */
  readonly seq: number;
  readonly intentSeq: number;
  readonly intent: CommitIntent | null;
}

export interface LedgerCommits {
  readonly code: readonly CommittedCode[];
  /** Ids that any event names as a commit. */
  readonly named: ReadonlySet<string>;
  /** Intents without an end. */
  readonly pending: readonly CommitIntent[];
}

export function ledgerCommits(lines: readonly LedgerLine[]): LedgerCommits {
  const intents = new Map<string, { readonly intent: CommitIntent; readonly seq: number }>();
  const ended = new Set<string>();
  const code: CommittedCode[] = [];
  const named = new Set<string>();
  for (const line of lines) {
    collectCommits(line.data, named);
    if (!['commit_intent', 'committed', 'commit_refused'].includes(line.type)) continue;
    const event = eventOf(line);
    if (event.type === 'commit_intent')
      intents.set(event.data.intent.intentId, { intent: event.data.intent, seq: line.seq });
    if (event.type === 'commit_refused') ended.add(event.data.intentId);
    if (event.type !== 'committed') continue;
    const { intentId, nodeId, commit, kind } = event.data;
    ended.add(intentId);
    const intended = intents.get(intentId);
    if (kind === 'code')
      code.push({
        commit,
        nodeId,
        seq: line.seq,
        intentSeq: intended?.seq ?? 0,
        intent: intended?.intent ?? null,
      });
  }
  const open = [...intents.values()].filter(({ intent }) => !ended.has(intent.intentId));
  return { code, named, pending: open.map(({ intent }) => intent) };
}

/** Values of fields named `commit` or `commits`, wherever they are in an event. */
function collectCommits(value: unknown, into: Set<string>): void {
  if (Array.isArray(value)) {
    for (const item of value) collectCommits(item, into);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, field] of Object.entries(value)) {
      if (typeof field === 'string' && key === 'commit') into.add(field);
      else if (key === 'commits' && Array.isArray(field))
        field.filter((each) => typeof each === 'string').forEach((each) => into.add(each));
      else collectCommits(field, into);
    }
  }
}

/** A file of a node that is not as the last known commit left it. */
export interface ByHand {
  readonly commit: string;
  readonly nodeId: string;
  readonly path: string;
}

export interface BranchProblems {
  readonly byHand: readonly ByHand[];
  /** Commits of the ledger that are not on the branch. */
  readonly lost: readonly CommittedCode[];
  /** Where the branch was before the first unknown commit that still counts; null when known work lies above it. */
  readonly soundHead: string | null;
}

/** What is wrong with the branch now. `commits` from the oldest to the head. */
export function branchProblems(
  commits: readonly BranchCommit[],
  ledger: LedgerCommits,
  contracts: readonly ResolvedContract[],
): BranchProblems {
  const owners = createOwners(contracts);
  const nodes = new Map(ledger.code.map((each) => [each.commit, each.nodeId]));
  const verified = new Map<string, string | null>();
  const now = new Map<string, { readonly oid: string | null; readonly commit: string }>();
  const built = new Set<string>();
  for (const commit of commits) {
    for (const { path, oid } of commit.changes) now.set(path, { oid, commit: commit.id });
    if (!isKnownCommit(commit, ledger)) continue;
    for (const { path, oid } of commit.changes) verified.set(path, oid);
    const nodeId = nodes.get(commit.id) ?? valueOf(commit, 'A7-Node');
    if (nodeId === undefined) continue;
    built.add(nodeId);
    for (const [path, { oid }] of now) if (owners(path) === nodeId) verified.set(path, oid);
  }
  const byHand = [...now].flatMap(([path, { oid, commit }]) => {
    if (oid === (verified.get(path) ?? null)) return [];
    const nodeId = owners(path);
    return nodeId === null || !built.has(nodeId) ? [] : [{ commit, nodeId, path }];
  });
  const present = new Set(commits.map((commit) => commit.id));
  return {
    byHand,
    lost: ledger.code.filter(({ commit }) => !present.has(commit)),
    soundHead: soundHead(commits, ledger, byHand),
  };
}

/** The node that owns a path; each path is asked once. */
function createOwners(contracts: readonly ResolvedContract[]): (path: string) => string | null {
  const globs = contracts.map((contract) => ({ id: contract.id, globs: ownGlobs(contract) }));
  const known = new Map<string, string | null>();
  return (path) => {
    const found = known.get(path);
    if (found !== undefined) return found;
    const owner = globs.find((each) => matchesAnyGlob(each.globs, path))?.id ?? null;
    known.set(path, owner);
    return owner;
  };
}

function valueOf(commit: BranchCommit, name: string): string | undefined {
  return commit.trailers.find(([key]) => key === name)?.[1];
}

/** B1. */
export function isKnownCommit(commit: BranchCommit, { named, pending }: LedgerCommits): boolean {
  if (named.has(commit.id)) return true;
  return pending.some(
    (intent) =>
      intent.kind === 'code' &&
      intent.nodeId === valueOf(commit, 'A7-Node') &&
      intent.dispatchId === valueOf(commit, 'A7-Dispatch') &&
      intent.reportDigest === valueOf(commit, 'A7-Report'),
  );
}

function soundHead(
  commits: readonly BranchCommit[],
  ledger: LedgerCommits,
  byHand: readonly ByHand[],
): string | null {
  const blamed = new Set(byHand.map(({ commit }) => commit));
  const first = commits.findIndex((commit) => blamed.has(commit.id));
  if (first < 1) return null;
  const above = commits.slice(first);
  return above.some((commit) => isKnownCommit(commit, ledger)) ? null : (commits[first - 1]?.id ?? null);
}
