/**
 * Which tier judges a node's code (gate.md part 11). Fixed from contract and suite before the builder's code is seen, and
 * locked with the suite: nothing that the code returns can change it.
 */
import type { ResolvedContract } from '../../../schemas/contract.ts';
import type { Language } from '../../../schemas/ids.ts';
import type { WallChoice, WallScan, WallUse } from '../../../schemas/gate-wall.ts';
import type { GateTier, LockedSuite } from '../../../schemas/report.ts';
import { belowRoot } from '../../contract/layout.ts';
import { raiseName } from '../suite/clauses.ts';

/** Languages whose suites can run on the other side of a wall from the code. */
const WALLED: ReadonlySet<Language> = new Set<Language>(['python', 'javascript', 'typescript']);

const REASONS_MAX = 8;

/** The tier of a node whose suite was scanned. `scan` is null where the language has no wall or the scan did not end. */
export function tierFor(
  contract: ResolvedContract,
  scan: WallScan | null,
  dependencies: readonly ResolvedContract[] = [],
): WallChoice {
  const reasons = [...contractReasons(contract, dependencies), ...scanReasons(contract, scan)];
  return { tier: reasons.length === 0 ? 'glass_wall' : 'in_process', reasons: reasons.slice(0, REASONS_MAX) };
}

/** The tier that judges code now: the locked one, as long as the contract still allows it. */
export function tierOf(contract: ResolvedContract, locked: LockedSuite | null): GateTier {
  return contract.wall === 'in_process' ? 'in_process' : (locked?.wall?.tier ?? 'in_process');
}

/** True where the suite of a contract is scanned at all. */
export function hasWall(contract: ResolvedContract): boolean {
  return WALLED.has(contract.language) && contract.type !== 'test' && contract.tests !== 'none';
}

/** Module of a Python file: `price/money.py` is `price.money`; so is `src/price/money.py` where `src` is the source root. */
export function pythonModule(path: string, sourceRoot?: string): string {
  return belowRoot(path, sourceRoot)
    .replace(/(?:\/__init__)?\.py$/u, '')
    .split('/')
    .join('.');
}

/** True if the contract is about failed assertions: elsewhere code may not keep one of the suite's to itself. */
export function mayKeepAssertions(contract: ResolvedContract): boolean {
  const { exports, raises, guarantees, imports } = contract.interface;
  const texts = [contract.description, ...exports, ...imports, ...guarantees, ...raises.map(raiseName)];
  return texts.some((text) => /\bassert(?:s|ed|ion|ions|ionerror)?\b/iu.test(text));
}

/** True if the contract lets a call end with SystemExit. */
export function mayExit(contract: ResolvedContract): boolean {
  return contract.interface.raises.some((entry) => raiseName(entry) === 'SystemExit');
}

function contractReasons(contract: ResolvedContract, dependencies: readonly ResolvedContract[]): string[] {
  const reasons: string[] = [];
  if (contract.wall === 'in_process') reasons.push('The contract asks for one process');
  if (!WALLED.has(contract.language)) reasons.push(`There is no wall for ${contract.language} yet`);
  if (contract.type === 'test') reasons.push('A node of type "test" is a suite itself');
  for (const dependency of dependencies) {
    if (dependency.type === 'test') reasons.push(`"${dependency.id}" is shared test code`);
  }
  return reasons;
}

function scanReasons(contract: ResolvedContract, scan: WallScan | null): string[] {
  if (scan !== null) return scan.uses.map(useText);
  return WALLED.has(contract.language) ? ['The suite was not scanned'] : [];
}

const WORDS: Readonly<Record<WallUse['kind'], string>> = {
  patching: 'The suite replaces names inside the code',
  files: 'The suite shares files with the code',
  records: 'The suite reads warnings, logs or chance of the process',
  process: 'The suite uses threads or the environment of the process',
  introspection: 'The suite looks inside objects',
  subclass: 'The suite derives a class from the code',
  module: 'The suite imports a module that is no dependency',
  shape: 'A declaration works in one process only',
  calls: 'The suite calls the code too often for a wall',
  unread: 'A file of the suite could not be read',
};

/** The reason of a suite that calls the code this often in one test. */
export function tooManyCalls(calls: number): string {
  return useText({ kind: 'calls', detail: `${String(calls)} calls in one test`, file: '', line: 0 });
}

function useText(use: WallUse): string {
  const at = use.file === '' ? '' : ` (${use.file}:${String(use.line)})`;
  return `${WORDS[use.kind]}: ${use.detail}${at}`.slice(0, 400);
}
