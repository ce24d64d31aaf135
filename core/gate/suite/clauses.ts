/** Clauses of an interface: each export, raise and guarantee has an id that `covers`, reports and feedback use (gate.md part 3). */
import type { ContractInterface, RaiseEntry } from '../../../schemas/contract.ts';

export interface Clause {
  /** `E1`, `R1`, `G1`: kind and position from 1 in its list. */
  readonly id: string;
  readonly kind: 'export' | 'raise' | 'guarantee';
  readonly text: string;
  /** Name that an export or a raise declares; absent for guarantees and for statements without a readable name. */
  readonly exportName?: string;
}

/** Clauses of `contractInterface` in the order exports, raises, guarantees. */
export function clausesOf(contractInterface: ContractInterface): readonly Clause[] {
  return [
    ...contractInterface.exports.map((text, index) =>
      clause('export', `E${String(index + 1)}`, text, declaredName(text)),
    ),
    ...contractInterface.raises.map((entry, index) =>
      clause('raise', `R${String(index + 1)}`, raiseText(entry), raiseName(entry)),
    ),
    ...contractInterface.guarantees.map((text, index) =>
      clause('guarantee', `G${String(index + 1)}`, text, null),
    ),
  ];
}

/** Name that a `.pyi` or `.d.ts` statement declares; null if the text does not begin like a declaration. */
export function declaredName(statement: string): string | null {
  const text = withoutDecorators(statement);
  const keyword =
    /^(?:async\s+)?(?:def|class)\s+(\w+)/u.exec(text) ??
    TYPESCRIPT.exec(text) ??
    /^([A-Za-z_]\w*)\s*[:=]/u.exec(text);
  if (keyword?.[1] !== undefined) return keyword[1];
  return /^export\s+default\b/u.test(text) ? 'default' : null;
}

/** `PriceError` of `PriceError(ValueError)`. */
export function raiseName(entry: RaiseEntry): string {
  const text = typeof entry === 'string' ? entry : entry.type;
  return text.replace(/\(.*$/su, '').trim();
}

const TYPESCRIPT =
  /^(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:const\s+enum|function\s*\*?|class|interface|type|enum|const|let|var|namespace)\s+([A-Za-z_$][\w$]*)/u;

function withoutDecorators(statement: string): string {
  return statement
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('@') && !line.startsWith('#') && !line.startsWith('//'))
    .join('\n');
}

/** The entry in one line: type, when, message. */
export function raiseText(entry: RaiseEntry): string {
  if (typeof entry === 'string') return entry;
  const when = entry.when === undefined ? '' : ` when ${entry.when}`;
  const message = entry.message === undefined ? '' : ` with message ${JSON.stringify(entry.message)}`;
  return `${entry.type}${when}${message}`;
}

function clause(kind: Clause['kind'], id: string, text: string, exportName: string | null): Clause {
  return exportName === null ? { id, kind, text } : { id, kind, text, exportName };
}
