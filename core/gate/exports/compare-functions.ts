/** Compares a declared callable with its definition: async, parameters, annotations. */
import type { Language } from '../../../schemas/ids.ts';
import type { FindingCode } from '../../../schemas/report.ts';
import type { SourceSymbol, SymbolParam } from '../../ports/symbols.ts';
import { annotationsClash } from './annotations.ts';
import { nativeTypesClash } from './native-types.ts';
import { arityProblem } from './params.ts';

export type AddFinding = (code: FindingCode, text: string) => void;

export interface Compared {
  readonly declared: SourceSymbol;
  readonly found: SourceSymbol;
  readonly language: Language;
  /** `parse` or `Money.add`. */
  readonly label: string;
}

/** Adds what is certainly different. Methods come without the parameter that the call itself fills (`self`, `cls`). */
export function compareFunctions({ declared, found, language, label }: Compared, add: AddFinding): void {
  const asyncProblem = asyncDifference(declared, found, language);
  if (asyncProblem !== null) add('export_async', `"${label}" ${asyncProblem}: ${declared.signature}`);
  const byProtocol = /^__(?!init__|new__|call__|post_init__)\w+__$/u.test(declared.name);
  // A method may need nothing of what its kind is given: one that others override, one of an empty object.
  const mayIgnore = label.includes('.') && declared.name !== 'constructor';
  const arity = arityProblem(asCalled(declared), found.params, { language, byProtocol, mayIgnore });
  if (arity !== null)
    add('export_arity', `"${label}" ${arity}; the contract declares: ${declared.signature}`);
  for (const [index, param] of (declared.params ?? []).entries()) {
    const other = sameParam(param, index, found.params ?? [], language);
    if (other !== undefined && clashes(param.annotation, other.annotation, language, 'argument'))
      add(
        'export_annotation',
        `"${label}" takes ${other.name} as ${other.annotation ?? ''}; the contract says ${param.annotation ?? ''}`,
      );
  }
  if (
    asyncProblem === null &&
    declared.isAsync === found.isAsync &&
    clashes(declared.returns, found.returns, language, 'result')
  )
    add(
      'export_annotation',
      `"${label}" is annotated to return ${found.returns ?? 'nothing'}; the contract says ${declared.returns ?? 'nothing'}`,
    );
}

/** Parameters as the language itself gives them: at the end of a `with` there are always three, also for `*exc`. */
function asCalled({ name, params }: SourceSymbol): SourceSymbol['params'] {
  if (params === null || !/^__a?exit__$/u.test(name)) return params;
  const isRest = (param: SymbolParam): boolean => param.kind === 'var_positional';
  const rest = params.find(isRest);
  if (rest === undefined) return params;
  const named = params.filter((param) => !isRest(param) && param.kind !== 'keyword_only');
  const given = Array.from({ length: Math.max(0, 3 - named.length) }, () => ({
    ...rest,
    kind: 'positional_only' as const,
    optional: false,
  }));
  return [...named, ...given];
}

/** Whether two annotations certainly contradict. */
export function clashes(
  declared: string | null,
  found: string | null,
  language: Language,
  position: 'result' | 'argument',
): boolean {
  return language === 'go' || language === 'rust'
    ? nativeTypesClash(declared, found, language)
    : annotationsClash(declared, found, position);
}

/** Python's by name; the others call by position. */
function sameParam(
  param: SymbolParam,
  index: number,
  found: readonly SymbolParam[],
  language: Language,
): SymbolParam | undefined {
  if (language === 'python') return found.find((candidate) => candidate.name === param.name);
  const other = found[index];
  return other?.kind === param.kind ? other : undefined;
}

const AWAITABLE =
  /\b(Promise|PromiseLike|Awaitable|Coroutine|Future|Task|AsyncIterator|AsyncIterable|AsyncGenerator)\b/u;

function asyncDifference(declared: SourceSymbol, found: SourceSymbol, language: Language): string | null {
  const declaresAwaitable = declared.isAsync || AWAITABLE.test(declared.returns ?? '');
  if (declared.isAsync && !found.isAsync && !found.mayReturnPromise && !AWAITABLE.test(found.returns ?? '')) {
    return 'is synchronous; the contract declares it asynchronous';
  }
  if (declaresAwaitable || !found.isAsync) return null;
  const isFree =
    declared.returns === null ? language !== 'rust' : /\b(any|Any|unknown|object)\b/u.test(declared.returns);
  return isFree ? null : 'is asynchronous; the contract declares it synchronous';
}
