/** `ledger verify` for people. */
import { colors } from './colors.ts';
import type { LedgerReport } from '../../core/ports/services.ts';
import type { RecordFinding } from '../../core/record/finding.ts';
import { counted } from '../../core/text/plural.ts';
import { typed } from '../../core/text/typed.ts';

/** Chain, fold and keys, then what differs. `dir`: the session as the person named it. */
export function ledgerText(value: LedgerReport, dir: string): string {
  return [
    `${counted(value.lines, 'line')}, chain ${value.chain}, fold ${value.fold} to master.json`,
    `head ${value.headHash}`,
    ...signedLines(value, dir),
    ...value.notes.map((note) => `${colors.dim('note')} ${note}`),
    ...value.findings.map((finding) => `${colors.red('record')} ${findingText(finding)}`),
    value.detail,
  ]
    .join('\n')
    .trimEnd();
}

export function findingText({ check, subject, message }: RecordFinding): string {
  return `${check}: ${subject} ${message}`;
}

function signedLines({ signedBy, keys }: LedgerReport, dir: string): readonly string[] {
  const ids = keys.map((key) => key.keyId).join(', ');
  switch (signedBy) {
    case 'home':
      return [`signed by ${ids}, known to this home`];
    case 'foreign':
      return [
        `signed by ${ids}`,
        `${colors.dim('next')}${typed`  ask who wrote it for the key (a7-rt doctor names it there), then a7-rt ledger verify ${dir} --key KEY`}`,
      ];
    default:
      return [];
  }
}
