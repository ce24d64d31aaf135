/** Compares one declaration with one definition: kind, base, parameters, annotations, members. Certain differences only. */
import type { Language } from '../../../schemas/ids.ts';
import type { Finding } from '../../../schemas/report.ts';
import type { SourceSymbol } from '../../ports/symbols.ts';
import { clashes, compareFunctions, type AddFinding } from './compare-functions.ts';
import { compareMembers } from './compare-members.ts';
import { baseProblem } from './exception-bases.ts';
import type { ExportCheck } from './types.ts';
import { finding } from '../finding.ts';

type Match = 'same' | 'unchecked' | 'wrong';

export function compareSymbols(
  declared: SourceSymbol,
  found: SourceSymbol,
  file: string,
  language: Language,
): ExportCheck {
  const findings: Finding[] = [];
  const exportName = declared.name;
  const addAt =
    (member: SourceSymbol | null): AddFinding =>
    (code, text) => {
      // A member that a class takes over from elsewhere has no line here.
      const line = member?.line ?? found.line;
      findings.push(finding(code, 'L0', text, { exportName, place: { file, line } }));
    };
  const add = addAt(null);
  const kind = matchKind(declared, found, language);
  if (kind === 'wrong') {
    const text = `"${exportName}" is a ${found.kind}; the contract declares a ${declared.kind}: ${declared.signature}`;
    add('export_kind', text);
    return { findings, warnings: [] };
  }
  if (kind === 'unchecked') {
    const text = `"${exportName}" is bound by an expression whose form the syntax does not show`;
    const place = { file, line: found.line };
    return { findings, warnings: [finding('export_unchecked', 'L0', text, { exportName, place })] };
  }
  switch (declared.kind) {
    case 'function':
      compareFunctions({ declared, found, language, label: exportName }, add);
      break;
    case 'class': {
      const base = baseProblem(declared, found, language);
      if (base !== null)
        add('export_kind', `"${exportName}" ${base}; the contract declares: ${declared.signature}`);
      compareMembers(declared, found, language, addAt);
      break;
    }
    case 'constant':
      if (clashes(declared.returns, found.returns, language, 'result'))
        add(
          'export_annotation',
          `"${exportName}" is ${found.returns ?? ''}; the contract says ${declared.returns ?? ''}`,
        );
      if (found.members.length > 0) compareMembers(declared, found, language, addAt);
      break;
    case 'type':
      if (found.members.length > 0) compareMembers(declared, found, language, addAt);
      break;
    case 'module':
    case 'opaque':
  }
  return { findings, warnings: [] };
}

/** Whether a definition of one kind can be what the declaration promises. */
function matchKind(declared: SourceSymbol, found: SourceSymbol, language: Language): Match {
  if (found.kind === 'opaque' || declared.kind === 'opaque') return 'unchecked';
  if (found.kind === declared.kind) return 'same';
  if (found.kind === 'module')
    return mayHoldFunction(declared.returns) && declared.kind === 'constant' ? 'unchecked' : 'wrong';
  switch (declared.kind) {
    case 'function':
      // A class is callable in Python; in JavaScript it is not without `new`.
      return found.kind === 'class' && language === 'python' ? 'unchecked' : 'wrong';
    case 'class':
      // A constructor function makes objects in JavaScript; Go and Rust name types by other means, too.
      if (language === 'go' || language === 'rust') return found.kind === 'type' ? 'unchecked' : 'wrong';
      return found.kind === 'function' && language !== 'python' ? 'unchecked' : 'wrong';
    case 'constant':
      return found.kind === 'class' || mayHoldFunction(declared.returns) ? 'unchecked' : 'wrong';
    case 'type':
      return found.kind === 'class' ? 'unchecked' : 'wrong';
    case 'module':
      return 'unchecked';
  }
}

function mayHoldFunction(annotation: string | null): boolean {
  return (
    annotation === null ||
    /Callable|=>|\bany\b|\bAny\b|\bunknown\b|\bobject\b|Protocol|Function|^[A-Z]\w*$/u.test(annotation)
  );
}
