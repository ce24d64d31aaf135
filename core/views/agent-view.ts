/** First message of a builder or a test author: contract, surroundings, what was tried (seed 001, agent views). */
import type { ResolvedContract, ViewSpec } from '../../schemas/contract.ts';
import type { Role } from '../../schemas/ids.ts';
import { contractView, dependencyView } from './contract-view.ts';
import { counted } from '../text/plural.ts';

/** What a role is shown beside the contract. Every field is role-safe before it gets here. */
export interface AgentViewInput {
  readonly role: Role;
  readonly contract: ResolvedContract;
  /** How much is shown (seed 001, "context too large"); absent: all. */
  readonly viewSpec?: { readonly [K in keyof ViewSpec]?: ViewSpec[K] | undefined };
  /** More nodes that an analyst's question is about; default none. */
  readonly others?: readonly ResolvedContract[];
  /** Contracts of direct structural dependencies. */
  readonly dependencies: readonly ResolvedContract[];
  /** What the required packages are imported as; see `packageLines`. Default none. */
  readonly packages?: readonly string[];
  /** The project's own rules for files; they judge this node's, too. Default none. */
  readonly rules?: readonly string[];
  /** Bounds of the whole task, in words. */
  readonly bounds: string;
  /** Files in the agent's tree, sorted. */
  readonly files: readonly string[];
  /** Mode B builder: the author's `test_contract`. */
  readonly testContract: string | null;
  readonly managerNote: string | null;
  readonly focusOn: readonly string[];
  readonly expectedIterations: number;
  /** Earlier dispatches of this node and role, and why they ended; texts are role-safe feedback. */
  readonly previousAttempts: readonly string[];
  readonly filesWritten: readonly string[];
  /** The first useful call (core/shadow/next-call.ts). */
  readonly next: string;
}

/** Files listed before the list is cut. */
export const FILES_SHOWN_MAX = 200;

/** The view as Markdown. */
export function agentView(input: AgentViewInput): string {
  const fidelity = input.viewSpec?.target_fidelity ?? 'full';
  const parts = [
    contractView(input.contract, input.dependencies, fidelity === 'summary'),
    ...(input.others ?? []).map((other) => contractView(other)),
    ...(fidelity === 'summary' ? [] : packages(input)),
    ...dependencies(input),
    ...rules(input),
    ...(fidelity === 'full' ? [fileList(input.files)] : []),
  ];
  if (input.testContract !== null)
    parts.push(`# Test contract (your specification)\n\n${input.testContract}`);
  parts.push(...guidance(input));
  return parts.join('\n\n');
}

function packages({ packages: lines = [] }: AgentViewInput): string[] {
  return lines.length === 0 ? [] : [['# Packages that it may import', ...lines].join('\n')];
}

function rules({ rules: lines = [] }: AgentViewInput): string[] {
  return lines.length === 0
    ? []
    : [['# Rules of the project, for the files that you write', ...lines].join('\n')];
}

function dependencies(input: AgentViewInput): string[] {
  if (input.dependencies.length === 0) return [];
  const focus = new Set(input.focusOn);
  const ordered = [...input.dependencies].sort((a, b) => Number(focus.has(b.id)) - Number(focus.has(a.id)));
  const isNamed = input.viewSpec?.struct_dep_fidelity === 'none';
  return [
    '# What it may import',
    ...ordered.map((each) => dependencyView(each, input.dependencies, isNamed)),
  ];
}

function fileList(files: readonly string[]): string {
  const shown = files.slice(0, FILES_SHOWN_MAX);
  const cut = files.length - shown.length;
  const rest = cut > 0 ? [`[${String(cut)} more files; use list_files with a glob]`] : [];
  return ['# Files in your tree', ...(shown.length === 0 ? ['(none)'] : shown), ...rest].join('\n');
}

function guidance(input: AgentViewInput): string[] {
  const lines: string[] = [];
  if (input.managerNote !== null) lines.push(`Note from the manager: ${input.managerNote}`);
  if (input.focusOn.length > 0) lines.push(`Look first at: ${input.focusOn.join(', ')}`);
  lines.push(`Expected effort: about ${counted(input.expectedIterations, 'turn')}; ${input.bounds}`);
  if (input.previousAttempts.length > 0) {
    lines.push(`Earlier attempts at this node: ${String(input.previousAttempts.length)}`);
    const told = input.previousAttempts.map((text, index) => `Attempt ${String(index + 1)}: ${text}`);
    const isWhole = (input.viewSpec?.target_fidelity ?? 'full') === 'full';
    lines.push(...(isWhole ? told : told.slice(-1)));
  }
  if (input.filesWritten.length > 0)
    lines.push(`Files of the last attempt are in your tree: ${input.filesWritten.join(', ')}`);
  lines.push(input.next);
  return [`# Guidance\n\n${lines.join('\n')}`];
}
