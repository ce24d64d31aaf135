/** The gate over a real sandbox and the real runner programs; trees are kept in memory. */
import { documentTools } from '../../adapters/contracts/document-tools.ts';
import { createHash, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isSoundReport } from '../../core/gate/report/make-report.ts';
import { createGate } from '../../activities/gate/verify-snapshot.ts';
import { createReportFiles } from '../../adapters/report-files/report-files.ts';
import { readRunnerFiles } from '../../adapters/runner-files/runner-files.ts';
import { buildStubs } from '../../adapters/stubs/build-stubs.ts';
import { createSymbols } from '../../adapters/symbols/symbols.ts';
import { lockedSuiteOf } from '../../core/gate/suite/locked-suite.ts';
import { reportHeadline } from '../../core/gate/report/report-headline.ts';
import { resolvePlan } from '../../core/gate/plan.ts';
import type { Covers, GateParts, VerifyOutcome, VerifyRequest } from '../../core/ports/gate.ts';
import type { SandboxFile } from '../../core/ports/sandbox.ts';
import type { ResolvedContract } from '../../schemas/contract.ts';
import type { GateLimits, GatePlan } from '../../schemas/gate-plan.ts';
import type { LockedSuite } from '../../schemas/report.ts';
import { openBackend, type Backend } from '../adapters/sandbox-backends.ts';

/** Path to text; compiled files in base64. */
export type Texts = Readonly<Record<string, string>>;

/** One request in words of a test; what is left out has the defaults of a quiet run. */
export interface Asked {
  readonly contract: ResolvedContract;
  readonly texts: Texts;
  readonly kind: VerifyRequest['kind'];
  readonly covers?: Covers;
  readonly locked?: LockedSuite | null;
  readonly plan?: GatePlan | undefined;
  readonly dependencies?: readonly ResolvedContract[];
  readonly changedPaths?: readonly string[];
  readonly useCache?: boolean;
  readonly isCharged?: boolean;
  readonly mutationMs?: number;
  readonly needsEvidence?: boolean;
  readonly image?: string;
  readonly signal?: AbortSignal;
}

export interface GateWorld {
  verify(asked: Asked): Promise<VerifyOutcome>;
  /** Judges a suite; `texts` holds suite, scaffold and dependencies. */
  suite(
    contract: ResolvedContract,
    texts: Texts,
    covers?: Covers,
    plan?: GatePlan,
    dependencies?: readonly ResolvedContract[],
  ): Promise<VerifyOutcome>;
  /** Judges code against a locked suite; `texts` holds all of the projection. */
  code(
    contract: ResolvedContract,
    texts: Texts,
    locked: LockedSuite,
    plan?: GatePlan,
  ): Promise<VerifyOutcome>;
  /** Judges a suite and gives what is locked. @throws when it does not pass. */
  lock(
    contract: ResolvedContract,
    texts: Texts,
    covers?: Covers,
    dependencies?: readonly ResolvedContract[],
  ): Promise<LockedSuite>;
  close(): Promise<void>;
}

/** What a world is made of when it is not the quiet one on bubblewrap; `backend` is closed by the world. */
export interface GateWorldOptions {
  readonly backend?: Backend;
  readonly isolation?: GateParts['isolation'];
  readonly requireWall?: boolean;
}

export async function openGateWorld(options: GateWorldOptions = {}): Promise<GateWorld> {
  const backend = options.backend ?? (await openBackend('bubblewrap'));
  const folder = mkdtempSync(join(tmpdir(), 'a7-rt-test-gate-'));
  const trees = new Map<string, readonly SandboxFile[]>();
  const gate = createGate({
    documents: documentTools,
    ...(options.requireWall === undefined ? {} : { requireWall: options.requireWall }),
    sandbox: backend.sandbox,
    isolation: options.isolation ?? { backend: backend.sandbox.backend, level: 'hardened' },
    trees: { files: async (tree) => Promise.resolve(trees.get(tree) ?? []) },
    symbols: createSymbols(),
    stubs: { build: buildStubs },
    runners: await readRunnerFiles(join(process.cwd(), 'sandbox/runner')),
    reports: createReportFiles(join(folder, 'reports')),
    hash: sha256,
    nonce: randomUUID,
    nowMs: () => performance.now(),
  });
  const store = (texts: Texts): string => {
    const files = Object.entries(texts).map(([path, text]) => ({
      path,
      bytes: path.endsWith('.pyc') ? Buffer.from(text, 'base64') : new TextEncoder().encode(text),
    }));
    const id = createHash('sha1').update(JSON.stringify(texts)).digest('hex');
    trees.set(id, files);
    return id;
  };
  const verify = async (asked: Asked): Promise<VerifyOutcome> => {
    const { contract, kind, signal, dependencies = [], changedPaths = null, useCache = true } = asked;
    const tree = store(asked.texts);
    const common = {
      contract,
      stepKey: randomUUID(),
      owner: 'test',
      tree,
      projection: tree,
      image: asked.image ?? backend.image,
      plan: asked.plan ?? quickPlan(contract),
      dependencies,
      changedPaths,
      useCache,
      isCharged: asked.isCharged ?? false,
      ...(asked.mutationMs === undefined ? {} : { mutationMs: asked.mutationMs }),
      ...(asked.needsEvidence === undefined ? {} : { needsEvidence: asked.needsEvidence }),
    };
    const request: VerifyRequest =
      kind === 'suite'
        ? { ...common, kind, covers: asked.covers ?? {} }
        : kind === 'code'
          ? { ...common, kind, locked: asked.locked ?? null }
          : { ...common, kind };
    const outcome = await gate.verifySnapshot(request, signal === undefined ? {} : { signal });
    if (!isSoundReport(outcome.report, sha256)) throw new Error('A report is not what its digest says');
    return outcome;
  };
  const world: GateWorld = {
    verify,
    suite: (contract, texts, covers = {}, plan, dependencies = []) =>
      verify({ contract, texts, kind: 'suite', covers, plan, dependencies }),
    code: (contract, texts, locked, plan) => verify({ contract, texts, kind: 'code', locked, plan }),
    async lock(contract, texts, covers = {}, dependencies = []) {
      const { report, artifacts } = await world.suite(contract, texts, covers, undefined, dependencies);
      if (report.verdict === 'PASS') return lockedSuiteOf(report);
      const logs = artifacts.map(
        (artifact) => `${artifact.name}\n${new TextDecoder().decode(artifact.bytes)}`,
      );
      const findings = report.levels
        .flatMap((level) => level.findings)
        .map(({ code, text }) => `${code}: ${text}`);
      throw new Error([reportHeadline(report), ...findings, ...logs].join('\n'));
    },
    async close() {
      await backend.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return world;
}

/** The contract's plan with limits that tests can wait for. */
export function quickPlan(
  contract: ResolvedContract,
  change: Partial<GateLimits> = {},
  repeats: 1 | 2 = 1,
): GatePlan {
  const plan = resolvePlan(contract);
  const steps = plan.steps.map((step) => {
    if (step.kind !== 'suite' && step.kind !== 'examples') return step;
    const limits = { ...step.limits, wallMs: 30_000, ...change };
    return step.kind === 'suite' ? { ...step, limits, repeats } : { ...step, limits };
  });
  return { ...plan, steps };
}

function sha256(bytes: Uint8Array | string): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}
