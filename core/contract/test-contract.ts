/** The `test_contract` of Mode B: the only channel from test author to builder (seed 001, `test_contract` format). */

/** Sections that a test contract must have, in this order. */
const SECTIONS = ['API', 'BEHAVIOR', 'EDGES', 'COERCION'] as const;

export type TestContractCheck =
  | { readonly ok: true; readonly exports: readonly string[] }
  | { readonly ok: false; readonly reasons: readonly string[] };

/** Checks the form and that the API section equals the submitted exports; white space does not count. */
export function checkTestContract(
  text: string,
  nodeId: string,
  exports: readonly string[],
): TestContractCheck {
  const reasons: string[] = [];
  if (!text.trimStart().startsWith(`TEST CONTRACT: ${nodeId}`)) {
    reasons.push(`test_contract must begin with "TEST CONTRACT: ${nodeId}"`);
  }
  for (const section of SECTIONS) {
    if (sectionLines(text, section) === null) reasons.push(`test_contract has no section "${section}:"`);
  }
  const api = sectionLines(text, 'API') ?? [];
  if (exports.length === 0)
    reasons.push('interface.exports is empty: Mode B freezes the exports that you declare');
  const declared = api.map(normalise);
  const submitted = exports.map(normalise);
  for (const missing of declared.filter((each) => !submitted.includes(each))) {
    reasons.push(`The API section declares "${missing}", but interface.exports does not`);
  }
  for (const extra of submitted.filter((each) => !declared.includes(each))) {
    reasons.push(`interface.exports has "${extra}", but the API section does not`);
  }
  return reasons.length === 0 ? { ok: true, exports } : { ok: false, reasons };
}

function sectionLines(text: string, name: string): string[] | null {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => line.trim() === `${name}:`);
  if (start === -1) return null;
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => SECTIONS.some((section) => line.trim() === `${section}:`));
  return joinItems(end === -1 ? rest : rest.slice(0, end));
}

/** Items begin with `- `; indented lines continue the item before them (a class and its members). */
function joinItems(lines: readonly string[]): string[] {
  const items: string[] = [];
  for (const line of lines) {
    if (/^\s*$/.test(line)) continue;
    const item = /^- (.*)$/.exec(line);
    if (item?.[1] !== undefined) items.push(item[1]);
    else if (items.length > 0) items.push(`${items.pop() ?? ''}\n${line}`);
  }
  return items;
}

function normalise(declaration: string): string {
  return declaration
    .replaceAll(/\s+/g, ' ')
    .replace(/\s*:\s*\.\.\.$/, '')
    .replace(/;$/, '')
    .trim();
}
