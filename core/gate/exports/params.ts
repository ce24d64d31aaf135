/** Whether every call that a declaration allows is accepted by a definition. */
import type { Language } from '../../../schemas/ids.ts';
import type { SymbolParam } from '../../ports/symbols.ts';

type Params = readonly SymbolParam[];

/** How a callable is called. `by_protocol`: the language calls it by position alone (`__eq__`), so names are free. */
export interface CallForm {
  readonly language: Language;
  readonly byProtocol?: boolean;
  /** Where a language calls with more arguments than are taken: not all need be taken. */
  readonly mayIgnore?: boolean;
}

/** What is certainly wrong with the definition's parameters, or null. Unknown parameters are not judged. */
export function arityProblem(declared: Params | null, found: Params | null, form: CallForm): string | null {
  if (declared === null || found === null) return null;
  switch (form.language) {
    case 'python':
      return pythonProblem(declared.map(positionalByName), found.map(positionalByName), form);
    case 'javascript':
    case 'typescript':
      return ecmaProblem(declared, found, form);
    case 'go':
    case 'rust':
      return exactProblem(declared, found);
  }
}

function pythonProblem(declared: Params, found: Params, form: CallForm): string | null {
  const takesAny = found.some((param) => param.kind === 'var_positional');
  const takesAnyKeyword = found.some((param) => param.kind === 'var_keyword');
  const positional = found.filter(isPositional);
  const wanted = declared.filter(isPositional);
  if (wanted.length > positional.length && !takesAny) return `takes ${count(positional.length)}`;
  const byName = form.byProtocol === true ? null : nameProblem(wanted, positional, found);
  if (byName !== null) return byName;
  const late = wanted.findIndex((param, index) => param.optional && positional[index]?.optional === false);
  if (late !== -1) return `requires "${positional[late]?.name ?? ''}", which is optional`;
  const keywords = declared.filter((param) => param.kind === 'keyword_only');
  const required = new Set(keywords.filter((param) => !param.optional).map((param) => param.name));
  const surplus = positional
    .slice(wanted.length)
    .find((param) => !param.optional && !required.has(param.name));
  if (surplus !== undefined) return `also requires "${surplus.name}"`;
  for (const param of keywords) {
    const other = found.find((each) => each.name === param.name && isNamed(each));
    if (other === undefined && !takesAnyKeyword) return `does not take "${param.name}" by name`;
    if (param.optional && other?.optional === false) return `requires "${param.name}", which is optional`;
  }
  const extra = found.find(
    (param) => param.kind === 'keyword_only' && !param.optional && !required.has(param.name),
  );
  if (extra !== undefined) return `also requires "${extra.name}"`;
  if (declared.some((param) => param.kind === 'var_positional') && !takesAny)
    return 'takes no further positional arguments';
  if (declared.some((param) => param.kind === 'var_keyword') && !takesAnyKeyword)
    return 'takes no further keyword arguments';
  return null;
}

/** A caller may name each argument that is not positional-only: the same name must stand at the same place. */
function nameProblem(wanted: Params, positional: Params, found: Params): string | null {
  const takesAnyKeyword = found.some((param) => param.kind === 'var_keyword');
  for (const [index, param] of wanted.entries()) {
    if (param.kind === 'positional_only') continue;
    const other = positional[index];
    if (other === undefined) {
      if (!takesAnyKeyword && !found.some((each) => each.name === param.name && isNamed(each)))
        return `does not take "${param.name}" by name`;
    } else if (other.name !== param.name) {
      if (!(takesAnyKeyword && other.optional))
        return `names parameter ${index + 1} "${other.name}", not "${param.name}"`;
    } else if (other.kind === 'positional_only' && !takesAnyKeyword)
      return `does not take "${param.name}" by name`;
  }
  return null;
}

/**
 * JavaScript calls with any number of arguments: certain is only that a required parameter is not taken at all. Code need
 * not take what callers may leave out; whether that matters, the suite tells.
 */
function ecmaProblem(declared: Params, found: Params, { language, mayIgnore }: CallForm): string | null {
  const takesAny = found.some((param) => param.kind === 'var_positional');
  const required = declared.filter((param) => !param.optional).length;
  if (mayIgnore !== true && !takesAny && found.length < required) return `takes ${count(found.length)}`;
  if (language !== 'typescript' || declared.some((param) => param.kind === 'var_positional')) return null;
  const demanded = found.filter((param) => !param.optional).length;
  if (demanded > declared.length) return `requires ${count(demanded)}`;
  const late = declared.findIndex((param, index) => {
    const other = found[index];
    return (
      param.optional &&
      other?.optional === false &&
      !/undefined|any|unknown|void|null/u.test(other.annotation ?? 'any')
    );
  });
  return late === -1 ? null : `requires "${found[late]?.name ?? ''}", which is optional`;
}

/** Go and Rust are compiled: the number of arguments is exact. */
function exactProblem(declared: Params, found: Params): string | null {
  const isVariadic = (params: Params): boolean => params.some((param) => param.kind === 'var_positional');
  if (declared.length !== found.length) return `takes ${count(found.length)}`;
  if (isVariadic(declared) === isVariadic(found)) return null;
  return isVariadic(declared) ? 'takes no further arguments' : 'takes any number of arguments';
}

/** `__x` without a closing `__` is the old way to write a positional-only parameter. */
function positionalByName(param: SymbolParam): SymbolParam {
  const isOld = param.kind === 'positional' && /^__\w*[^_]$/u.test(param.name);
  return isOld ? { ...param, kind: 'positional_only' } : param;
}

function isPositional(param: SymbolParam): boolean {
  return param.kind === 'positional' || param.kind === 'positional_only';
}

function isNamed(param: SymbolParam): boolean {
  return param.kind === 'positional' || param.kind === 'keyword_only';
}

function count(parameters: number): string {
  return parameters === 1 ? '1 parameter' : `${parameters} parameters`;
}
