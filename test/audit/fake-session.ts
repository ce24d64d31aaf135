/** A small session made by hand: two nodes, their suites, commits, reports and ledger, as a whole run would leave them. */
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createContentRepo } from '../../adapters/git/content-repo.ts';
import { createObjectStore } from '../../adapters/git/object-store.ts';
import { writeDurably } from '../../adapters/system/files.ts';
import { createLedger } from '../../adapters/store/ledger.ts';
import { createObjectFiles } from '../../adapters/store/objects.ts';
import { sessionPaths } from '../../adapters/store/session.ts';
import { digestText } from '../../core/gate/report/make-report.ts';
import { canonicalJson, prettyJson } from '../../core/text/canonical.ts';
import { foldLines } from '../../core/ledger/fold-session.ts';
import { renderMaster } from '../../core/ledger/render-master.ts';
import { seededEvent } from '../../core/ledger/seeded.ts';
import { emptyDoc } from '../../core/ledger/session-doc.ts';
import type { TreeStore } from '../../core/ports/git.ts';
import { inProjection, ownGlobs } from '../../core/projection/paths.ts';
import { ResolvedContract } from '../../schemas/contract.ts';
import type { Language } from '../../schemas/ids.ts';
import type { LedgerEvent } from '../../schemas/ledger.ts';
import { GateReport } from '../../schemas/report.ts';
import type { CommitIntent } from '../../schemas/stage.ts';
import { StageOptions } from '../../schemas/stage.ts';

/** What one node is and what is committed for it; `stray` are files beyond its own. */
export interface FakeNode {
  readonly id: string;
  readonly needs?: readonly string[];
  readonly exports: readonly string[];
  readonly language?: Language;
  readonly code: string;
  readonly suite: string;
  /** Names of the tests that its report says ran. */
  readonly ran: readonly string[];
  readonly stray?: Readonly<Record<string, string>>;
  /** Default: all three. */
  readonly trailers?: readonly string[];
}

export interface FakeSession {
  readonly dir: string;
  remove(): Promise<void>;
}

/** Writes the session; every node is grounded and the stage sealed. */
export async function makeSession(nodes: readonly FakeNode[]): Promise<FakeSession> {
  const dir = await mkdtemp(join(tmpdir(), 'a7-audit-test-'));
  const paths = sessionPaths(dir);
  const store = await createObjectStore({ gitDir: paths.store });
  const repo = createContentRepo({ workTree: paths.content, storeDir: paths.store });
  await repo.init();
  const contracts = nodes.map(contractOf);
  const ref = await createObjectFiles({ dir: paths.objects }).put(canonicalJson({ resolved: contracts }));
  const events: LedgerEvent[] = [seeded(contracts, ref)];
  let head = await commitScaffold(store, repo);
  events.push(opened(head));
  for (const [index, node] of nodes.entries()) {
    const built = await buildNode({ store, repo, dir, contracts, head, seq: index * 2 + 1 }, node);
    events.push(...built.events);
    head = built.head;
  }
  const ends = { stage: 'core', summary: 'done', head, exportedInterfaces: {} };
  events.push({ type: 'sealing', data: { summary: 'done', by: 'policy' } }, { type: 'sealed', data: ends });
  await writeLedger(dir, events, contracts);
  await store.close();
  await repo.close();
  return { dir, remove: () => rm(dir, { recursive: true, force: true }) };
}

function contractOf(node: FakeNode): ResolvedContract {
  const language = node.language ?? 'python';
  const ending = { python: 'py', javascript: 'js', typescript: 'ts', go: 'go', rust: 'rs' }[language];
  const path = `${node.id.replaceAll('.', '/')}.${ending}`;
  return ResolvedContract.parse({
    id: node.id,
    stage: 'core',
    description: 'A node of the fake session',
    interface: { exports: node.exports },
    structural_deps: node.needs ?? [],
    language,
    mode: 'A',
    files: [path],
    tests: [`tests/${node.id.replaceAll('.', '_')}/**`],
    contentFile: path,
    importLine: `import ${node.id}`,
  });
}

function seeded(contracts: readonly ResolvedContract[], contractsRef: string): LedgerEvent {
  return seededEvent({
    project: { projectId: 'p', name: 'fake', description: '' },
    stages: [{ id: 'core', name: 'core', kind: 'pure' }],
    contracts,
    contractsRef,
    digests: Object.fromEntries(contracts.map((contract) => [contract.id, sha256(contract.id)])),
  });
}

function opened(head: string): LedgerEvent {
  const options = StageOptions.parse({});
  return { type: 'run_opened', data: { stage: 'core', run: 1, lifecycle: 'new', head, options, owner: 'o' } };
}

type Repo = ReturnType<typeof createContentRepo>;

async function commitScaffold(store: TreeStore, repo: Repo): Promise<string> {
  const tree = await lay(store, store.emptyTree, { '.gitignore': '__pycache__/\n', 'shop/__init__.py': '' });
  return commitTree(repo, tree, null, 'Scaffold', []);
}

interface Building {
  readonly store: TreeStore;
  readonly repo: Repo;
  readonly dir: string;
  readonly contracts: readonly ResolvedContract[];
  readonly head: string;
  readonly seq: number;
}

async function buildNode(at: Building, node: FakeNode): Promise<{ events: LedgerEvent[]; head: string }> {
  const { store, repo, dir, contracts, head, seq } = at;
  const contract = contractOf(node);
  const suiteFile = suitePath(contract);
  const suiteTree = await lay(store, store.emptyTree, { [suiteFile]: node.suite });
  await store.keep(`refs/a7/suite/${node.id}/1`, suiteTree);
  const before = await store.importCommit(`${repoDir(dir)}/.git`, head);
  const tree = await lay(store, before, {
    [contract.contentFile]: node.code,
    [suiteFile]: node.suite,
    ...node.stray,
  });
  const report = passReport(
    contract,
    await store.filterTree(tree, inProjection(contracts, contract)),
    tree,
    node.ran,
    suiteFile,
  );
  await writeDurably(
    join(dir, 'reports', 'by-digest', `${report.digest.slice(7)}.json`),
    `${JSON.stringify(report)}\n`,
  );
  const builder = `${node.id}.b${String(seq + 1)}`;
  const facts: readonly [string, string][] = [
    ['A7-Node', node.id],
    ['A7-Dispatch', builder],
    ['A7-Report', report.digest],
  ];
  const kept = facts.filter(([name]) => node.trailers?.includes(name) ?? true);
  const commit = await commitTree(repo, tree, head, `${node.id}: built`, kept);
  const author = `${node.id}.t${String(seq)}`;
  const code = { kind: 'code', tree, reportDigest: report.digest, dispatchId: builder } as const;
  const suite = {
    kind: 'suite',
    tree: suiteTree,
    reportDigest: sha256('suite'),
    dispatchId: author,
  } as const;
  const files = (await store.listTree(tree)).map((entry) => entry.path);
  const own = files.filter((path) => ownGlobs(contract).includes(path));
  return {
    head: commit,
    events: [
      dispatched(node.id, author, seq, head, 0),
      ...committed(node.id, suite, { commit: suiteTree, head, base: head, files: [suiteFile] }),
      dispatched(node.id, builder, seq + 1, head, 1),
      ...committed(node.id, code, { commit, head: commit, base: head, files: own }),
    ],
  };
}

function dispatched(
  nodeId: string,
  dispatchId: string,
  dispatchSeq: number,
  baseCommit: string,
  suite: number,
): LedgerEvent {
  const role = suite === 0 ? 'test_author' : 'builder';
  const record = {
    dispatchId,
    nodeId,
    role,
    dispatchSeq,
    attempt: 0,
    baseCommit,
    suite,
    parameters: {},
  } as const;
  return { type: 'dispatched', data: { record } };
}

function committed(
  nodeId: string,
  work: Pick<CommitIntent, 'kind' | 'tree' | 'reportDigest' | 'dispatchId'>,
  at: { commit: string; head: string; base: string; files: string[] },
): LedgerEvent[] {
  const intentId = `${work.dispatchId}.c1`;
  const facts = {
    files: at.files,
    tokens: 1,
    lines: 1,
    contentHash: 'x',
    firstExportPreview: '',
    plumbingSummary: '',
  };
  const { commit, head, base } = at;
  const intent = { ...work, intentId, nodeId, baseCommit: base, expectedHead: base, suite: 1 };
  return [
    { type: 'commit_intent', data: { intent } },
    { type: 'committed', data: { intentId, nodeId, kind: work.kind, commit, head, facts } },
  ];
}

/** A report as the gate stores it, for exactly this projection. */
function passReport(
  contract: ResolvedContract,
  projection: string,
  tree: string,
  names: readonly string[],
  file: string,
): GateReport {
  const ids = names.map((name) => ({ file, nesting: [], name, ordinal: 0 }));
  const hash = sha256(contract.id);
  const limit = 1_000_000;
  const report: Omit<GateReport, 'digest'> = {
    version: 1,
    verdict: 'PASS',
    fault: null,
    suspect: null,
    tier: 'in_process',
    isolation: { backend: 'bubblewrap', level: 'hardened' },
    subject: {
      node: contract.id,
      kind: 'code',
      tree,
      projection,
      suiteHash: hash,
      planHash: hash,
      image: 'i',
      verifierVersion: '1',
    },
    key: hash,
    levels: [{ level: 'L1', status: 'passed', findings: [] }],
    tests: ids.map((id) => ({ id, outcome: 'passed', durationMs: 1, failure: null })),
    ids: { locked: ids, collected: ids, ran: ids },
    suiteTests: [],
    stubs: [],
    examples: [],
    warnings: [],
    limits: {
      wallMs: limit,
      testTimeoutMs: limit,
      memoryBytes: limit,
      diskBytes: limit,
      filesMax: 1,
      processesMax: 1,
      outputBytes: 1,
      reportBytes: 1,
      cpus: 1,
    },
    commands: [],
    timings: { totalMs: 1, sandboxMs: 1 },
  };
  return GateReport.parse({ ...report, digest: sha256(digestText(report)) });
}

async function writeLedger(
  dir: string,
  events: readonly LedgerEvent[],
  contracts: readonly ResolvedContract[],
): Promise<void> {
  const paths = sessionPaths(dir);
  const ledger = createLedger({ path: paths.ledger, lockName: `audit-test-${dir}` });
  await ledger.append({ run: 0, fromSeq: 1, events: events.slice(0, 1) });
  await ledger.append({ run: 1, fromSeq: 2, events: events.slice(1) });
  const read = await ledger.read();
  if (read.kind !== 'read') throw new Error('The fake ledger is not whole');
  await writeDurably(paths.master, prettyJson(renderMaster(foldLines(emptyDoc, read.lines), contracts)));
}

async function lay(store: TreeStore, tree: string, files: Readonly<Record<string, string>>): Promise<string> {
  const changes = Object.entries(files).map(([path, text]) => ({
    kind: 'write' as const,
    path,
    bytes: Buffer.from(text),
  }));
  const result = await store.writeFiles(tree, changes);
  if (result.status !== 'ok') throw new Error(`Cannot lay files: ${JSON.stringify(result.refusals)}`);
  await store.keep('refs/a7/test', result.tree);
  return result.tree;
}

async function commitTree(
  repo: Repo,
  tree: string,
  expectedHead: string | null,
  message: string,
  trailers: readonly (readonly [string, string])[],
): Promise<string> {
  const result = await repo.commit({
    expectedHead,
    tree,
    message,
    trailers: trailers.map(([name, value]) => [name, value]),
    dateSeconds: 1_700_000_000,
  });
  if (result.status !== 'committed') throw new Error(`Cannot commit: ${result.status}`);
  return result.commit;
}

function suitePath(contract: ResolvedContract): string {
  const flat = contract.id.replaceAll('.', '_');
  return contract.language === 'python'
    ? `tests/${flat}/test_it.py`
    : `tests/${flat}/it.test.${contract.language === 'typescript' ? 'ts' : 'js'}`;
}

function repoDir(dir: string): string {
  return sessionPaths(dir).content;
}

function sha256(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}
