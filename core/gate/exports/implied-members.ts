/** Members that a class has though its text does not write them. */
import type { Language } from '../../../schemas/ids.ts';
import type { SourceSymbol } from '../../ports/symbols.ts';

/** What every Python object has. */
const OBJECT = new Set(
  '__new__ __post_init__ __eq__ __ne__ __hash__ __repr__ __str__ __format__ __setattr__ __delattr__ __getattribute__ __dir__ __reduce__ __reduce_ex__ __sizeof__ __init_subclass__ __subclasshook__ __class__ __doc__ __module__ __dict__'.split(
    ' ',
  ),
);
/** Protocols that Python falls back to: any of these does for the key. */
const FALLBACKS: Readonly<Record<string, string>> = {
  __contains__: '__iter__ __getitem__',
  __iter__: '__getitem__',
  __reversed__: '__getitem__',
  __bool__: '__len__',
  __gt__: '__lt__',
  __lt__: '__gt__',
  __ge__: '__le__',
  __le__: '__ge__',
  __iadd__: '__add__',
  __isub__: '__sub__',
  __imul__: '__mul__',
  __next__: '',
};
const ORDER = /^__(lt|le|gt|ge)__$/u;
/** What every JavaScript object has. */
const ECMA_OBJECT = new Set(['constructor', 'toString', 'valueOf', 'toLocaleString', 'hasOwnProperty']);

export function isImplied(name: string, found: SourceSymbol, language: Language): boolean {
  if (language === 'javascript' || language === 'typescript') return ECMA_OBJECT.has(name);
  if (language !== 'python') return false;
  if (OBJECT.has(name)) return true;
  const has = (member: string): boolean => found.members.some((each) => each.name === member);
  if ((FALLBACKS[name] ?? '').split(' ').some(has)) return true;
  if (!ORDER.test(name)) return false;
  const isOrdered = found.decorators.some((text) => /\border\s*=\s*True/u.test(text));
  const isTotal = found.decorators.some((text) => text.includes('total_ordering'));
  return isOrdered || (isTotal && found.members.some((each) => ORDER.test(each.name)));
}
