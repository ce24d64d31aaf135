/** Whether every call that a declaration allows is accepted by a definition. */
import type { Language } from '../../schemas/ids.ts';
import type { SymbolParam } from '../ports/symbols.ts';

type Params = readonly SymbolParam[] | null;

/** What is certainly wrong with the definition's parameters, or null. Unknown parameters are not judged. */
export function arityProblem(declared: Params, found: Params, language: Language): string | null {
  if (declared === null || found === null) return null;
  return language === 'python' ? pythonProblem(declared, found) : ecmaProblem(declared, found, language);
}

function pythonProblem(declared: readonly SymbolParam[], found: readonly SymbolParam[]): string | null {
  const takesAny = found.some((param) => param.kind === 'var_positional');
  const takesAnyKeyword = found.some((param) => param.kind === 'var_keyword');
  const positional = found.filter(isPositional);
  const wanted = declared.filter(isPositional);
  if (wanted.length > positional.length && !takesAny) return `takes ${count(positional.length)}`;
  const late = wanted.findIndex((param, index) => param.optional && positional[index]?.optional === false);
  if (late !== -1) return `requires "${positional[late]?.name ?? ''}", which is optional`;
  const surplus = positional.slice(wanted.length).find((param) => !param.optional);
  if (surplus !== undefined && !declared.some((param) => param.name === surplus.name))
    return `also requires "${surplus.name}"`;
  const keywords = declared.filter((param) => param.kind === 'keyword_only');
  const lost = keywords.find(
    (param) => !takesAnyKeyword && !found.some((other) => other.name === param.name),
  );
  if (lost !== undefined) return `does not take "${lost.name}"`;
  const extra = found.find(
    (param) =>
      param.kind === 'keyword_only' &&
      !param.optional &&
      !declared.some((other) => other.name === param.name),
  );
  if (extra !== undefined) return `also requires "${extra.name}"`;
  if (declared.some((param) => param.kind === 'var_positional') && !takesAny)
    return 'takes no further positional arguments';
  if (declared.some((param) => param.kind === 'var_keyword') && !takesAnyKeyword)
    return 'takes no further keyword arguments';
  return null;
}

/** JavaScript calls with any number of arguments: only a parameter that is not taken at all is certain. */
function ecmaProblem(
  declared: readonly SymbolParam[],
  found: readonly SymbolParam[],
  language: Language,
): string | null {
  if (found.some((param) => param.kind === 'var_positional')) return null;
  const required = declared.filter((param) => !param.optional).length;
  if (found.length < required) return `takes ${count(found.length)}`;
  const demanded = found.filter((param) => !param.optional).length;
  const isOpen = declared.some((param) => param.kind === 'var_positional');
  if (language === 'typescript' && demanded > declared.length && !isOpen)
    return `requires ${count(demanded)}`;
  return null;
}

function isPositional(param: SymbolParam): boolean {
  return param.kind === 'positional' || param.kind === 'positional_only';
}

function count(parameters: number): string {
  return parameters === 1 ? '1 parameter' : `${parameters} parameters`;
}
