/**
 * L0: do the sources define what the contract declares? (design part 8, gate.md part 2.) Syntax only, so it fails what is
 * certain and lists what it cannot see: an honest form is never refused here.
 */
import type { ResolvedContract } from '../../../schemas/contract.ts';
import type { Finding } from '../../../schemas/report.ts';
import type { ModuleSymbols, SourceSymbol } from '../../ports/symbols.ts';
import { compareSymbols } from './compare-symbols.ts';
import { definitionOf, entryModule, mentionOf, type Entry } from './export-entry.ts';
import { finding } from '../finding.ts';
import { declaredExceptions } from './known-types.ts';
import type { ExportCheck, ExportCheckInput } from './types.ts';

export function checkExports(input: ExportCheckInput): ExportCheck {
  const broken = input.modules.filter((module) => module.errorLines.length > 0);
  if (broken.length > 0) return { findings: broken.map(unparsable), warnings: [] };
  const entry = entryModule(input);
  if (entry === null) {
    const findings = mayLackCode(input) ? [] : [entryMissing(input.contract)];
    return { findings, warnings: [] };
  }
  const results = wanted(input).map((declared) => checkOne(declared, entry, input));
  return {
    findings: results.flatMap((result) => result.findings),
    warnings: [...results.flatMap((result) => result.warnings), ...extraExports(input, entry)],
  };
}

/** A node of type `test` that exports nothing is its suite alone. */
function mayLackCode(input: ExportCheckInput): boolean {
  return input.contract.type === 'test' && wanted(input).length === 0;
}

/** A name that declarations need and code does not: what it is at run time says nothing. */
const TYPE_VARIABLE = /=\s*(?:\w+\.)?(?:TypeVar|TypeVarTuple|ParamSpec)\s*\(/u;

/** Declarations and exceptions that the contract makes; types only where the language keeps them. */
function wanted(input: ExportCheckInput): SourceSymbol[] {
  const { language } = input.contract;
  const isErased = language === 'python' || language === 'javascript';
  const declared = input.declared.filter(
    (entry) => !(isErased && (entry.kind === 'type' || TYPE_VARIABLE.test(entry.signature))),
  );
  // Go and Rust give errors back as values: what a contract calls a raise need not be a type.
  if (language === 'go' || language === 'rust') return declared;
  const names = new Set(declared.map((entry) => entry.name));
  const exceptions = declaredExceptions(input.contract).filter((name) => !names.has(name));
  return [...declared, ...exceptions.map((name) => exceptionSymbol(name, input.contract))];
}

function checkOne(declared: SourceSymbol, entry: Entry, input: ExportCheckInput): ExportCheck {
  const found = entry.exported.find((candidate) => candidate.symbol.name === declared.name);
  if (found === undefined) return missing(declared, entry, input);
  const { symbol, file } = definitionOf(found, entry, input);
  return compareSymbols(declared, symbol, file, input.contract.language);
}

function missing(declared: SourceSymbol, entry: Entry, input: ExportCheckInput): ExportCheck {
  const exportName = declared.name;
  const deleted = entry.deleted.find((candidate) => candidate.name === exportName);
  if (deleted !== undefined) {
    const place = { file: deleted.file, line: deleted.line };
    return failed(
      finding('export_deleted', 'L0', `"${exportName}" is defined and then deleted`, { exportName, place }),
    );
  }
  if (entry.openEnded) {
    const text = `"${exportName}" is not visible in the source; other means may bind it`;
    return listed(finding('export_unchecked', 'L0', text, { exportName }));
  }
  const mention = mentionOf(exportName, entry);
  const seen = mention === null ? '' : ` (the word in line ${mention.line} neither binds nor exports it)`;
  const text = `"${exportName}" is not defined in ${entry.file}${seen}; the contract declares: ${declared.signature}`;
  // An exception that a dependency defines may be imported, or only raised: the suite decides.
  const isOnlyRaised = !input.declared.some((candidate) => candidate.name === exportName);
  if (isOnlyRaised && input.contract.structural_deps.length > 0)
    return listed(finding('export_unchecked', 'L0', text, { exportName }));
  const place = mention ?? { file: entry.file, line: 1 };
  return failed(finding('export_missing', 'L0', text, { exportName, outcome: 'missing', place }));
}

function failed(found: Finding): ExportCheck {
  return { findings: [found], warnings: [] };
}

function listed(found: Finding): ExportCheck {
  return { findings: [], warnings: [found] };
}

function extraExports(input: ExportCheckInput, entry: Entry): Finding[] {
  const names = new Set([...wanted(input), ...input.declared].map((declared) => declared.name));
  return entry.exported
    .filter(
      ({ symbol: found }) =>
        !names.has(found.name) &&
        !found.name.startsWith('_') &&
        !found.decorators.includes('import') &&
        found.kind !== 'type',
    )
    .map(({ symbol: found, file }) =>
      finding('export_extra', 'L0', `"${found.name}" is not in the contract`, {
        exportName: found.name,
        place: { file, line: found.line },
      }),
    );
}

function unparsable(module: ModuleSymbols): Finding {
  const line = module.errorLines[0] ?? 1;
  return finding('source_unparsable', 'L0', `${module.file} does not parse from line ${line} on`, {
    place: { file: module.file, line },
  });
}

function entryMissing(contract: ResolvedContract): Finding {
  return finding(
    'entry_missing',
    'L0',
    `The node has no source file ${contract.contentFile}; other code imports it by: ${contract.importLine}`,
    {
      outcome: 'missing',
    },
  );
}

function exceptionSymbol(name: string, contract: ResolvedContract): SourceSymbol {
  const written = contract.interface.raises
    .map((entry) => (typeof entry === 'string' ? entry : entry.type))
    .find((text) => text.startsWith(`${name}(`));
  const base = /\(\s*([\w.]+)\s*\)/u.exec(written ?? '')?.[1];
  return {
    name,
    kind: 'class',
    line: 1,
    isAsync: false,
    params: null,
    returns: null,
    bases: base === undefined ? [] : [base],
    decorators: [],
    members: [],
    openMembers: true,
    access: null,
    settable: false,
    origin: null,
    mayReturnPromise: false,
    signature: `exception ${written ?? name}`,
  };
}
