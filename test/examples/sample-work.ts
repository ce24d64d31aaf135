/** What the script of a sample makes its agents hand in: the files, covers and surface of each submission, in order. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { loadContracts } from '../../adapters/contracts/load.ts';
import { loadModelScript } from '../../adapters/model-server/script-file.ts';
import { modulePathOf } from '../../core/contract/layout.ts';
import { applyEdits } from '../../core/shadow/edit.ts';
import { EditFileInput, SubmitPrInput, WriteFileInput } from '../../schemas/agent-tools.ts';
import type { ResolvedContract } from '../../schemas/contract.ts';
import type { ScriptAnswer, ScriptRule } from '../../schemas/model-script.ts';

export const SAMPLE_DIR = join(process.cwd(), 'examples/water-bill');

export type Texts = Readonly<Record<string, string>>;

/** One `submit_pr` and the files as they were then. */
export interface Handed {
  readonly files: Texts;
  readonly submit: SubmitPrInput;
}

/** Submissions of one role for one node: what went wrong first, and what is handed in last. */
export interface AgentWork {
  readonly slips: readonly Handed[];
  readonly last: Handed;
}

export interface NodeWork {
  readonly contract: ResolvedContract;
  readonly suite: AgentWork;
  readonly code: AgentWork;
}

/** Nodes in the contracts' order; Mode B surfaces are those that the author hands in. */
export async function readSample(): Promise<readonly NodeWork[]> {
  const loaded = await loadContracts(join(SAMPLE_DIR, 'contracts.yaml'));
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems, null, 2));
  const script = await loadModelScript(join(SAMPLE_DIR, 'script.yaml'));
  return loaded.resolved.map((contract) => {
    const suite = workOf(script.rules, contract.id, 'test_author');
    return { contract: frozen(contract, suite), suite, code: workOf(script.rules, contract.id, 'builder') };
  });
}

/** Paths below `answers/` that exist, and those that the script names. */
export function answerFiles(): { readonly there: readonly string[]; readonly named: readonly string[] } {
  const entries = readdirSync(join(SAMPLE_DIR, 'answers'), { recursive: true, withFileTypes: true });
  const there = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const document: unknown = parse(readFileSync(join(SAMPLE_DIR, 'script.yaml'), 'utf8'));
  const named = fieldsOf(document, 'content_file').map((path) => join(SAMPLE_DIR, String(path)));
  return { there: there.toSorted(), named: [...new Set(named)].toSorted() };
}

/** Files that make the modules importable. */
export function packageFiles(contracts: readonly ResolvedContract[]): Texts {
  const folders = contracts.map((contract) => modulePathOf('python', contract.contentFile)[0] ?? '');
  return Object.fromEntries(folders.map((folder) => [`${folder}/__init__.py`, '']));
}

function frozen(contract: ResolvedContract, suite: AgentWork): ResolvedContract {
  if (contract.mode === 'A') return contract;
  return {
    ...contract,
    interface: { ...contract.interface, exports: suite.last.submit.interface?.exports ?? [] },
  };
}

function workOf(rules: readonly ScriptRule[], node: string, role: string): AgentWork {
  const own = rules.filter((rule) => rule.node === node && rule.role === role);
  const handed = own.flatMap((rule) => handedIn(rule.turns ?? []));
  const last = handed.at(-1);
  if (last === undefined) throw new Error(`The script has no submission of ${role} for ${node}`);
  return { slips: handed.slice(0, -1), last };
}

/** Hostile answers change nothing here: that they are refused is for the run to show. */
function handedIn(turns: readonly ScriptAnswer[]): Handed[] {
  const files = new Map<string, string>();
  const handed: Handed[] = [];
  for (const call of turns.filter((turn) => !turn.hostile).flatMap((turn) => turn.tool_calls)) {
    if (call.name === 'write_file') {
      const { path, content } = WriteFileInput.parse(call.arguments);
      files.set(path, content);
    } else if (call.name === 'edit_file') {
      const input = EditFileInput.parse({ ...call.arguments, content_hash: '0'.repeat(16) });
      files.set(input.path, edited(files.get(input.path) ?? '', input));
    } else if (call.name === 'submit_pr') {
      handed.push({ files: Object.fromEntries(files), submit: SubmitPrInput.parse(call.arguments) });
    }
  }
  return handed;
}

function edited(text: string, input: EditFileInput): string {
  const outcome = applyEdits(text, input.operations);
  if (outcome.status === 'refused') throw new Error(`Cannot edit ${input.path}: ${outcome.rule}`);
  return outcome.text;
}

type EditFileInput = ReturnType<typeof EditFileInput.parse>;

function fieldsOf(value: unknown, field: string): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]: [string, unknown]) =>
    name === field ? [member] : fieldsOf(member, field),
  );
}
