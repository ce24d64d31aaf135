/** Two reports on the same work, field by field: what must be equal is what the digest covers (G11). */
import type { GateReport } from '../../schemas/report.ts';
import { canonicalJson } from '../text/canonical.ts';
import { digestText } from './make-report.ts';

/** Names of fields that differ, with both values shortened; empty when the verdicts are the same. */
export function compareReports(recorded: GateReport, again: GateReport): readonly string[] {
  const before = fieldsOf(recorded);
  const after = fieldsOf(again);
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return names
    .filter((name) => canonicalJson(before[name] ?? null) !== canonicalJson(after[name] ?? null))
    .map((name) => `${name}: recorded ${shown(before[name])}, now ${shown(after[name])}`);
}

const VALUE_MAX_CHARS = 120;

function fieldsOf(report: GateReport): Record<string, unknown> {
  const { digest: _, ...rest } = report;
  return JSON.parse(digestText(rest)) as Record<string, unknown>;
}

function shown(value: unknown): string {
  const text = canonicalJson(value ?? null);
  return text.length <= VALUE_MAX_CHARS ? text : `${text.slice(0, VALUE_MAX_CHARS)}…`;
}
