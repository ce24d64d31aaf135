/** The `test_contract` of Mode B: the only channel from test author to builder (seed 001, `test_contract` format). */

/** Sections that a test contract must have, in this order. */
const SECTIONS = ['API', 'BEHAVIOR', 'EDGES', 'COERCION'] as const;

export type TestContractCheck =
  | { readonly ok: true; readonly exports: readonly string[] }
  | { readonly ok: false; readonly reasons: readonly string[] };

/** Checks the form and that the API section equals the submitted exports; white space, bullets and Markdown do not count. */
export function checkTestContract(
  text: string,
  nodeId: string,
  exports: readonly string[],
): TestContractCheck {
  const reasons: string[] = [];
  if (!text.replace(/^[\s#*]+/u, '').startsWith(`TEST CONTRACT: ${nodeId}`)) {
    reasons.push(`test_contract must begin with "TEST CONTRACT: ${nodeId}"`);
  }
  for (const section of SECTIONS) {
    if (sectionLines(text, section) === null) reasons.push(`test_contract has no section "${section}:"`);
  }
  if (exports.length === 0)
    reasons.push('The API section declares nothing: Mode B freezes the exports that you declare there');
  reasons.push(...differences(sectionLines(text, 'API') ?? [], exports));
  return reasons.length === 0 ? { ok: true, exports } : { ok: false, reasons };
}

/** Declarations of the API section: one a bullet, or one a line that is not indented; a closing bracket ends the one before. */
export function apiDeclarations(text: string): string[] {
  const lines = (sectionLines(text, 'API') ?? []).filter((line) => !line.trimStart().startsWith('```'));
  const hasBullets = lines.some((line) => BULLET.test(line));
  const found: string[] = [];
  let isOpen = false;
  for (const line of lines) {
    const begins = hasBullets ? BULLET.test(line) : /^[^\s})\]]/u.test(line);
    if (line.trim() === '') continue;
    if (begins && !isOpen)
      found.push(
        line
          .replace(BULLET, '')
          .replaceAll(/^`|`\s*$/gu, '')
          .trimEnd(),
      );
    else if (found.length > 0) found.push(`${found.pop() ?? ''}\n${line.trimEnd()}`);
    // A decorator belongs to what follows.
    isOpen = !hasBullets && begins && line.startsWith('@');
  }
  return found.map((each) => (/^(?:async\s+)?def\s[^\n]*[^:.\s]$/u.test(each) ? `${each}: ...` : each));
}

const BULLET = /^\s{0,3}[-*] /u;

/** Takes each submitted declaration out of the API section once; what is missing there or left over is a difference. */
function differences(api: readonly string[], exports: readonly string[]): string[] {
  let left = ` ${normalise(api.join('\n'))} `;
  const missing: string[] = [];
  // The longest first, so that no declaration is taken out of the middle of another.
  for (const declared of exports.map(normalise).toSorted((one, other) => other.length - one.length)) {
    if (left.includes(` ${declared} `)) left = left.replace(` ${declared} `, () => '  ');
    else missing.push(`interface.exports has "${declared}", but the API section does not`);
  }
  const rest = left.replaceAll(/\s+/gu, ' ').trim();
  return rest === ''
    ? missing
    : [...missing, `The API section has "${rest}", but interface.exports does not`];
}

function sectionLines(text: string, name: string): string[] | null {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => isHeading(line, name));
  if (start === -1) return null;
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => SECTIONS.some((section) => isHeading(line, section)));
  return end === -1 ? rest : rest.slice(0, end);
}

function isHeading(line: string, name: string): boolean {
  return line.replaceAll(/[#*\s]/gu, '').replace(/:$/u, '') === name;
}

function normalise(declaration: string): string {
  return declaration
    .replaceAll(/^\s*(?:```.*|`|[-*] `?)/gmu, '')
    .replaceAll(/`\s*$/gmu, '')
    .replaceAll(/\s*:\s*\.\.\.\s*$/gmu, '')
    .replaceAll(/;\s*$/gmu, '')
    .replaceAll(/\s+/gu, ' ')
    .trim();
}
