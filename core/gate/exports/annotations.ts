/** Annotations that cannot both be true. Everything beyond plain builtin types is left to the suite (gate.md part 11: unusual honest code). */
import { parseType, type TypeAtom, type TypeText } from './type-text.ts';

type Answer = 'yes' | 'no' | 'unknown';

/** A value of the key is also one of each type named. */
const ALSO: Readonly<Record<string, string>> = {
  bool: 'int float complex',
  int: 'float complex',
  float: 'complex',
  Array: 'ReadonlyArray',
  undefined: 'void',
  null: 'void',
};

/**
 * True when plain builtin types contradict: a result that the declaration does not allow, or an argument that it allows and
 * the definition does not. Missing annotations never clash.
 */
export function annotationsClash(
  declared: string | null,
  found: string | null,
  position: 'result' | 'argument',
): boolean {
  if (declared === null || found === null) return false;
  const left = parseType(declared);
  const right = parseType(found);
  if (position === 'result') return !isVoid(left) && assignable(right, left) === 'no';
  // `n: int = None` is an old way to write an optional argument.
  const given = left.filter((atom) => left.length === 1 || !isNothing(atom));
  return assignable(given, right) === 'no';
}

/** TypeScript lets a function for `void` give anything. */
function isVoid(type: TypeText): boolean {
  return type.some((atom) => atom.name === 'void');
}

function isNothing(atom: TypeAtom): boolean {
  return atom.name === 'None' || atom.name === 'undefined' || atom.name === 'null';
}

/** `no` only if some value of `from` is certainly none of `to`. */
function assignable(from: TypeText, to: TypeText): Answer {
  const answers = from.map((atom) => fits(atom, to));
  if (answers.includes('no')) return 'no';
  return answers.every((answer) => answer === 'yes') ? 'yes' : 'unknown';
}

function fits(atom: TypeAtom, to: TypeText): Answer {
  const answers = to.map((target) => fitsAtom(atom, target));
  if (answers.includes('yes')) return 'yes';
  return answers.includes('unknown') ? 'unknown' : 'no';
}

function fitsAtom(from: TypeAtom, to: TypeAtom): Answer {
  if (from.name === null || to.name === null) return 'unknown';
  if (from.name !== to.name) return (ALSO[from.name] ?? '').split(' ').includes(to.name) ? 'yes' : 'no';
  if (from.args.length === 0 || to.args.length === 0)
    return from.args.length === to.args.length ? 'yes' : 'unknown';
  if (from.args.length !== to.args.length) return 'unknown';
  const answers = from.args.map((arg, index) => assignable(arg, to.args[index] ?? []));
  if (answers.includes('no')) return 'no';
  return answers.every((answer) => answer === 'yes') ? 'yes' : 'unknown';
}
