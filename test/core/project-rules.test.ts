import { describe, expect, test } from '@jest/globals';
import { documentTools } from '../../adapters/contracts/document-tools.ts';
import { parseVerifyProfile } from '../../adapters/contracts/verify-profile.ts';
import { resolvePlan } from '../../core/gate/plan.ts';
import { projectFindings, ruleLines, withProjectRules } from '../../core/gate/code/project-rules.ts';
import { projectOutcome } from '../../core/repository/project-outcome.ts';
import { boundsText } from '../../core/runtime/bounds.ts';
import { agentView } from '../../core/views/agent-view.ts';
import { resolveRepositoryPlan } from '../../core/repository/resolve-plan.ts';
import type { GatePlan } from '../../schemas/gate-plan.ts';
import type { RepositoryReport } from '../../schemas/repository-report.ts';
import { gateContract } from '../support/gate-contract.ts';

const contract = gateContract();
const OWN = contract.contentFile;

function planWith(text: string): GatePlan {
  const loaded = parseVerifyProfile(`version: 1\n${text}`, 'verify.yaml');
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const { plan } = resolveRepositoryPlan(loaded.read, ['a.py']);
  return withProjectRules(resolvePlan(contract), { file: 'verify.yaml', plan, leaveOut: [] });
}

function found(text: string, files: Readonly<Record<string, string>>): string[] {
  const judged = Object.entries(files).map(([path, body]) => ({
    path,
    bytes: new TextEncoder().encode(body),
  }));
  const findings = projectFindings(planWith(text), contract, judged, documentTools);
  for (const each of findings) expect([each.code, each.level]).toEqual(['project_rule', 'L0']);
  return findings.map((each) => each.text);
}

describe("rules of the project in a node's verdict", () => {
  test.each([
    ["contract: { forbidden_globs: ['**/*.pem'] }", { 'k.pem': 'x' }, /"k\.pem" is forbidden/],
    [
      "contract: { naming: [{ files: ['**'], style: snake_case }] }",
      { 'BadName.py': '' },
      /must be snake_case/,
    ],
    ['contract: { max_binary_bytes: 3 }', { 'b.bin': '\0\0\0\0' }, /4 bytes, at most 3/],
    [`contract: { required_files: ['${OWN}'] }`, {}, /is missing/],
    [
      "contract: { schemas: [{ files: ['*.json'], schema: { type: object } }] }",
      { 'a.json': '[]' },
      /must be object/,
    ],
    ['policy: { disallowed_commands: [curl] }', { 'get.sh': 'curl x\n' }, /"curl" is disallowed/],
  ])('%s', (text, files, expected) => {
    expect(found(text, files)).toEqual([expect.stringMatching(expected)]);
  });

  test('are told whole to whoever has to keep them, with the bounds of the task', () => {
    const globs = Array.from({ length: 9 }, (_, at) => `**/*.k${String(at)}`);
    const text = `version: 1\ncontract: { forbidden_globs: ${JSON.stringify(globs)}, required_files: [README.md, '${OWN}'] }\n`;
    const loaded = parseVerifyProfile(text, 'verify.yaml');
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
    const { plan } = resolveRepositoryPlan(loaded.read, ['a.py']);
    const rules = ruleLines({ file: 'verify.yaml', plan, leaveOut: [] }, contract);
    expect(rules).toEqual([`- required files: ${OWN}`, `- forbidden files: ${globs.join(', ')}`]);
    expect(ruleLines(null, contract)).toEqual([]);
    const limits = {
      turnsMax: 40,
      attemptsMax: 3,
      silentTurnsMax: 3,
      testRunsMax: 12,
      runningMsMax: 1_800_000,
    };
    const view = agentView({
      role: 'builder',
      contract,
      dependencies: [],
      rules,
      bounds: boundsText(limits, false),
      files: [OWN],
      testContract: null,
      managerNote: null,
      focusOn: [],
      expectedIterations: 5,
      previousAttempts: [],
      filesWritten: [],
      next: 'Next: write.',
    });
    expect(view).toContain(
      `# Rules of the project, for the files that you write\n- required files: ${OWN}\n`,
    );
    expect(view).toContain('Expected effort: about 5 turns; at most 40 turns and 30 min\n');
    expect(boundsText(limits, true)).toBe('at most 30 min');
  });

  test('what other nodes and the whole tree must hold is asked at SEAL alone', () => {
    const text =
      "contract: { required_files: [README.md, 'src/**'], schemas: [{ files: ['conf/*.json'], schema: conf/s.json }] }\n" +
      'tests: [{ name: t, runner: pytest }]';
    expect(found(text, { [OWN]: 'X = 1\n' })).toEqual([]);
    const kinds = planWith(text).steps.map((step) => step.kind);
    expect([kinds.includes('required_files'), kinds.includes('test_command')]).toEqual([true, false]);
  });

  test("the plan's hash changes with the rules, and the stronger isolation counts", () => {
    expect(planWith('contract: { max_file_bytes: 3 }')).not.toEqual(
      planWith('contract: { max_file_bytes: 4 }'),
    );
    expect(planWith('policy: { isolation: hardened }').isolation).toBe('hardened');
    const own = { ...resolvePlan(contract), isolation: 'hardened' as const };
    const { plan } = resolveRepositoryPlan(null, ['a.py']);
    const weaker = { file: 'verify.yaml', plan: { ...plan, isolation: 'partial' as const }, leaveOut: [] };
    expect(withProjectRules(own, weaker).isolation).toBe('hardened');
    expect(withProjectRules(own, null)).toBe(own);
  });
});

test('projectOutcome() names command, place and cause of the first finding', () => {
  const base = { step: 'adds', excerpt: null, limit: null, nextStep: null, place: null };
  const finding = {
    ...base,
    code: 'fixture_failed',
    level: 'L2',
    text: 'Fixture "adds": standard output differs',
  };
  const report = {
    verdict: 'FAIL',
    fault: 'builder',
    digest: `sha256:${'1'.repeat(64)}`,
    levels: [{ findings: [{ ...finding, expected: '42\n', actual: '41' }, finding] }],
  } as unknown as RepositoryReport;
  expect(projectOutcome(report).reason).toBe(
    'L2 Fixture "adds": standard output differs (expected "42\\n", actual 41); and 1 more',
  );
});
