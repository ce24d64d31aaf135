/** Two reports on the same work, field by field: what must be equal is what the digest covers (G11). */
import type { GateReport } from '../../../schemas/report.ts';
import { canonicalJson } from '../../text/canonical.ts';
import { digestText } from './make-report.ts';

export interface Comparison {
  /** Names of all fields that were compared, for example `subject.projection` or `levels.L1.findings`. */
  readonly compared: readonly string[];
  /** Fields that differ, with both values shortened; empty when the verdicts are the same. */
  readonly differences: readonly string[];
  /** Version of the verifier that recorded the first, where nothing else differs but what is made from it. */
  readonly otherVerifier: string | null;
}

/** What a verifier brings along: the key names its version and programs; layer and runtimes of its image are fields of their own. */
const OF_VERIFIER: readonly string[] = ['key', 'subject.image', 'subject.verifierVersion'];

const VALUE_MAX_CHARS = 160;

/** Compares every field that the digest covers; times and messages are not among them. */
export function compareReports(recorded: GateReport, again: GateReport): Comparison {
  const before = fieldsOf(recorded);
  const after = fieldsOf(again);
  const compared = [...new Set([...before.keys(), ...after.keys()])].sort();
  const different = compared.filter((name) => before.get(name) !== after.get(name));
  const version = recorded.subject.verifierVersion;
  const isOther = version !== again.subject.verifierVersion;
  return {
    compared,
    otherVerifier: isOther && different.every((name) => OF_VERIFIER.includes(name)) ? version : null,
    differences: different.map(
      (name) => `${name}: recorded ${shown(before.get(name))}, now ${shown(after.get(name))}`,
    ),
  };
}

/** Field name to its value as canonical text. */
function fieldsOf(report: GateReport): ReadonlyMap<string, string> {
  const { digest: _, ...rest } = report;
  const fields = new Map<string, string>();
  collect('', JSON.parse(digestText(rest)), fields);
  return fields;
}

/** Objects are taken apart, levels by their names; any other list is one field. */
function collect(name: string, value: unknown, fields: Map<string, string>): void {
  const parts = partsOf(value);
  if (parts === null) fields.set(name, canonicalJson(value ?? null));
  else for (const [key, part] of parts) collect(name === '' ? key : `${name}.${key}`, part, fields);
}

function partsOf(value: unknown): readonly (readonly [string, unknown])[] | null {
  if (typeof value !== 'object' || value === null) return null;
  if (!Array.isArray(value)) return Object.entries(value);
  const named = value.map((item: unknown) => levelName(item));
  return named.length > 0 && named.every((name) => name !== null)
    ? value.map((item: unknown, index) => [named[index] ?? '', item] as const)
    : null;
}

/** A level's result is named by its level; its own field `level` is then part of the name. */
function levelName(item: unknown): string | null {
  if (typeof item !== 'object' || item === null || !('level' in item) || !('findings' in item)) return null;
  return typeof item.level === 'string' ? item.level : null;
}

function shown(text: string | undefined): string {
  if (text === undefined) return 'nothing';
  return text.length <= VALUE_MAX_CHARS ? text : `${text.slice(0, VALUE_MAX_CHARS)}…`;
}
