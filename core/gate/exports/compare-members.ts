/** Compares the members that a class declares with those that its definition has. */
import type { Language } from '../../../schemas/ids.ts';
import type { SourceSymbol } from '../../ports/symbols.ts';
import { clashes, compareFunctions, type AddFinding } from './compare-functions.ts';
import { isImplied } from './implied-members.ts';

export function compareMembers(
  declared: SourceSymbol,
  found: SourceSymbol,
  language: Language,
  addAt: (member: SourceSymbol | null) => AddFinding,
): void {
  for (const member of declared.members) {
    if (member.decorators.includes('inherited')) continue;
    const sameName = found.members.filter((candidate) => candidate.name === member.name);
    // An instance and its class may each have a member of one name in JavaScript.
    const other =
      sameName.findLast((each) => (each.access === 'static') === (member.access === 'static')) ??
      sameName.at(-1);
    const label = `${declared.name}.${member.name}`;
    if (other === undefined) missingMember(member, found, language, label, addAt(null));
    else compareMember(member, other, language, label, addAt(other));
  }
}

function missingMember(
  member: SourceSymbol,
  found: SourceSymbol,
  language: Language,
  label: string,
  add: AddFinding,
): void {
  if (found.openMembers) return;
  // Its language has no word for it, and nobody can call it.
  if (language === 'javascript' && /^abstract\b/u.test(member.signature)) return;
  if (member.name === '__init__' && language === 'python') {
    const required = (member.params ?? [])
      .slice(1)
      .filter((param) => !param.optional && !param.kind.startsWith('var_'));
    const isMade = found.members.some((each) => each.name === '__new__') || found.bases.length > 0;
    if (required.length > 0 && !isMade)
      add('export_arity', `"${label}" takes no arguments; the contract declares: ${member.signature}`);
    return;
  }
  if (!isImplied(member.name, found, language))
    add('export_member', `"${label}" is missing; the contract declares: ${member.signature}`);
}

function compareMember(
  member: SourceSymbol,
  other: SourceSymbol,
  language: Language,
  label: string,
  add: AddFinding,
): void {
  const wrong = accessProblem(member, other, language);
  if (wrong !== null) add('export_member', `"${label}" ${wrong}; the contract declares: ${member.signature}`);
  else if (member.kind === 'function' && other.kind === 'function')
    compareFunctions(
      {
        declared: withoutReceiver(member, language),
        found: withoutReceiver(other, language),
        language,
        label,
      },
      add,
    );
  else if (
    member.kind === 'constant' &&
    other.kind === 'constant' &&
    clashes(member.returns, other.returns, language, 'result')
  )
    add(
      'export_annotation',
      `"${label}" is ${other.returns ?? ''}; the contract says ${member.returns ?? ''}`,
    );
}

/** A method where a value is declared, a value where a method is, an instance's where the class's is: what callers certainly notice. */
function accessProblem(member: SourceSymbol, other: SourceSymbol, language: Language): string | null {
  if (member.kind === 'function' && other.kind === 'constant' && !mayBeCallable(other.returns))
    return other.access === 'property' ? 'is a property' : 'is a value';
  if (member.access === 'property' && other.kind === 'function') return 'is a method';
  if (member.access === 'property' && other.access === 'property' && member.settable && !other.settable)
    return 'cannot be assigned';
  if (member.kind === 'constant' && other.kind === 'function' && !mayBeCallable(member.returns))
    return 'is a method';
  if (member.kind !== 'function' || other.kind !== 'function') return null;
  const wantsClass = member.access === 'static' || member.access === 'class';
  if (wantsClass && other.access === 'instance') return 'is a method of instances';
  const isOfClass = other.access === 'static' || other.access === 'class';
  // Python reaches both through an instance, too.
  if (member.access === 'instance' && isOfClass && language !== 'python') return 'is a method of the class';
  return null;
}

function mayBeCallable(annotation: string | null): boolean {
  return (
    annotation !== null &&
    /Callable|=>|\bany\b|\bAny\b|\bunknown\b|\bobject\b|Protocol|Function|^[A-Z]\w*$/u.test(annotation)
  );
}

/** Python and Rust write the object that a method is called on as a parameter. */
function withoutReceiver(member: SourceSymbol, language: Language): SourceSymbol {
  if (member.params === null) return member;
  if (language === 'python') {
    const [first] = member.params;
    const isWritten =
      member.access !== 'static' && (first?.kind === 'positional' || first?.kind === 'positional_only');
    return isWritten ? { ...member, params: member.params.slice(1) } : member;
  }
  if (language === 'rust')
    return { ...member, params: member.params.filter((param) => param.name !== 'self') };
  return member;
}
