/** `verify` for people. */
import { colors } from './colors.ts';
import type { VerifyReport } from '../../core/ports/services.ts';
import { counted } from '../../core/text/plural.ts';
import { findingText } from './ledger.ts';
import { statusText } from './text.ts';

const WIDTH = 110;

/** What was judged, whether it is equal, the fields that say so, and where the record contradicts itself. */
export function verifyText(value: VerifyReport): string {
  const lines = value.record.map((each) => `${colors.red('record')} ${findingText(each)}`);
  return [verdictText(value), ...lines].join('\n');
}

function verdictText(value: VerifyReport): string {
  const what =
    value.commit === null ? `snapshot ${value.tree.slice(0, 12)}` : `commit ${value.commit.slice(0, 12)}`;
  const fields = counted(value.compared.length, 'field');
  const head = `${value.nodeId} ${value.kind}, ${what}: ${statusText(value.verdict)}`;
  const digests = [`recorded ${value.recordedDigest}`, `now      ${value.digest}`];
  if (value.same)
    return [
      `${head}, ${colors.green('equal')} to the record`,
      ...digests,
      `compared ${fields}:`,
      ...wrapped(value.compared),
    ].join('\n');
  if (value.otherVerifier !== null)
    return [
      `${head}, ${colors.green('equal')} to the record but for the verifier`,
      `recorded by verifier ${value.otherVerifier}, this one is ${value.verifier}: the same work was judged by its rules, with the same verdict`,
      ...digests,
      `what it brings along differs with it (${namesOf(value).join(', ')}); all other ${fieldsBut(value)} are equal`,
    ].join('\n');
  return [
    `${head}, ${colors.red('differs')} from the record in ${String(value.differences.length)} of ${fields}`,
    ...digests,
    ...value.differences.map((difference) => `- ${difference}`),
    ...WITHDRAWN[value.withdrawal],
  ].join('\n');
}

const WITHDRAWN: Readonly<Record<VerifyReport['withdrawal'], readonly string[]>> = {
  none: [],
  withdrawn: [
    'The recorded verdict is withdrawn: nobody is charged for it, and the next run gates the same code again',
  ],
  stage_moves: [
    'The recorded verdict does not hold. Halt the stage and verify again: only then is it withdrawn',
  ],
};

function namesOf({ differences }: VerifyReport): string[] {
  return differences.map((difference) => difference.split(':')[0] ?? '');
}

function fieldsBut({ compared, differences }: VerifyReport): string {
  return counted(compared.length - differences.length, 'field');
}

function wrapped(names: readonly string[]): string[] {
  const lines: string[] = [];
  for (const name of names) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + name.length + 1 <= WIDTH)
      lines[lines.length - 1] = `${last} ${name}`;
    else lines.push(`  ${name}`);
  }
  return lines;
}
