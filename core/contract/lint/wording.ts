/** Sentences that no test can check, and sentences that say how instead of what. */
import { isVague } from '../concreteness.ts';
import type { LintFinding } from './finding.ts';
import type { Names } from './names.ts';

const FILLER =
  /\b(?:etc|and so on|and more|tbd|todo|fixme|as needed|as necessary|as required|appropriate(?:ly)?|various|stuff|things|works? as expected|does the right thing|user[- ]friendly|best practices?|state[- ]of[- ]the[- ]art|nicely|somehow|if possible|sensibl[ey]|reasonabl[ey]|gracefully|seamless(?:ly)?|nice|beautiful(?:ly)?|fancy|cool)\b/iu;
/** Words that promise nothing alone; beside a figure, a name or a value they do no harm. */
const PRAISE =
  /(?<!-)\b(?:correct(?:ly)?|proper(?:ly)?|efficient(?:ly)?|fast|quick(?:ly)?|robust(?:ly)?|reliabl[ey]|secure(?:ly)?|good|clean(?:ly)?|simple|intuitive|flexible|scalable|performant|well)\b(?!-)/iu;
const PRAISE_WORDS_MAX = 9;
const CONCRETE =
  /[`'"\d()<>=]|\b(?:raises?|returns?|else|never|always|every|each|only|unless|if|when|same|equal|empty|no|not|none|nothing|exactly|at (?:most|least)|None|True|False|null)\b|[A-Z][a-z]+Error/u;

const DEVICE =
  /(?:hash ?(?:map|table|set)s?|dict(?:ionar(?:y|ies))?s?|linked list|deque|heap(?:q)?|priority queue|trie|binary (?:search|tree)|b-?tree|regex(?:es|p)?|regular expressions?|recursion|(?:for|while|nested) loops?|loops?|list comprehensions?|comprehensions?|generators? expression|lru_cache|functools\.\w+|itertools\.\w+|collections\.\w+|re\.\w+|json\.\w+|memoi[sz]ation|dynamic programming|quick ?sort|merge ?sort|bubble ?sort|bit ?mask\w*|numpy|pandas|threads?|mutex(?:es)?|locks?|singleton|metaclass(?:es)?|decorators?|helper (?:functions?|methods?|class(?:es)?)|private (?:attributes?|fields?|methods?|members?|variables?)|global (?:variables?|state|dict)|class variables?|Map|Set|Array\.\w+|reduce|closures?|sql(?:ite)? (?:table|index)|two pointers|stack|queue|sorted\(\)|str\.\w+|split\(\)|switch statement|if[- ]statements?)/u;
const HOW = [
  new RegExp(
    `\\b(?:us(?:es?|ing|ed)|via|by means of|with the help of|built (?:on|with)|based on|implemented (?:with|as|by|using|in)|written (?:with|as|using)|(?:kept|stored|held|cached|saved|memoi[sz]ed) in|stores? (?:\\w+ ){0,4}in|keeps? (?:\\w+ ){0,4}in|backed by|through) (?:an? |the |one |two |some |internal |private |module-level |single |its own |own )*${DEVICE.source}\\b`,
    'iu',
  ),
  /\b(?:us(?:es?|ing)|via|with the help of) (?:the |an? )?(?:\w+ )+(?:module|library|package)\b(?! manager)/iu,
  new RegExp(`\\b${DEVICE.source}(?: algorithm)? (?:is|are) (?:used|employed|applied)\\b(?! up)`, 'iu'),
  /\b(?:implemented|written|coded) (?:recursively|iteratively)\b|\bis (?:recursive|implemented)\b|\bimplementation (?:must|should|uses|has|is)\b/iu,
  /\b(?:internally|under the hood|behind the scenes)\b/iu,
  /\bself\._\w+|\bthis\.[_#]\w+|`_\w+`|\b_[a-z]\w+ (?:attribute|field|method|dict|list)\b/u,
  /\b(?:memoi[sz](?:es|ed)|loops? (?:over|through)|iterates? (?:over|through)|recurs(?:es|ively calls)|calls? (?:an? )?(?:private|helper|internal))\b/iu,
];

export function lintWording(names: Names, at: readonly ['nodes', number]): LintFinding[] {
  const { node } = names;
  const { guarantees } = node.interface;
  const found = guarantees.flatMap((text, index): LintFinding[] => {
    const path = [...at, 'interface', 'guarantees', index];
    if (HOW.some((pattern) => pattern.test(text)))
      return [
        {
          code: 'prescribes_implementation',
          nodeId: node.id,
          path,
          message: `"${text}" says how the code is made, which no test of its behaviour can see`,
          suggestion: 'Say what a caller can observe, or leave the way to the builder',
        },
      ];
    return isEmptyPromise(text)
      ? [vague(node.id, path, text, 'promises nothing that a test could check')]
      : [];
  });
  return [...descriptionFindings(names, at), ...found];
}

function descriptionFindings({ node }: Names, at: readonly ['nodes', number]): LintFinding[] {
  const { raises, guarantees } = node.interface;
  const path = [...at, 'description'];
  const told = raises.length + guarantees.length + node.examples.length;
  const isLabelAlone = told === 0 && isVague({ ...node, interface: { ...node.interface, exports: [] } });
  if (isLabelAlone)
    return [
      vague(node.id, path, node.description, 'is a label, and nothing else tells what the code shall do'),
    ];
  const filler = FILLER.exec(node.description);
  if (filler === null) return [];
  return [vague(node.id, path, node.description, `leaves open what "${filler[0]}" means`)];
}

function isEmptyPromise(text: string): boolean {
  if (FILLER.test(text)) return true;
  if (!PRAISE.test(text) || text.split(/\s+/u).length > PRAISE_WORDS_MAX) return false;
  return !CONCRETE.test(text);
}

function vague(nodeId: string, path: readonly (string | number)[], text: string, what: string): LintFinding {
  return {
    code: 'vague',
    nodeId,
    path,
    message: `"${text}" ${what}`,
    suggestion:
      "Write a call and its result, such as: parse_money('12.30') gives 1230; anything else raises ValueError",
  };
}
