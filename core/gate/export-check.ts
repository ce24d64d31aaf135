/**
 * L0: do the sources define what the contract declares? (design part 8, gate.md part 2.) Syntax only, so it fails what is
 * certain and lists what it cannot see: an honest form is never refused here.
 */
import type { ResolvedContract } from '../../schemas/contract.ts';
import type { Finding } from '../../schemas/report.ts';
import type { ModuleSymbols, SourceSymbol } from '../ports/symbols.ts';
import { compareSymbols } from './compare-symbols.ts';
import { finding } from './finding.ts';
import { declaredExceptions } from './known-types.ts';

export interface ExportCheckInput {
  readonly contract: ResolvedContract;
  /** Symbols of all declarations. */
  readonly declared: readonly SourceSymbol[];
  /** Every source file of the node that was read. */
  readonly modules: readonly ModuleSymbols[];
  /** The file that other code imports; null when the node has none. */
  readonly entryFile: string | null;
}

export interface ExportCheck {
  readonly findings: Finding[];
  /** Extra exports and what the syntax could not show. */
  readonly warnings: Finding[];
}

export function checkExports(input: ExportCheckInput): ExportCheck {
  const broken = input.modules.filter((module) => module.errorLines.length > 0);
  if (broken.length > 0) return { findings: broken.map(unparsable), warnings: [] };
  const entry = input.modules.find((module) => module.file === input.entryFile);
  if (entry === undefined) {
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

/** Declarations and exceptions that the contract makes; types only where the language keeps them. */
function wanted(input: ExportCheckInput): SourceSymbol[] {
  const declared = input.declared.filter(
    (entry) => entry.kind !== 'type' || input.contract.language === 'typescript',
  );
  const names = new Set(declared.map((entry) => entry.name));
  const exceptions = declaredExceptions(input.contract).filter((name) => !names.has(name));
  return [...declared, ...exceptions.map(exceptionSymbol)];
}

function checkOne(declared: SourceSymbol, entry: ModuleSymbols, input: ExportCheckInput): ExportCheck {
  const found = resolved(
    entry.exported.find((candidate) => candidate.name === declared.name),
    input,
  );
  if (found === undefined) return missing(declared, entry, input);
  return compareSymbols(declared, found.symbol, found.file, input.contract.language);
}

/** A name that the entry takes over from another file of the node is judged there. */
function resolved(
  found: SourceSymbol | undefined,
  input: ExportCheckInput,
): { readonly symbol: SourceSymbol; readonly file: string } | undefined {
  if (found === undefined) return undefined;
  const file = input.entryFile ?? '';
  if (!found.decorators.includes('import')) return { symbol: found, file };
  const holders = input.modules.filter((module) => module.file !== file);
  const definitions = holders.flatMap((module) =>
    module.exported
      .filter((candidate) => candidate.name === found.name && !candidate.decorators.includes('import'))
      .map((symbol) => ({ symbol, file: module.file })),
  );
  const only = definitions[0];
  return definitions.length === 1 && only !== undefined ? only : { symbol: found, file };
}

function missing(declared: SourceSymbol, entry: ModuleSymbols, input: ExportCheckInput): ExportCheck {
  const deleted = entry.deleted.find((candidate) => candidate.name === declared.name);
  const exportName = declared.name;
  if (deleted !== undefined) {
    const place = { file: entry.file, line: deleted.line };
    return {
      findings: [
        finding('export_deleted', 'L0', `"${exportName}" is defined and then deleted`, { exportName, place }),
      ],
      warnings: [],
    };
  }
  if (entry.openEnded) {
    const text = `"${exportName}" is not visible in the source; other means may bind it`;
    return { findings: [], warnings: [finding('export_unchecked', 'L0', text, { exportName })] };
  }
  // An exception that a dependency defines may be imported, or only raised: the suite decides.
  const isOnlyRaised = !input.declared.some((candidate) => candidate.name === exportName);
  const text = `"${exportName}" is not defined in ${entry.file}; the contract declares: ${declared.signature}`;
  if (isOnlyRaised && input.contract.structural_deps.length > 0) {
    return { findings: [], warnings: [finding('export_unchecked', 'L0', text, { exportName })] };
  }
  return {
    findings: [finding('export_missing', 'L0', text, { exportName, outcome: 'missing' })],
    warnings: [],
  };
}

function extraExports(input: ExportCheckInput, entry: ModuleSymbols): Finding[] {
  const names = new Set(wanted(input).map((declared) => declared.name));
  return entry.exported
    .filter(
      (found) =>
        !names.has(found.name) &&
        !found.name.startsWith('_') &&
        !found.decorators.includes('import') &&
        found.kind !== 'type',
    )
    .map((found) =>
      finding('export_extra', 'L0', `"${found.name}" is not in the contract`, {
        exportName: found.name,
        place: { file: entry.file, line: found.line },
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

function exceptionSymbol(name: string): SourceSymbol {
  return {
    name,
    kind: 'class',
    line: 1,
    isAsync: false,
    params: null,
    returns: null,
    bases: [],
    decorators: [],
    members: [],
    openMembers: true,
    mayReturnPromise: false,
    signature: `exception ${name}`,
  };
}
