/** L2 and L3: a command on given inputs, judged from outside by exit code, output and files. */
import { canonicalJson } from '../text/canonical.ts';
import { errorMessage } from '../text/error-text.ts';
import type { SandboxFile, SandboxResult } from '../ports/sandbox.ts';
import type { RepositoryFinding } from '../../schemas/repository-report.ts';
import type { RepositoryStepOf } from '../../schemas/repository-steps.ts';
import { repositoryFinding } from './finding.ts';
import { endFindings, exitText, lastLines } from './judge-end.ts';

export type BlackBoxStep = RepositoryStepOf<'fixture' | 'execution'>;

/** One thing that does not hold. */
export interface Difference {
  /** Of the end, of what was printed or written, or of a file that is not there. */
  readonly kind: 'exit' | 'output' | 'missing';
  readonly what: string;
  readonly expected: string;
  readonly actual: string;
}

/** @param files what lies in the work folder afterwards, as far as the step asks for it. */
export function judgeBlackBox(
  step: BlackBoxStep,
  result: SandboxResult,
  files: readonly SandboxFile[],
): RepositoryFinding[] {
  const ended = endFindings(result, step.limits, step.level, step.name);
  if (ended.length > 0) return ended;
  const [first, ...rest] = differencesOf(step, result, files);
  if (first === undefined) return [];
  const what = step.kind === 'fixture' ? 'Fixture' : 'Execution check';
  const more = rest.length === 0 ? '' : `, and ${String(rest.length)} more differences`;
  return [
    repositoryFinding(
      step.kind === 'fixture' ? 'fixture_failed' : 'execution_failed',
      step.level,
      `${what} "${step.name}": ${first.what} differs${more}`,
      { step: step.name, expected: first.expected, actual: first.actual, excerpt: lastLines(result) },
    ),
  ];
}

/** Everything that does not hold, the exit code first. */
export function differencesOf(
  { expect }: BlackBoxStep,
  result: SandboxResult,
  files: readonly SandboxFile[],
): Difference[] {
  const { outcome, stdout, stderr } = result;
  const code = outcome.kind === 'exited' ? outcome.exitCode : null;
  return [
    ...(code === expect.exitCode
      ? []
      : [
          {
            kind: 'exit' as const,
            what: 'the exit code',
            expected: String(expect.exitCode),
            actual: exitText(result),
          },
        ]),
    ...(expect.stdout === null || (expect.stdout === stdout.text && !stdout.truncated)
      ? []
      : [{ kind: 'output' as const, what: 'standard output', expected: expect.stdout, actual: stdout.text }]),
    ...missingParts('standard output', stdout.text, expect.stdoutContains),
    ...missingParts('standard error', stderr.text, expect.stderrContains),
    ...(expect.json === null ? [] : jsonDifference(expect.json, stdout.text)),
    ...Object.entries(expect.files).flatMap(([path, text]) => fileDifference(path, text, files)),
    ...expect.filesAbsent
      .filter((path) => files.some((file) => file.path === path))
      .map((path) => ({
        kind: 'output' as const,
        what: `file "${path}"`,
        expected: 'no such file',
        actual: 'it is there',
      })),
  ];
}

function missingParts(where: string, text: string, parts: readonly string[]): Difference[] {
  return parts
    .filter((part) => !text.includes(part))
    .map((part) => ({
      kind: 'output' as const,
      what: where,
      expected: `to contain ${JSON.stringify(part)}`,
      actual: text,
    }));
}

function jsonDifference(expected: string, text: string): Difference[] {
  try {
    const actual = canonicalJson(JSON.parse(text));
    return actual === expected ? [] : [{ kind: 'output', what: 'standard output as JSON', expected, actual }];
  } catch (error) {
    return [
      {
        kind: 'output',
        what: 'standard output as JSON',
        expected,
        actual: `no JSON: ${errorMessage(error)}`,
      },
    ];
  }
}

function fileDifference(path: string, text: string, files: readonly SandboxFile[]): Difference[] {
  const file = files.find((each) => each.path === path);
  if (file === undefined)
    return [{ kind: 'missing', what: `file "${path}"`, expected: text, actual: 'no such file' }];
  const actual = new TextDecoder().decode(file.bytes);
  return actual === text ? [] : [{ kind: 'output', what: `file "${path}"`, expected: text, actual }];
}
