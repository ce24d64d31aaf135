/** Cases of the export check, read from text files: a contract's declarations, a source, and what must be found. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { createSymbols } from '../../adapters/symbols/symbols.ts';
import { checkExports } from '../../core/gate/exports/export-check.ts';
import type { Language } from '../../schemas/ids.ts';
import { gateContract } from '../support/gate-contract.ts';

export const symbols = createSymbols();

export interface SymbolCase {
  readonly kind: 'honest' | 'wrong';
  readonly name: string;
  /** `code@line` of each finding, joined by commas; empty for honest cases. */
  readonly expected: string;
  readonly declared: readonly string[];
  readonly source: string;
}

const FILES: Readonly<Record<Language, string>> = {
  python: 'shop/price.py',
  javascript: 'shop/price.js',
  typescript: 'shop/price.ts',
  go: 'shop/price/price.go',
  rust: 'src/shop/price.rs',
};

/** Cases of `test/symbols/cases/<language>.txt`. */
export function symbolCases(language: Language): SymbolCase[] {
  const text = readFileSync(resolve('test/symbols/cases', `${language}.txt`), 'utf8');
  return text
    .split(/^== /mu)
    .slice(1)
    .map((part) => {
      const end = part.indexOf('\n');
      const [, kind, name = '', expected = ''] =
        /^(honest|wrong): (.*?)(?: -> (.*))?$/u.exec(part.slice(0, end)) ?? [];
      const [head = '', ...source] = part.slice(end + 1).split(/^source:\n/mu);
      const declared = head.split(/^contract: /mu).slice(1);
      if ((kind !== 'honest' && kind !== 'wrong') || declared.length === 0 || source.length !== 1)
        throw new Error(
          `Cannot read case "${part.slice(0, end)}" of ${language}: it needs a head, contracts and one source`,
        );
      return {
        kind,
        name,
        expected,
        declared: declared.map((entry) => entry.trim()),
        source: source.join(''),
      };
    });
}

/** What the check finds: `code@line` of findings, `code:export` of warnings. */
export function check(
  language: Language,
  declared: readonly string[],
  source: string,
  raises: readonly string[] = [],
): { readonly findings: readonly string[]; readonly warnings: readonly string[] } {
  const file = FILES[language];
  const contract = gateContract({
    id: 'shop.price',
    language,
    contentFile: file,
    interface: {
      exports: [...declared],
      imports: [],
      raises: [...raises],
      guarantees: [],
      assumptions: [],
      inert: [],
    },
  });
  const read = declared.map((text) => {
    const found = symbols.declaration(language, text);
    if (found === null) throw new Error(`Cannot read the declaration: ${text}`);
    return found;
  });
  const result = checkExports({
    contract,
    declared: read.flat(),
    modules: [symbols.module(language, file, source)],
    entryFile: file,
  });
  return {
    findings: result.findings.map((found) => `${found.code}@${found.place?.line ?? 0}`),
    warnings: result.warnings.map((found) => `${found.code}:${found.exportName ?? ''}`),
  };
}

const WallHead = z.looseObject({ exports: z.array(z.string()), raises: z.array(z.string()).default([]) });

/** Declarations and code of `test/wall/honest`. */
export function wallCases() {
  const folder = resolve('test/wall/honest');
  return readdirSync(folder)
    .filter((name) => name.endsWith('.txt'))
    .map((name) => {
      const [head = '', rest = ''] = readFileSync(join(folder, name), 'utf8').split('--- code\n');
      const [code = ''] = rest.split('--- suite\n');
      return { name, ...WallHead.parse(JSON.parse(head)), code };
    });
}
