/** Makes findings: every field is there, what does not apply is null. */
import type { Finding, FindingCode } from '../../schemas/report.ts';
import type { GateLevel } from '../../schemas/gate-plan.ts';

type Details = Partial<Omit<Finding, 'code' | 'level' | 'text'>>;

const TEXT_MAX = 2000;

/** A finding with the given details; all others null. */
export function finding(code: FindingCode, level: GateLevel, text: string, details: Details = {}): Finding {
  return {
    code,
    level,
    text: text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX - 1)}…` : text,
    clauseId: null,
    exportName: null,
    outcome: null,
    exceptionType: null,
    place: null,
    testId: null,
    stub: null,
    limit: null,
    ...details,
  };
}

/** `a, b, c and 4 more`: names in findings are bounded. */
export function listed(names: readonly string[], max = 5): string {
  const shown = names.slice(0, max).map((name) => `"${name}"`);
  const rest = names.length - shown.length;
  return rest > 0 ? `${shown.join(', ')} and ${rest} more` : shown.join(', ');
}
