/** The text of Mode B: forms that a model may write, and real differences. */
import { describe, expect, test } from '@jest/globals';
import { checkTestContract } from '../../core/contract/test-contract.ts';

const REST = 'BEHAVIOR:\n- works\nEDGES:\n- none\nCOERCION:\n- none\n';
const EXPORTS = [
  'def put(path: str, text: str) -> None: ...',
  'class Shelf:\n    size: int\n    def take(self, count: int = 1) -> int: ...',
];
const CLASS = 'class Shelf:\n    size: int\n    def take(self, count: int = 1) -> int: ...';

function check(api: string, exports: readonly string[] = EXPORTS) {
  return checkTestContract(`TEST CONTRACT: a.b\nAPI:\n${api}\n${REST}`, 'a.b', exports);
}

describe('checkTestContract()', () => {
  test.each([
    ['bullets', `- def put(path: str, text: str) -> None: ...\n- ${CLASS}`],
    ['plain lines', `def put(path: str, text: str) -> None: ...\n\n${CLASS}`],
    ['another order', `${CLASS}\ndef put(path: str, text: str) -> None: ...`],
    ['a code block', `\`\`\`python\ndef put(path: str, text: str) -> None: ...\n${CLASS}\n\`\`\``],
    ['no dots', `- \`def put(path: str, text: str) -> None\`\n- ${CLASS}`],
  ])('accepts the same declarations as %s', (_form, api) => {
    expect(check(api)).toEqual({ ok: true, exports: EXPORTS });
  });

  test('accepts headings in Markdown', () => {
    const text = `# TEST CONTRACT: a.b\n## API\nfunction f(): void;\n**BEHAVIOR:**\n## EDGES\n### COERCION:\n`;
    expect(checkTestContract(text, 'a.b', ['function f(): void'])).toMatchObject({ ok: true });
  });

  test.each([
    [
      'a declaration less',
      `- ${CLASS}`,
      /has "def put\(path: str, text: str\) -> None", but the API section/u,
    ],
    [
      'one more',
      `- def put(path: str, text: str) -> None\n- ${CLASS}\n- def more() -> int`,
      /"def more\(\) -> int"/u,
    ],
    ['another annotation', `- def put(path: str, text: bytes) -> None\n- ${CLASS}`, /text: bytes/u],
    [
      'another member',
      `- def put(path: str, text: str) -> None\n- ${CLASS}\n    def drop(self) -> int`,
      /drop/u,
    ],
  ])('names %s', (_what, api, reason) => {
    const checked = check(api);
    expect(checked.ok ? '' : checked.reasons.join('\n')).toMatch(reason);
  });

  test('names missing sections and another node', () => {
    expect(checkTestContract('TEST CONTRACT: c.d\nAPI:\n- def f()', 'a.b', ['def f()'])).toEqual({
      ok: false,
      reasons: [
        'test_contract must begin with "TEST CONTRACT: a.b"',
        'test_contract has no section "BEHAVIOR:"',
        'test_contract has no section "EDGES:"',
        'test_contract has no section "COERCION:"',
      ],
    });
  });
});
