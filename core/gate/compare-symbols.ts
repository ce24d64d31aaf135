/** Compares one declaration with one definition: kind, async, parameters, annotations, members. Certain differences only. */
import type { Language } from '../../schemas/ids.ts';
import type { Finding, FindingCode } from '../../schemas/report.ts';
import type { SourceSymbol } from '../ports/symbols.ts';
import { annotationsClash } from './annotations.ts';
import type { ExportCheck } from './export-check.ts';
import { finding } from './finding.ts';
import { arityProblem } from './params.ts';

type Match = 'same' | 'unchecked' | 'wrong';

const LIFECYCLE = new Set(['__init__', '__post_init__', '__new__', 'constructor']);

export function compareSymbols(
  declared: SourceSymbol,
  found: SourceSymbol,
  file: string,
  language: Language,
): ExportCheck {
  const findings: Finding[] = [];
  const add = (code: FindingCode, text: string): void => {
    findings.push(
      finding(code, 'L0', text, { exportName: declared.name, place: { file, line: found.line } }),
    );
  };
  const kind = matchKind(declared, found, language);
  if (kind === 'wrong') {
    add(
      'export_kind',
      `"${declared.name}" is a ${found.kind}; the contract declares a ${declared.kind}: ${declared.signature}`,
    );
    return { findings, warnings: [] };
  }
  if (kind === 'unchecked') {
    const text = `"${declared.name}" is bound by an expression whose form the syntax does not show`;
    return {
      findings,
      warnings: [
        finding('export_unchecked', 'L0', text, {
          exportName: declared.name,
          place: { file, line: found.line },
        }),
      ],
    };
  }
  if (declared.kind === 'function') compareFunctions(declared, found, language, declared.name, add);
  if (declared.kind === 'class') compareMembers(declared, found, language, add);
  return { findings, warnings: [] };
}

/** Whether a definition of one kind can be what the declaration promises. */
function matchKind(declared: SourceSymbol, found: SourceSymbol, language: Language): Match {
  if (found.kind === 'opaque' || declared.kind === 'opaque') return 'unchecked';
  if (found.kind === declared.kind) return 'same';
  switch (declared.kind) {
    case 'function':
      // A class is callable in Python; in JavaScript it is not without `new`.
      return found.kind === 'class' && language === 'python' ? 'unchecked' : 'wrong';
    case 'class':
      // A constructor function makes objects in JavaScript.
      return found.kind === 'function' && language !== 'python' ? 'unchecked' : 'wrong';
    case 'constant':
      return found.kind === 'class' || mayHoldFunction(declared.returns) ? 'unchecked' : 'wrong';
    case 'type':
      return found.kind === 'class' ? 'unchecked' : 'wrong';
  }
}

function mayHoldFunction(annotation: string | null): boolean {
  return (
    annotation === null ||
    /Callable|=>|\bany\b|\bAny\b|\bunknown\b|\bobject\b|Protocol|Function|^[A-Z]\w*$/u.test(annotation)
  );
}

function compareFunctions(
  declared: SourceSymbol,
  found: SourceSymbol,
  language: Language,
  label: string,
  add: (code: FindingCode, text: string) => void,
): void {
  const asyncProblem = asyncDifference(declared, found);
  if (asyncProblem !== null) add('export_async', `"${label}" ${asyncProblem}: ${declared.signature}`);
  const arity = arityProblem(declared.params, found.params, language);
  if (arity !== null)
    add('export_arity', `"${label}" ${arity}; the contract declares: ${declared.signature}`);
  for (const param of declared.params ?? []) {
    const other = found.params?.find((candidate) => candidate.name === param.name);
    if (other !== undefined && annotationsClash(param.annotation, other.annotation)) {
      add(
        'export_annotation',
        `"${label}" takes ${param.name} as ${other.annotation ?? ''}; the contract says ${param.annotation ?? ''}`,
      );
    }
  }
  if (annotationsClash(declared.returns, found.returns)) {
    add(
      'export_annotation',
      `"${label}" is annotated to return ${found.returns ?? ''}; the contract says ${declared.returns ?? ''}`,
    );
  }
}

const AWAITABLE =
  /\b(Promise|PromiseLike|Awaitable|Coroutine|Future|Task|AsyncIterator|AsyncIterable|AsyncGenerator)\b/u;

function asyncDifference(declared: SourceSymbol, found: SourceSymbol): string | null {
  const declaresAwaitable = declared.isAsync || AWAITABLE.test(declared.returns ?? '');
  if (declared.isAsync && !found.isAsync && !found.mayReturnPromise && !AWAITABLE.test(found.returns ?? '')) {
    return 'is synchronous; the contract declares it asynchronous';
  }
  if (
    !declaresAwaitable &&
    found.isAsync &&
    declared.returns !== null &&
    !/\b(any|Any|unknown|object)\b/u.test(declared.returns)
  ) {
    return 'is asynchronous; the contract declares it synchronous';
  }
  return null;
}

function compareMembers(
  declared: SourceSymbol,
  found: SourceSymbol,
  language: Language,
  add: (code: FindingCode, text: string) => void,
): void {
  for (const member of declared.members) {
    const other = found.members.findLast((candidate) => candidate.name === member.name);
    const label = `${declared.name}.${member.name}`;
    if (other === undefined) {
      if (!found.openMembers && !LIFECYCLE.has(member.name)) {
        add('export_member', `"${label}" is missing; the contract declares: ${member.signature}`);
      }
    } else if (member.kind === 'function' && other.kind === 'function') {
      compareFunctions(member, other, language, label, add);
    } else if (member.kind === 'function' && other.kind === 'constant') {
      add('export_member', `"${label}" is a value; the contract declares a method: ${member.signature}`);
    }
  }
}
