/** Ways in which suites write what they expect, each in a test of its own; the names of truths begin with `only`. */

export const PYTHON_FORMS = {
  code: [
    'import time',
    'def up(n): return n + 1',
    'def pair(one, two): return Pair(one, two)',
    'async def later(n): return n + 1',
    'def call(f): return f(3, key="told")',
    'def refuse(text): raise ValueError("no such thing: " + text)',
    'class Pair:',
    '    def __init__(self, one, two): self.one, self.two = one, two',
    '    def __eq__(self, other): return isinstance(other, Pair) and (self.one, self.two) == (other.one, other.two)',
    '    def plus(self, n): return Pair(self.one + n, self.two + n)',
    '    def told(self): return f"{self.one} {self.two}"',
    '    @classmethod',
    '    def of(cls, one, two): return cls(one, two)',
  ].join('\n'),
  suite: `import asyncio, contextlib, pytest
from unittest.mock import Mock, patch
from unittest import TestCase
from shop.forms import Pair, call, pair, later, refuse, up

TABLE = [(1, 2), (2, 3)]
ROWS = [{"given": 1, "wanted": 2}, {"given": 5, "wanted": 6}]
CASES = [(1, 2), (3, 4)]

def check(n, wanted):
    found = up(n)
    assert found == wanted

def check_twice(n, wanted):
    check(n, wanted)

def test_both(): assert up(1) == 2 and up(2) == 3
def test_chain(): assert up(1) == up(1) == 2
def test_loop():
    for given, wanted in [(1, 2), (2, 3)]:
        assert up(given) == wanted
def test_loop_over_a_table():
    for given, wanted in TABLE:
        assert up(given) == wanted
def test_rows():
    for row in ROWS:
        assert up(row["given"]) == row["wanted"]
@pytest.mark.parametrize("given, wanted", CASES, ids=["a", "b"])
def test_named_rows(given, wanted): assert up(given) == wanted
def test_helper(): check(1, 2)
def test_helper_of_a_helper():
    for given, wanted in [(1, 2)]:
        check_twice(given, wanted=wanted)
def test_coroutine():
    async def main():
        assert await later(1) == 2
    asyncio.run(main())
def test_block():
    with patch("time.sleep") as sleep:
        assert up(1) == 2
def test_finally():
    try:
        assert up(1) == 2
    finally:
        up(3)
def test_near(): assert abs(up(1) - 2.0) < 1e-9
def test_one_of(): assert up(1) in (2, 12)
def test_message():
    with pytest.raises(ValueError) as caught:
        refuse("x")
    assert "such" in str(caught.value)
def test_pattern():
    with pytest.raises(ValueError, match="no such"):
        refuse("x")
def test_called():
    f = Mock()
    call(f)
    f.assert_called_once_with(3, key="told")
def test_part_of_a_list():
    n = up(1)
    assert [up(1), up(2)] == [n, 3]
def test_sum():
    for n in range(3):
        assert up(n) == n + 1
def test_built_of_sums():
    want = Pair(up(3), 1 + 2)
    assert Pair(3, 2).plus(1) == want
def test_made_by_a_function():
    want = pair(4, 6)
    assert Pair(3, 5).plus(1) == want
def test_made_where_it_is_compared(): assert Pair(3, 5).plus(1) == pair(4, 6)
def test_told_by_both(): assert Pair(3, 5).plus(1).told() == Pair(4, 6).told()
def test_told_by_both_names():
    found, want = Pair(3, 5).plus(1), Pair(4, 6)
    assert found.told() == want.told()
def test_fields_of_both():
    assert vars(Pair(3, 5).plus(1)) == vars(Pair(4, 6)) and f"{Pair(3, 5).plus(1).one}" == f"{Pair(4, 6).one}"
def test_one_of_those_built(): assert Pair(3, 5).plus(1) in [Pair(4, 6)]
def test_each_is_equal(): assert all(one == other for one, other in zip([Pair(3, 5).plus(1)], [Pair(4, 6)]))
def test_any_is_equal(): assert any(one == Pair(4, 6) for one in [Pair(3, 5).plus(1)])
def test_is_not_unequal(): assert not Pair(3, 5).plus(1) != Pair(4, 6)
def test_fails_by_hand():
    if Pair(3, 5).plus(1) != Pair(4, 6):
        pytest.fail("not equal")
def test_made_by_its_class(): assert Pair(3, 5).plus(1) == Pair.of(4, 6)
@pytest.mark.parametrize("n, want", [(1, Pair(4, 6)), (2, Pair(5, 7))])
def test_rows_of_what_is_built(n, want): assert Pair(3, 5).plus(n) == want
def test_only_told_apart(): assert Pair(1, 2).told() != Pair(1, 3).told()
def test_used_twice():
    want = Pair(4, 6)
    assert Pair(3, 5).plus(1) == want
    assert Pair(2, 4).plus(2) == want
def test_only_given_and_expected():
    want = 2
    assert want == up(want - 1)
def test_text_with_holes():
    n = 2
    assert f"{up(1)}" + "!" == f"{n}!"
def test_only_error():
    with pytest.raises(ValueError):
        refuse("x")
def test_only_truth(): assert up(1) > 1
class TestIt(TestCase):
    def both(self, given, wanted): self.assertEqual(up(given), wanted)
    def test_method(self): self.both(1, 2)
    def test_rows_of_subtests(self):
        for given, wanted in [(1, 2), (2, 3)]:
            with self.subTest(given=given):
                self.assertEqual(up(given), wanted)
    def test_only_kind(self): self.assertIsInstance(up(1), int)
# What nothing is changed in: a failure would be caught, or the place may not be reached.
def test_never_caught():
    with contextlib.suppress(AssertionError):
        assert up(1) == 2
def test_never_left():
    for given, wanted in [(1, 2), (2, 9)]:
        if given == 2: break
        assert up(given) == wanted
def test_only_shared():
    wanted = 2
    assert up(wanted - 1) == wanted and up(1) != wanted + 1 or wanted
`,
};

export const SCRIPT_FORMS = {
  code: [
    'export const up = (n) => n + 1;',
    'export const pair = (one, two) => new Pair(one, two);',
    'export const later = async (n) => n + 1;',
    'export class Pair { constructor(one, two) { this.one = one; this.two = two; } plus(n) { return new Pair(this.one + n, this.two + n); } told() { return `${this.one} ${this.two}`; } equals(other) { return this.told() === other.told(); } static of(one, two) { return new Pair(one, two); } }',
    "export const refuse = (text) => { throw new RangeError('no such thing: ' + text); };",
  ].join('\n'),
  suite: `import { describe, it, test } from 'node:test';
import assert from 'node:assert/strict';
import { Pair, later, pair, refuse, up } from '../../shop/forms.mjs';

const TABLE = [[1, 2], [2, 3]];
const ROWS = [{ name: 'one', given: 1, wanted: 2 }, { name: 'two', given: 2, wanted: 3 }];
const check = (n, wanted) => assert.equal(up(n), wanted);
async function checkLater(n, wanted) {
  assert.equal(await later(n), wanted);
}

test('both', () => assert.ok(up(1) === 2 && up(2) === 3));
test('loop', () => {
  for (const [given, wanted] of [[1, 2], [2, 3]]) assert.equal(up(given), wanted);
});
test('each', () => {
  [[1, 2], [2, 3]].forEach(([given, wanted]) => assert.equal(up(given), wanted));
});
for (const [given, wanted] of TABLE) test(\`up \${given}\`, () => assert.equal(up(given), wanted));
describe('rows', () => {
  for (const row of ROWS) it(row.name, () => assert.equal(up(row.given), row.wanted));
});
describe('shared', () => {
  for (const name of ['a', 'b']) {
    it(name, () => assert.deepEqual([name, up(1)], [name, 2]));
  }
});
test('helper', () => check(1, 2));
test('helper that waits', async () => {
  await checkLater(1, 2);
});
test('finally', () => {
  try {
    assert.equal(up(1), 2);
  } finally {
    up(3);
  }
});
test('message', () => assert.throws(() => refuse('x'), { message: 'no such thing: x' }));
test('pattern', () => assert.throws(() => refuse('x'), /no such/));
test('predicate', () => assert.throws(() => refuse('x'), (error) => error instanceof RangeError && error.name === 'RangeError'));
test('rejects', async () => {
  await assert.rejects(later(1).then(refuse), /no such/);
});
test('match', () => assert.match(String(up(1)), /2/));
test('sum', () => {
  for (let n = 0; n < 3; n += 1) assert.equal(up(n), n + 1);
});
test('built of sums', () => {
  const want = new Pair(up(3), \`\${2}1\`);
  assert.deepEqual(new Pair(3, '2').plus(1), want);
});
test('made by a function', () => {
  const want = pair(4, 6);
  assert.deepEqual(new Pair(3, 5).plus(1), want);
});
test('made where it is compared', () => assert.deepEqual(new Pair(3, 5).plus(1), pair(4, 6)));
test('told by both', () => assert.equal(new Pair(3, 5).plus(1).told(), new Pair(4, 6).told()));
test('told by both names', () => {
  const found = new Pair(3, 5).plus(1);
  const want = new Pair(4, 6);
  assert.ok(\`\${found.told()}\` === \`\${want.told()}\`);
});
test('spread in both', () => assert.deepEqual({ ...new Pair(3, 5).plus(1) }, { ...new Pair(4, 6) }));
test('told as data', () => assert.equal(JSON.stringify(new Pair(3, 5).plus(1)), JSON.stringify(new Pair(4, 6))));
test('asked the other way round', () => assert.ok(new Pair(4, 6).equals(new Pair(3, 5).plus(1))));
test('fails by hand', () => {
  if (new Pair(3, 5).plus(1).told() !== new Pair(4, 6).told()) throw new Error('not equal');
});
test('made by its class', () => assert.deepEqual(new Pair(3, 5).plus(1), Pair.of(4, 6)));
test('only told apart', () => assert.ok(new Pair(1, 2).told() !== new Pair(1, 3).told()));
test('used twice', () => {
  const want = new Pair(4, 6);
  assert.deepEqual(new Pair(3, 5).plus(1), want);
  assert.deepEqual(new Pair(2, 4).plus(2), want);
});
describe('used by two', () => {
  const want = 2;
  it('only one', () => assert.equal(up(1), want));
  it('only two', () => assert.equal(up(1), want));
});
test('text with holes', () => {
  const n = 2;
  assert.equal(\`\${up(1)} up\`, \`\${n} up\`);
});
test('big', () => assert.equal(BigInt(up(1)), 2n));
test('only kind', () => assert.notEqual(up(1), 1));
test('only error', () => assert.throws(() => refuse('x'), RangeError));
// What nothing is changed in.
test('never waited for', () => {
  assert.rejects(later(1).then(refuse), /no such/);
});
test('never reached', () => {
  for (const [given, wanted] of [[1, 2], [2, 9]]) {
    if (given === 2) continue;
    assert.equal(up(given), wanted);
  }
});
`,
};
