/** Everything that is wrong with contracts whose shape is right. Whether exports parse and import is found in a sandbox. */
import type { Contracts } from '../../schemas/contract.ts';
import type { Language } from '../../schemas/ids.ts';
import { checkFiles } from './check-files.ts';
import { checkGraph } from './check-graph.ts';
import { checkNode } from './check-node.ts';
import { checkPins, parsePin } from './pins.ts';
import { contractProblem, type ContractProblem } from './problem.ts';

/** Problems in groups: project, graph, nodes; files only when ids are sound. Empty means that `resolveContracts` may be used. */
export function checkContracts(contracts: Contracts): ContractProblem[] {
  const { project, nodes } = contracts;
  const graph = checkGraph(contracts);
  const single = nodes.flatMap((node, index) => checkNode(node, index, project));
  const problems = [
    ...checkLanguage(project.language),
    ...checkSourceRoot(project),
    ...checkPins(project.requires, project.language, ['project', 'requires'], 'Cannot use project'),
    ...graph,
    ...single,
    ...checkPinConflicts(contracts),
  ];
  return problems.some((problem) => problem.path.at(-1) === 'id')
    ? problems
    : [...problems, ...checkFiles(contracts)];
}

/** Languages whose nodes are built. The export check reads Go and Rust too, but no stubs are made and no suites run. */
const BUILT: ReadonlySet<Language> = new Set<Language>(['python', 'javascript', 'typescript']);

function checkLanguage(language: Language): ContractProblem[] {
  if (BUILT.has(language)) return [];
  const message = `Cannot build a project in ${language}: language must be python, javascript or typescript`;
  const suggestion = `Write the ${language} work without sessions and have "a7-rt gate run" judge its repository`;
  return [contractProblem(['project', 'language'], message, suggestion)];
}

/** Scripts are imported by their paths: a folder is nothing to them. */
function checkSourceRoot({ language, source_root: root }: Contracts['project']): ContractProblem[] {
  if (root === undefined || language === 'python') return [];
  const message = `Cannot use source_root "${root}": it says from where Python imports, and the language is ${language}`;
  return [contractProblem(['project', 'source_root'], message, `Give the nodes files: [${root}/...]`)];
}

/** One image layer holds one version of a package. */
function checkPinConflicts({ project, nodes }: Contracts): ContractProblem[] {
  const lists = [
    { who: 'the project', path: ['project', 'requires'], pins: project.requires },
    ...nodes.map((node, i) => ({
      who: `node "${node.id}"`,
      path: ['nodes', i, 'requires'],
      pins: node.requires,
    })),
  ];
  const known = new Map<string, { version: string; who: string }>();
  return lists.flatMap(({ who, path, pins }) =>
    pins.flatMap((pin, index) => {
      const parsed = parsePin(pin, project.language);
      if (parsed === null) return [];
      const first = known.get(parsed.name);
      known.set(parsed.name, first ?? { version: parsed.version, who });
      if (first === undefined || first.version === parsed.version) return [];
      const message = `Cannot use "${pin}" of ${who}: ${first.who} requires version ${first.version} of it`;
      return [contractProblem([...path, index], message, 'Use one version everywhere')];
    }),
  );
}
