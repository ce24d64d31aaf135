// The commands of the README's first hour as they stand there, for programs that do what a new user does.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './package.mjs';

const PAGE = 'README.md';
/** Where the first hour begins on the page. */
const CHAPTER = '## The first hour\n';

function chapter() {
  const text = readFileSync(join(ROOT, PAGE), 'utf8');
  return text.slice(text.indexOf(CHAPTER));
}

/** The lines of the chapter's first block, without comments. */
export function firstHourCommands() {
  const [, block] = /^```sh\n([\s\S]*?)^```/m.exec(chapter());
  return block.split('\n').flatMap((line) => line.replace(/\s+#.*$/, '').trim() || []);
}

/** Puts the page's own node in the place of those that `init` wrote, as a person would in an editor. */
export function writeOwnNode(sessionDir) {
  const [, yaml] = /^ {2}```yaml\n([\s\S]*?)^ {2}```/m.exec(chapter());
  const path = join(sessionDir, 'contracts.yaml');
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, text.slice(0, text.indexOf('\nnodes:\n') + '\nnodes:\n'.length) + yaml);
}

const EXPORTS = ['def parse_money(text: str) -> int: ...'];
const SUITE = `import pytest
from price.money import parse_money


def test_whole_cents():
    assert parse_money('12.30') == 1230
    assert parse_money('0.05') == 5


def test_two_decimals():
    for text in ('1.2', '1', '1.234', 'x.yz', ''):
        with pytest.raises(ValueError):
            parse_money(text)
`;
const CODE = `def parse_money(text: str) -> int:
    whole, dot, cents = text.partition('.')
    if dot != '.' or len(cents) != 2 or not whole.isdigit() or not cents.isdigit():
        raise ValueError('not an amount with two decimals')
    return int(whole) * 100 + int(cents)
`;

/** Answers of an honest model for that node. */
export const HONEST_SCRIPT = {
  version: 1,
  rules: [
    rule('test_author', 'tests/price_money/test_money.py', SUITE, {
      covers: [
        { clause: 'E1', tests: ['test_whole_cents'] },
        { clause: 'R1', tests: ['test_two_decimals'] },
        { clause: 'G1', tests: ['test_two_decimals'] },
      ],
    }),
    rule('builder', 'price/money.py', CODE, {}),
  ],
};

function rule(role, path, content, more) {
  const submit = { status: 'grounded', interface: { exports: EXPORTS }, ...more };
  const calls = [
    { name: 'write_file', arguments: { path, content } },
    { name: 'submit_pr', arguments: submit },
  ];
  return { role, repeat: true, answer: { tool_calls: calls } };
}
