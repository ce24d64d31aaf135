/** What a session can tell again once its ledger, branch and store are there: contracts, suites, reports, commits by hand. */
import { existsSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { suiteKey, suiteOf } from '../../activities/shared/trees.ts';
import { contractsText } from '../../adapters/contracts/write.ts';
import type { OpenContentRepo } from '../../adapters/git/content-repo.ts';
import { createArtifactStore, saveByDigest } from '../../adapters/store/artifacts.ts';
import { createObjectFiles } from '../../adapters/store/objects.ts';
import { replaceResult } from '../../adapters/store/results.ts';
import type { SessionPaths } from '../../adapters/store/session.ts';
import { sha256 } from '../../adapters/system/sha256.ts';
import { writeDurably } from '../../adapters/system/files.ts';
import { isSoundReport } from '../../core/gate/report/make-report.ts';
import type { RestoredPart } from '../../core/ports/services.ts';
import type { Session } from '../../core/ports/session.ts';
import { branchProblems, ledgerCommits } from '../../core/record/branch.ts';
import { counted } from '../../core/text/plural.ts';
import { GateReport } from '../../schemas/report.ts';
import { SuiteFiles, SuiteRecord } from '../../schemas/suite-record.ts';
import { projectionsOf } from '../ports.ts';
import { typed } from '../../core/text/typed.ts';
import { strictJson } from '../../core/text/strict-json.ts';

/** Each part that was made again, or cannot be. @throws SessionDamaged where the contracts of the last seed are nowhere. */
export async function restoreRecords(
  session: Session,
  repo: OpenContentRepo,
  paths: SessionPaths,
  shown: string,
): Promise<readonly RestoredPart[]> {
  const { contractsRef } = await session.doc();
  if (contractsRef === null) return [];
  return [
    ...(await restoreBook(session, paths, contractsRef)),
    ...(await restoreSuites(session, paths, shown)),
    ...(await restoreReports(paths)),
    ...(await undoByHand(session, repo)),
    ...(await restoreMaster(session, paths)),
  ];
}

const restored = (part: string, detail: string): RestoredPart => ({ part, state: 'restored', detail });
const lost = (part: string, detail: string): RestoredPart => ({ part, state: 'lost', detail });

async function restoreBook(
  session: Session,
  paths: SessionPaths,
  ref: string,
): Promise<readonly RestoredPart[]> {
  const { contracts } = await session.book();
  const parts: RestoredPart[] = [];
  const objects = createObjectFiles({ dir: paths.objects });
  const isThere = await objects.get(ref).then(
    () => true,
    () => false,
  );
  const bytes = await session.objects.get(ref);
  if (isThere) await createObjectFiles({ dir: paths.spareObjects }).put(bytes);
  else {
    await objects.put(bytes);
    parts.push(restored('objects/', 'the contracts of the last seed; conversations of agents are gone'));
  }
  if (!existsSync(paths.contracts)) {
    await writeDurably(paths.contracts, contractsText(contracts));
    parts.push(restored('contracts.yaml', 'as it was seeded last, without your comments'));
  }
  return parts;
}

/** Records of suites, and their trees: what their nodes are judged by. */
async function restoreSuites(
  session: Session,
  paths: SessionPaths,
  shown: string,
): Promise<readonly RestoredPart[]> {
  const parts: RestoredPart[] = [];
  const { state } = await session.doc();
  for (const [nodeId, { suite = 0, status }] of Object.entries(state.nodes)) {
    if (status === 'provisional' && (await session.trees.readRef(`refs/a7/prov/${nodeId}`)) === null)
      parts.push(
        lost(nodeId, typed`its provisional code: a7-rt act ${shown} REDISPATCH ${nodeId} role=builder`),
      );
    if (suite === 0) continue;
    const key = suiteKey(nodeId, suite);
    const record = await suiteOf(session, nodeId, suite);
    if (record === null) {
      parts.push(
        lost(
          nodeId,
          typed`the record of suite ${suite}: a7-rt act ${shown} REDISPATCH ${nodeId} role=test_author`,
        ),
      );
      continue;
    }
    if ((await session.results.get(key, 'suite', SuiteRecord)) === null) {
      await session.results.putFirst(key, 'suite', SuiteRecord, record);
      parts.push(restored('calls/', `the record of suite ${String(suite)} of ${nodeId}`));
    }
    if (await hasTree(session, record.tree)) continue;
    const files = await session.spare.get(key, 'files', SuiteFiles);
    const tree = files === null ? null : await suiteTree(session, files);
    if (tree === null) {
      parts.push(
        lost(
          nodeId,
          typed`the tree of suite ${suite}: a7-rt act ${shown} REDISPATCH ${nodeId} role=test_author`,
        ),
      );
      continue;
    }
    await session.trees.keep(`refs/a7/suite/${nodeId}/${String(suite)}`, tree);
    for (const place of [paths.calls, paths.spare])
      await replaceResult(place, { key, name: 'suite' }, SuiteRecord, { ...record, tree });
    parts.push(restored('store.git', `suite ${String(suite)} of ${nodeId}`));
  }
  return parts;
}

async function hasTree(session: Session, tree: string): Promise<boolean> {
  return session.trees.listTree(tree).then(
    () => true,
    () => false,
  );
}

async function suiteTree(session: Session, files: SuiteFiles): Promise<string | null> {
  const written = await session.trees.importFiles(
    files.map(({ path, base64, executable }) => ({ path, bytes: Buffer.from(base64, 'base64'), executable })),
  );
  return written.status === 'ok' ? written.tree : null;
}

/** `reports/by-digest` from the artifacts below `runs/`. */
async function restoreReports({ runs, reports }: SessionPaths): Promise<readonly RestoredPart[]> {
  const names = await readdir(runs, { recursive: true }).catch(() => []);
  const places = { runsDir: runs, reportsDir: reports };
  const known = createArtifactStore(places);
  let count = 0;
  for (const name of names.filter((each) => each.endsWith('report.json'))) {
    const text = await readFile(join(runs, name), 'utf8');
    const parsed = GateReport.safeParse(strictJson(text));
    if (!parsed.success || !isSoundReport(parsed.data, sha256)) continue;
    if ((await known.reportByDigest(parsed.data.digest)) !== null) continue;
    const inputs = await readFile(join(runs, name, '..', 'inputs.json')).catch(() => null);
    await saveByDigest(places, parsed.data, inputs === null ? [] : [{ name: 'inputs.json', bytes: inputs }]);
    count += 1;
  }
  return count === 0 ? [] : [restored('reports/', `${counted(count, 'report')} from runs/`)];
}

/** Commits of a person over grounded work go to a branch of their own. */
async function undoByHand(session: Session, repo: OpenContentRepo): Promise<readonly RestoredPart[]> {
  const read = await session.ledger.read();
  if (read.kind !== 'read') return [];
  const { resolved } = await session.book();
  const {
    byHand,
    lost: gone,
    soundHead,
  } = branchProblems(await session.content.log(), ledgerCommits(read.lines), resolved);
  if (gone.length > 0)
    return [
      lost('content/', `${counted(gone.length, 'commit')} of the ledger: their nodes have to be built again`),
    ];
  if (byHand.length === 0 || soundHead === null) return [];
  const keepAs = `by-hand-${(byHand.at(-1)?.commit ?? '').slice(0, 12)}`;
  const inTheWay = await session.exclusive(() => repo.goBack(soundHead, keepAs));
  const left = inTheWay === null ? '' : `; in the way: ${inTheWay.map(({ path }) => path).join(', ')}`;
  return [
    restored(
      'content/',
      `branch main is at ${soundHead.slice(0, 12)} again, your commits are on ${keepAs}${left}`,
    ),
  ];
}

async function restoreMaster(session: Session, { master }: SessionPaths): Promise<readonly RestoredPart[]> {
  const read = (): Promise<string | null> => readFile(master, 'utf8').catch(() => null);
  const before = await read();
  await projectionsOf(session).update([]);
  return before === (await read()) ? [] : [restored('master.json', 'the fold of the ledger')];
}
