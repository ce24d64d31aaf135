/** Errors that a contract names and nobody defines: a suite cannot import them, and a builder makes a second class of the name. */
import { raiseName } from '../../gate/suite/clauses.ts';
import { builtinExceptions } from '../../gate/exports/known-types.ts';
import { nearestWord } from '../../text/nearest.ts';
import type { LintFinding } from './finding.ts';
import { type Names, definedErrors, exportWords, isKnownElsewhere } from './names.ts';

const ERROR_NAME = /\b[A-Z][A-Za-z0-9]*(?:Error|Exception)\b/gu;

export function lintRaises(names: Names, at: readonly ['nodes', number]): LintFinding[] {
  const { node } = names;
  const listed = node.interface.raises.flatMap((entry, index) => {
    const text = typeof entry === 'string' ? entry : entry.type;
    const base = /\(([\w.]+)\)/u.exec(text)?.[1] ?? null;
    const path = [...at, 'interface', 'raises', index];
    const wanted = base === null ? raiseName(entry) : base;
    return undefinedName(names, wanted, path, base === null ? 'listed' : 'base');
  });
  const own = new Set([...node.interface.raises.map(raiseName), ...exportWords(node)]);
  const told = node.interface.guarantees.flatMap((text, index) =>
    [...new Set(text.match(ERROR_NAME) ?? [])]
      .filter((name) => !own.has(name))
      .flatMap((name) => undefinedName(names, name, [...at, 'interface', 'guarantees', index], 'told')),
  );
  return [...listed, ...told];
}

function undefinedName(
  names: Names,
  name: string,
  path: readonly (string | number)[],
  how: 'listed' | 'base' | 'told',
): LintFinding[] {
  const { node, all, reachable } = names;
  if (isKnownElsewhere(node, name) || reachable.some((each) => definedErrors(each).includes(name))) return [];
  if (how !== 'listed' && definedErrors(node).includes(name)) return [];
  const isOwn =
    how === 'listed' && node.interface.exports.some((text) => new RegExp(`class ${name}\\b`, 'u').test(text));
  if (isOwn) return [];
  const others = all.filter((each) => each !== node && !reachable.includes(each));
  const definer = others.find((each) => definesFirst(each, node, name, all));
  const near = nearestError(name, [
    ...reachable.flatMap(definedErrors),
    ...(definer === undefined ? others.flatMap(definedErrors) : []),
    ...builtinExceptions(node.language),
  ]);
  const home = [...reachable, ...others].find((each) => near !== null && definedErrors(each).includes(near));
  // A plain name that nothing resembles is the node's own error.
  if (how === 'listed' && definer === undefined && near === null) return [];
  const suggestion =
    definer !== undefined
      ? `Did you mean ${name} of ${definer.id}? Then add "${definer.id}" to structural_deps; an error of its own is written "${name}(Exception)"`
      : near !== null
        ? `Did you mean ${near}${home === undefined ? '' : ` of ${home.id}`}?`
        : `List it in interface.raises, as "${name}" or "${name}(ValueError)"`;
  return [
    {
      code: 'undefined_raise',
      nodeId: node.id,
      path,
      message: `"${name}" is ${how === 'base' ? 'the base of an error' : 'raised'} and nobody whom ${node.id} depends on defines it`,
      suggestion,
    },
  ];
}

/** Names of errors share their ending, which says nothing about likeness: `CycleError` is no slip of `KeyError`. */
function nearestError(name: string, words: readonly string[]): string | null {
  const ending = /(?:Error|Exception)$/u.exec(name)?.[0] ?? '';
  const alike = words.filter((word) => word !== name && word.endsWith(ending));
  const stem = (word: string): string => word.slice(0, word.length - ending.length);
  const near = nearestWord(stem(name), alike.map(stem));
  return near === null ? null : `${near}${ending}`;
}

/** Two nodes may list one plain name: whoever declares it with a base or a class, else the first, is its home. */
function definesFirst(other: Names['node'], node: Names['node'], name: string, all: Names['all']): boolean {
  if (!definedErrors(other).includes(name)) return false;
  const isPlain = other.interface.raises.some(
    (entry) => (typeof entry === 'string' ? entry : entry.type) === name,
  );
  return !isPlain || all.indexOf(other) < all.indexOf(node);
}
