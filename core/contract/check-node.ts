/** Faults of one node that need no other node: name, shape of glue, examples, pins, and whether it can be tested at all. */
import type { ContractNode, Project } from '../../schemas/contract.ts';
import type { Language } from '../../schemas/ids.ts';
import { nearestWord } from '../text/nearest.ts';
import { isVague } from './concreteness.ts';
import { callProblem, declaredName, declaredNames } from './declaration.ts';
import { contentFileOf, defaultLayout, modulePathOf } from './layout.ts';
import { contractProblem, type ContractProblem } from './problem.ts';
import { checkPins } from './pins.ts';
import { reservedProblem } from './reserved-names.ts';

/** Problems of the node at `nodes[index]`. */
export function checkNode(
  node: ContractNode,
  index: number,
  { language, source_root: sourceRoot }: Pick<Project, 'language' | 'source_root'>,
): ContractProblem[] {
  const subject = `Cannot use node "${node.id}"`;
  const at = ['nodes', index] as const;
  return [
    ...checkModule(node, language, sourceRoot).map(({ field, rule }) =>
      contractProblem([...at, field], `${subject}: ${rule}`),
    ),
    ...checkConcrete(node, at, subject),
    ...checkGlue(node, language, at, subject),
    ...node.examples.flatMap((example, i) =>
      checkExample(node, example.call, language, [...at, 'examples', i, 'call']),
    ),
    ...checkPins(node.requires, language, [...at, 'requires'], subject),
    ...checkInert(node, language, at, subject),
  ];
}

function checkModule(
  node: ContractNode,
  language: Language,
  sourceRoot: string | undefined,
): { field: 'id' | 'files'; rule: string }[] {
  const field = node.files === undefined ? 'id' : 'files';
  const contentFile =
    node.files === undefined
      ? defaultLayout(language, node.id, sourceRoot).contentFile
      : contentFileOf(language, node.id, node.files, sourceRoot);
  if (contentFile === null) {
    return [{ field, rule: `"files" must name one ${language} file without a wildcard, its main file` }];
  }
  const modulePath = modulePathOf(language, contentFile, sourceRoot);
  if (language === 'python' && !modulePath.every((part) => /^[A-Za-z_]\w*$/.test(part))) {
    return [
      { field, rule: `"${contentFile}" cannot be imported: its folders and name must be Python names` },
    ];
  }
  const rule = reservedProblem(language, modulePath);
  return rule === null ? [] : [{ field, rule }];
}

function checkConcrete(
  node: ContractNode,
  at: readonly ['nodes', number],
  subject: string,
): ContractProblem[] {
  if (!isVague(node)) return [];
  const message = `${subject}: the description "${node.description}" is a label, it does not say what could be tested`;
  const suggestion =
    'Write a call and its result into it, such as "verify_token(token: str) -> dict per RFC 7519", or add "exports", "guarantees" or "examples"';
  return [contractProblem([...at, 'description'], message, suggestion)];
}

/** Glue is one composition function; what it wires are its dependencies (seed: node types). */
function checkGlue(
  node: ContractNode,
  language: Language,
  at: readonly ['nodes', number],
  subject: string,
): ContractProblem[] {
  if (node.type !== 'glue') return [];
  const path = [...at, 'interface', 'exports'];
  const { exports } = node.interface;
  const [only] = exports;
  if (exports.length !== 1 || only === undefined) {
    const message = `${subject}: a glue node must export exactly one composition function, current count is ${exports.length}`;
    return [
      contractProblem(
        path,
        message,
        'Declare that function, such as "def build_app() -> App: ...", or use type "feature"',
      ),
    ];
  }
  const declared = declaredName(language, only);
  if (declared === null || declared.kind === 'function') return [];
  return [
    contractProblem(
      [...path, 0],
      `${subject}: a glue node must export a function, "${declared.name}" is a ${declared.kind}`,
    ),
  ];
}

function checkExample(
  node: ContractNode,
  call: string,
  language: Language,
  path: readonly (string | number)[],
): ContractProblem[] {
  const subject = `Cannot use example "${call}" of node "${node.id}"`;
  const fault = callProblem(call);
  if (fault !== null) {
    return [
      contractProblem(path, `${subject}: the call ${fault}`, "Write one call, such as parse_money('12.30')"),
    ];
  }
  const names = declaredNames(language, node.interface.exports);
  const words = call.match(/[A-Za-z_$][\w$]*/g) ?? [];
  if (names.length < node.interface.exports.length || words.some((word) => names.includes(word))) return [];
  const near = words.map((word) => nearestWord(word, names)).find((name) => name !== null);
  const suggestion = near === undefined ? `Exports are: ${names.join(', ')}` : `Did you mean "${near}"?`;
  return names.length === 0
    ? []
    : [contractProblem(path, `${subject}: it must call an export of the node`, suggestion)];
}

function checkInert(
  node: ContractNode,
  language: Language,
  at: readonly ['nodes', number],
  subject: string,
): ContractProblem[] {
  const names = declaredNames(language, node.interface.exports);
  return node.interface.inert.flatMap((name, i) => {
    if (names.includes(name.split('.')[0] ?? '')) return [];
    const near = nearestWord(name, names);
    const path = [...at, 'interface', 'inert', i];
    return [
      contractProblem(
        path,
        `${subject}: "inert" must name an export, current value is "${name}"`,
        near === null ? null : `Did you mean "${near}"?`,
      ),
    ];
  });
}
