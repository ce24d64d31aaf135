/** Assumptions that hang in the air: about nodes, functions and variables that the contract does not lead to. */
import { nearestWord } from '../../text/nearest.ts';
import type { LintFinding } from './finding.ts';
import { type Names, exportWords } from './names.ts';

/** Endings that make a dotted word a file and no node. */
const FILE = /\.(?:py|js|ts|mjs|go|rs|json|toml|ya?ml|txt|md|csv|ini|cfg|sql|sh|html|xml|lock|log)$/u;

export function lintAssumptions(names: Names, at: readonly ['nodes', number]): LintFinding[] {
  const { node } = names;
  const told = node.interface.assumptions.flatMap((text, index) => {
    const path = [...at, 'interface', 'assumptions', index];
    const [first] = [...nodeWords(names, text), ...callWords(names, text), ...variableWords(names, text)];
    return first === undefined ? [] : [finding(names, path, first)];
  });
  const silent = node.assumption_deps.flatMap((id, index) => {
    const other = names.all.find((each) => each.id === id);
    if (other === undefined) return [];
    const { exports, guarantees, raises } = other.interface;
    if (exports.length + guarantees.length + raises.length + other.examples.length > 0) return [];
    return [
      finding(names, [...at, 'assumption_deps', index], {
        message: `${node.id} relies on ${id}, whose contract promises nothing`,
        suggestion: `Write what is relied on as a guarantee of ${id}`,
      }),
    ];
  });
  return [...told, ...silent];
}

interface Dangling {
  readonly message: string;
  readonly suggestion: string;
}

function finding(
  names: Names,
  path: readonly (string | number)[],
  { message, suggestion }: Dangling,
): LintFinding {
  return { code: 'dangling_assumption', nodeId: names.node.id, path, message, suggestion };
}

/** `price.money` in a sentence. */
function nodeWords({ node, all, reachable }: Names, text: string): Dangling[] {
  const heads = new Set(all.map((each) => each.id.split('.')[0] ?? ''));
  const words = text.match(/\b[a-z_]\w*(?:\.[a-z_]\w*)+\b/gu) ?? [];
  return words.flatMap((word) => {
    if (FILE.test(word) || !heads.has(word.split('.')[0] ?? '')) return [];
    const known = all.find((each) => word === each.id || word.startsWith(`${each.id}.`));
    if (known === node || (known !== undefined && reachable.includes(known))) return [];
    if (known !== undefined)
      return [
        {
          message: `the assumption is about ${known.id}, on which ${node.id} does not depend`,
          suggestion: `Add "${known.id}" to assumption_deps`,
        },
      ];
    const near = nearestWord(
      word,
      all.map((each) => each.id),
    );
    return [
      {
        message: `the assumption is about "${word}", and there is no such node`,
        suggestion:
          near === null ? 'Name a node of this file, or leave the name out' : `Did you mean ${near}?`,
      },
    ];
  });
}

/** `load_user()` or `` `load_user` `` in a sentence. */
function callWords({ node, all, reachable }: Names, text: string): Dangling[] {
  const words = [...text.matchAll(/`([A-Za-z_]\w*)(?:\(\))?`|(?<![\w.])([a-z_]\w*)\(/gu)].map(
    (match) => match[1] ?? match[2] ?? '',
  );
  return words.flatMap((word) => {
    if ([node, ...reachable].some((each) => exportWords(each).has(word) || describes(each, word))) return [];
    const home = all.find((each) => exportWords(each).has(word));
    if (home !== undefined)
      return [
        {
          message: `the assumption is about ${word} of ${home.id}, on which ${node.id} does not depend`,
          suggestion: `Add "${home.id}" to assumption_deps`,
        },
      ];
    if (isOutside(node, word)) return [];
    const near = nearestWord(
      word,
      [node, ...reachable].flatMap((each) => [...exportWords(each)]),
    );
    return [
      {
        message: `the assumption is about "${word}", which nobody here defines`,
        suggestion:
          near === null ? 'Name what a node exports, or say it without the name' : `Did you mean ${near}?`,
      },
    ];
  });
}

/** A node without exports tells its functions in its description. */
function describes(node: Names['node'], word: string): boolean {
  return new RegExp(`\\b${word}\\b`, 'u').test([node.description, ...node.interface.guarantees].join(' '));
}

function isOutside(node: Names['node'], word: string): boolean {
  return node.interface.imports.some((line) => new RegExp(`\\b${word}\\b`, 'u').test(line));
}

/** `JWT_SECRET`: the gate sets what `environment.variables` lists and nothing else. */
function variableWords({ node, reachable }: Names, text: string): Dangling[] {
  if (!/\b(?:env(?:ironment)?|variable|set)\b/iu.test(text)) return [];
  const words = text.match(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/gu) ?? [];
  return words.flatMap((word) => {
    const isKnown =
      word in node.environment.variables || [node, ...reachable].some((each) => exportWords(each).has(word));
    return isKnown
      ? []
      : [
          {
            message: `the assumption is about the variable ${word}, which the gate does not set`,
            suggestion: `Add it to environment.variables of the node: ${word}: "a value for tests"`,
          },
        ];
  });
}
