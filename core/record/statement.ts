/**
 * A verdict as an in-toto statement (v1) with a test-result predicate: what others can check without this program. Sessions make
 * one of a node's commit, work orders of a snapshot. Made of the report alone, so that the same verdict gives the same bytes.
 */
import type { GateReport } from '../../schemas/report.ts';
import { canonicalJson } from '../text/canonical.ts';
import { preAuthentication } from './dsse.ts';

export const STATEMENT_TYPE = 'application/vnd.in-toto+json';
const STATEMENT = 'https://in-toto.io/Statement/v1';
const PREDICATE = 'https://in-toto.io/attestation/test-result/v0.1';

/** What a PASS is about, and what decided it. */
export interface VerdictFacts {
  /** Node or order. */
  readonly name: string;
  readonly gitTree: string;
  readonly gitCommit: string | null;
  readonly planDigest: string;
  readonly reportDigest: string;
  readonly suiteDigest: string | null;
  /** Name of the image by its recipe, for example `a7-rt/sandbox:9b1663ab9586`. */
  readonly image: string;
  /** Packages laid over the image; null: none. */
  readonly layerDigest: string | null;
  /** The highest level that ran and passed. */
  readonly level: string;
  readonly tier: string;
  readonly isolation: string;
  readonly verifier: string;
  readonly passedTests: readonly string[];
}

/** Facts of a node's report. */
export function factsOfReport(report: GateReport, gitTree: string, gitCommit: string | null): VerdictFacts {
  const { subject, isolation } = report;
  const passed = report.levels.filter((each) => each.status === 'passed').map((each) => each.level);
  return {
    name: subject.node,
    gitTree,
    gitCommit,
    planDigest: subject.planHash,
    reportDigest: report.digest,
    suiteDigest: subject.suiteHash,
    image: subject.image,
    layerDigest: report.image?.layer?.hash ?? null,
    level: passed.toSorted().at(-1) ?? 'L0',
    tier: report.tier,
    isolation: `${isolation.backend}/${isolation.level}`,
    verifier: subject.verifierVersion,
    passedTests: report.tests
      .filter((test) => test.outcome === 'passed')
      .map(({ id }) => [id.file, ...id.nesting, id.name].join('::')),
  };
}

/** The statement of a PASS as canonical JSON. */
export function statementText(facts: VerdictFacts): string {
  const { level, tier, isolation, verifier, image } = facts;
  return canonicalJson({
    _type: STATEMENT,
    subject: [
      { name: `${facts.name} tree`, digest: { gitTree: facts.gitTree } },
      ...(facts.gitCommit === null
        ? []
        : [{ name: `${facts.name} commit`, digest: { gitCommit: facts.gitCommit } }]),
    ],
    predicateType: PREDICATE,
    predicate: {
      result: 'PASSED',
      configuration: [
        {
          name: 'gate plan',
          digest: sha256Of(facts.planDigest),
          annotations: { level, tier, isolation, verifier },
        },
        { name: 'report', digest: sha256Of(facts.reportDigest) },
        ...(facts.suiteDigest === null ? [] : [{ name: 'suite', digest: sha256Of(facts.suiteDigest) }]),
        {
          name: 'image',
          uri: image,
          ...(facts.layerDigest === null ? {} : { digest: sha256Of(facts.layerDigest) }),
        },
      ],
      passedTests: facts.passedTests,
      warnedTests: [],
      failedTests: [],
    },
  });
}

/** What is signed over a statement. */
export function statementToSign(text: string): string {
  return preAuthentication(STATEMENT_TYPE, text);
}

function sha256Of(digest: string): { readonly sha256: string } {
  return { sha256: digest.replace('sha256:', '') };
}
