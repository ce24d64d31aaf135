/** Texts of Python suites for the node of `gate-contract.ts`, and of suites in general. */

/** Two honest tests; they need `pytest` and `parse_money` imported above. */
export const MONEY_TESTS = [
  'def test_value():',
  "    assert parse_money('12.30') == 1230",
  '',
  'def test_refuses():',
  '    with pytest.raises(ValueError):',
  "        parse_money('1.2')",
  '',
].join('\n');

/** Test functions of these bodies, by name. */
export function testFunctions(bodies: Readonly<Record<string, readonly string[]>>): string {
  return Object.entries(bodies)
    .map(([name, lines]) => `def test_${name}():\n${lines.map((line) => `    ${line}\n`).join('')}\n`)
    .join('');
}
