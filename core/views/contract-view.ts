/** The contract as an agent reads it: the same text for both roles, so that neither learns from the other's view. */
import type { Example, ResolvedContract } from '../../schemas/contract.ts';
import { exportedNames } from '../contract/declaration.ts';
import { declaredExceptions } from '../gate/exports/known-types.ts';
import { clausesOf, raiseText } from '../gate/suite/clauses.ts';

const PURE =
  'Its stage is pure: code opens no file and no connection, starts no process or thread, prints nothing, asks for no time, chance or environment. What it needs comes as arguments, what it finds out it returns.';

/** Markdown of a node's contract with the clause ids that `covers` and feedback use; a summary is without examples and packages. */
export function contractView(
  contract: ResolvedContract,
  dependencies: readonly ResolvedContract[] = [],
  isSummary = false,
): string {
  const lines = [
    `# Node ${contract.id} (${contract.type}, ${contract.language}, mode ${contract.mode})`,
    '',
    contract.description,
    '',
    `Code lives in: ${contract.files.join(', ')} (main file ${contract.contentFile})`,
    `Other code imports it so: ${importText(contract, dependencies)}`,
  ];
  if (contract.pure === true) lines.push(PURE);
  if (contract.type === 'test' && contract.interface.exports.length === 0) {
    lines.push(
      'It is a suite over other nodes and needs no code of its own: a builder may submit without a file.',
    );
  }
  lines.push(...section('Imports that declarations need', contract.interface.imports));
  lines.push(...clauseLines(contract));
  lines.push(...section('Assumptions', contract.interface.assumptions));
  if (isSummary) return lines.join('\n');
  lines.push(
    ...section(
      'Examples (a person wrote them; they judge suite and code)',
      contract.examples.map(exampleText),
    ),
  );
  lines.push(...section('Packages', contract.requires));
  return lines.join('\n');
}

/** A dependency as seen from a node above it: import line and, unless it is only named, its declared surface; never its source. */
export function dependencyView(
  contract: ResolvedContract,
  dependencies: readonly ResolvedContract[] = [],
  isNamed = false,
): string {
  const lines = [
    `## ${contract.id}: ${contract.description}`,
    `Import: ${importText(contract, dependencies)}`,
  ];
  if (isNamed) return lines.join('\n');
  for (const text of contract.interface.exports) lines.push('```', text, '```');
  for (const raise of contract.interface.raises) lines.push(`- raises ${raiseText(raise)}`);
  for (const guarantee of contract.interface.guarantees) lines.push(`- ${guarantee}`);
  return lines.join('\n');
}

/** The import line with the errors that the node defines: those of a dependency stand in its own line. */
function importText(contract: ResolvedContract, dependencies: readonly ResolvedContract[]): string {
  const others = dependencies.filter(({ id }) => contract.structural_deps.includes(id));
  const known = new Set([
    ...exportedNames(contract.language, contract.interface.exports),
    ...others.flatMap((each) => [
      ...exportedNames(each.language, each.interface.exports),
      ...declaredExceptions(each),
    ]),
  ]);
  const errors = [...new Set(declaredExceptions(contract))].filter(
    (name) => !known.has(name) && /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name),
  );
  const { importLine } = contract;
  if (errors.length === 0 || importLine.includes('...')) return importLine;
  const more = errors.join(', ');
  if (contract.language === 'python') return `${importLine}, ${more}`;
  const [clause = '', from = ''] = importLine.split(/ from (?=')/u);
  if (from === '') return importLine;
  const joined = clause.endsWith(' }') ? `${clause.slice(0, -2)}, ${more} }` : `${clause}, { ${more} }`;
  return `${joined} from ${from}`;
}

function clauseLines(contract: ResolvedContract): string[] {
  const clauses = clausesOf(contract.interface);
  if (clauses.length === 0) return [];
  return ['', '## Clauses', ...clauses.map((clause) => `- ${clause.id}: ${clause.text}`)];
}

function section(title: string, items: readonly string[]): string[] {
  return items.length === 0 ? [] : ['', `## ${title}`, ...items.map((item) => `- ${item}`)];
}

function exampleText(example: Example): string {
  return 'returns' in example
    ? `\`${example.call}\` returns \`${JSON.stringify(example.returns)}\``
    : `\`${example.call}\` raises \`${example.raises}\``;
}
