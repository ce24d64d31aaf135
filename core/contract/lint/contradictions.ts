/** Guarantees that the declarations of the same node deny: no code can keep both. */
import type { ResolvedContract } from '../../../schemas/contract.ts';
import { nearestWord } from '../../text/nearest.ts';
import { declaredName } from '../declaration.ts';
import { canBe, closingAt, resultType } from '../example-types.ts';
import type { LintFinding } from './finding.ts';
import { type Names, exportWords } from './names.ts';

type Value = Parameters<typeof canBe>[1];

/** Words for results, and a value of that kind. */
const KINDS: readonly (readonly [RegExp, Value])[] = [
  [/^(?:None|nothing|null|undefined)\b/u, null],
  [/^a (?:\w+ )?number\b/iu, 1],
  [/^(?:True|False|true|false|a bool(?:ean)?)\b/u, true],
  [/^(?:an? |the )?(?:\w+ )?(?:int(?:eger)?|count|whole number)\b/iu, 1],
  [/^(?:an? |the )?(?:empty |new |sorted )*(?:list|array)\b/iu, []],
  [/^(?:an? |the )?(?:empty |new )*(?:dict(?:ionary)?|mapping)\b/iu, {}],
  [/^(?:an? |the )?(?:empty |new )*(?:str(?:ing)?|text)\b/iu, 'x'],
];
const COUNTS: Readonly<Record<string, number>> = { no: 0, one: 1, two: 2, three: 3, four: 4 };

export function lintContradictions(names: Names, at: readonly ['nodes', number]): LintFinding[] {
  const { node } = names;
  if (node.interface.exports.length === 0) return [];
  return node.interface.guarantees.flatMap((text, index) => {
    const reason =
      deniedResult(node, text) ??
      deniedRaise(node, text) ??
      deniedShape(node, text) ??
      unknownName(names, text);
    return reason === null
      ? []
      : [
          {
            code: 'guarantee_contradicts' as const,
            nodeId: node.id,
            path: [...at, 'interface', 'guarantees', index],
            message: `"${text}": ${reason}`,
            suggestion: 'Correct the guarantee or the declaration: no code can keep both',
          },
        ];
  });
}

/** The function that a sentence is about: the one it names, or the only one. */
function subjectOf({ language, interface: { exports } }: ResolvedContract, text: string): string | null {
  const functions = exports.filter((each) => declaredName(language, each)?.kind === 'function');
  const named = functions.filter((each) =>
    new RegExp(`\\b${declaredName(language, each)?.name ?? ''}\\b`, 'u').test(text),
  );
  if (named.length === 1) return named[0] ?? null;
  return named.length === 0 && functions.length === 1 && exports.length === 1 ? (functions[0] ?? null) : null;
}

function deniedResult(node: ResolvedContract, text: string): string | null {
  const subject = subjectOf(node, text);
  const type = subject === null ? null : resultType(node.language, subject);
  // A sentence about an iterator is about what it yields.
  if (type === null || /(?:Iterator|Iterable|Generator)\b/u.test(type)) return null;
  const said = /\b(?:returns?|gives?|yields?|resolves (?:to|with)|the result is|is) (.+)$/iu.exec(text);
  const isOfResult =
    said !== null && /^\W*(?:returns?|gives?|yields?|resolves|the result is)\b/iu.test(said[0]);
  if (said === null || !isOfResult) return null;
  const kind = KINDS.find(([pattern]) => pattern.test(said[1] ?? ''));
  if (kind === undefined || canBe(type, kind[1])) return null;
  return `the declaration returns ${type}`;
}

function deniedRaise({ interface: { raises } }: ResolvedContract, text: string): string | null {
  if (raises.length === 0) return null;
  const isNever =
    /\b(?:never raises|raises nothing|does not raise|raises no (?:errors?|exceptions?)|never throws|never rejects|throws nothing|does not throw)\b/iu.exec(
      text,
    );
  if (isNever === null) return null;
  const rest = text.slice(isNever.index + isNever[0].length);
  const isConditional =
    /\b(?:if|when|for|on|unless|while|once|after|where)\b/iu.test(text) || /^\s+[A-Z]\w*Error/u.test(rest);
  return isConditional ? null : 'and yet "raises" lists an error';
}

function deniedShape(node: ResolvedContract, text: string): string | null {
  const subject = subjectOf(node, text);
  const awaited = subject === null ? null : deniedAwait(subject, text);
  if (awaited !== null) return awaited;
  const count = /\btakes (no|one|two|three|four) (?:positional )?arguments?\b/iu
    .exec(text)?.[1]
    ?.toLowerCase();
  const takes = subject === null ? null : parameterCount(subject);
  if (count !== undefined && takes !== null && takes !== COUNTS[count])
    return `the declaration takes ${String(takes)}`;
  const classes = node.interface.exports.filter((each) => /\bclass\b/u.test(each));
  const isFrozenSaid = /\b(?:immutable|frozen|hashable and cannot be changed|cannot be changed)\b/iu.test(
    text,
  );
  const [only] = classes;
  if (
    isFrozenSaid &&
    classes.length === 1 &&
    only !== undefined &&
    /@(?:dataclasses\.)?dataclass\b(?!\([^)]*frozen=True)/u.test(only)
  )
    return 'the declared data class is not frozen';
  return null;
}

/** Awaited by the declaration and not by the sentence, or the reverse. */
function deniedAwait(subject: string, text: string): string | null {
  const isAsync =
    /^\s*(?:export\s+)?async\b/u.test(subject) ||
    /\)\s*(?:->|:)\s*(?:Awaitable|Coroutine|Promise)\b/u.test(subject);
  if (/\b(?:is a coroutine|must be awaited|is async(?:hronous)?|is awaitable)\b/iu.test(text))
    return isAsync ? null : 'the declaration is no coroutine';
  return isAsync && /\b(?:is (?:a )?synchronous|need not be awaited|is not async(?:hronous)?)\b/iu.test(text)
    ? 'the declaration has to be awaited'
    : null;
}

/** Null where a star or a default makes the number open. */
function parameterCount(declaration: string): number | null {
  const open = declaration.indexOf('(');
  const inside = declaration.slice(open + 1, closingAt(declaration, open));
  if (inside.includes('*') || inside.includes('=') || inside.includes('...')) return null;
  const flat = inside.replace(/[[({<][^\])}>]*[\])}>]/gu, '');
  return flat.trim() === '' ? 0 : flat.split(',').length;
}

/** `` `totl()` `` or `totl(…)`, where exports, parameters, dependencies and examples know no such word. */
function unknownName({ node, reachable }: Names, text: string): string | null {
  const words = [...text.matchAll(/`([A-Za-z_]\w*)\([^`]*\)`|(?<![\w.'"])([a-z_]\w*)\(/gu)].map(
    (match) => match[1] ?? match[2] ?? '',
  );
  const known = new Set([node, ...reachable].flatMap((each) => [...exportWords(each)]));
  const calls = new Set(node.examples.flatMap((each) => each.call.match(/[A-Za-z_]\w*/gu) ?? []));
  const imported = node.interface.imports.join(' ');
  const wrong = words.find(
    (word) => !known.has(word) && !calls.has(word) && !BUILTIN.has(word) && !imported.includes(word),
  );
  if (wrong === undefined) return null;
  const near = nearestWord(wrong, [...known]);
  return `no export is called ${wrong}${near === null ? '' : `; did you mean ${near}?`}`;
}

const BUILTIN = new Set(
  'len str int float bool list dict set tuple repr hash iter next sorted reversed min max sum abs round print range isinstance type id bytes open format map filter zip any all enumerate await raise super String Number JSON parse stringify'.split(
    ' ',
  ),
);
