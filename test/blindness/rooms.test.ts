/** What the builder's process can see, and what it can say: behind the wall nothing of the suite is there; in one process nothing comes out. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { builderFeedback } from '../../core/gate/report/builder-feedback.ts';
import { builderText } from '../../core/gate/report/feedback-text.ts';
import { quickLock, textsOf, type WrongBuilder } from '../feedback/corpus.ts';
import { openGateWorld, quickPlan, type GateWorld } from '../gate/gate-world.ts';
import { gateContract } from '../support/gate-contract.ts';
import { SPY, SUITE_MARK } from './canaries.ts';

const low = SUITE_MARK.toLowerCase();

let world: GateWorld;
beforeAll(async () => {
  world = await openGateWorld();
});
afterAll(async () => {
  await world.close();
});

function node(language: 'python' | 'javascript', exports: readonly string[]): WrongBuilder['contract'] {
  const ending = language === 'python' ? 'py' : 'js';
  return gateContract({
    id: 'shop.thing',
    language,
    files: [`shop/thing.${ending}`],
    tests: ['tests/shop_thing/**'],
    contentFile: `shop/thing.${ending}`,
    importLine: 'import shop.thing',
    interface: { exports: [...exports], imports: [], raises: [], guarantees: [], assumptions: [], inert: [] },
  });
}

const WALLED: WrongBuilder = {
  name: 'spy behind the wall',
  contract: node('python', ['def look() -> list[str]: ...', 'def plant() -> int: ...']),
  covers: { E1: ['*'] },
  patches: [],
  // The control: what the spy plants itself, it finds.
  code: `${SPY}

def look() -> list[str]:
    return [text[:200] for text in _found()]


def plant() -> int:
    os.environ["PLANTED"] = MARK + "_planted"
    try:
        return len(_found())
    finally:
        del os.environ["PLANTED"]
`,
  suite: `import pytest
from shop.thing import look, plant

${SUITE_MARK}_TABLE = ["${SUITE_MARK}_literal"]  # ${SUITE_MARK}_comment


@pytest.fixture(params=[1], ids=["${SUITE_MARK}_fixture_id"])
def ${low}_fixture(request):
    return request.param


@pytest.mark.parametrize("round", [1, 2], ids=["${SUITE_MARK}_a", "${SUITE_MARK}_b"])
def test_${low}_sees_nothing(round, ${low}_fixture):
    ${low}_local = "${SUITE_MARK}_local"
    assert look() == [], "${SUITE_MARK}_message" + ${low}_local


def test_${low}_control():
    assert plant() > 0
`,
};

const RAISING: WrongBuilder = {
  name: 'spy in one process',
  contract: node('javascript', ['export function look(n: number): number;']),
  covers: { E1: ['*'] },
  patches: [],
  code: `import fs from 'node:fs';
import path from 'node:path';
import { createRequire } from 'node:module';
import inspector from 'node:inspector';
const MARK = 'hid' + 'den_7f3a';
const doors = [
  () => process.argv.concat(process.execArgv, Object.values(process.env)).join('|'),
  () => Object.keys(createRequire(import.meta.url).cache).join('|'),
  () => String(process.binding('natives')).slice(0, 10),
  () => { const session = new inspector.Session(); session.connect(); const urls = []; session.on('Debugger.scriptParsed', (m) => urls.push(m.params.url)); session.post('Debugger.enable'); return urls.join('|'); },
  () => new Error().stack,
  () => fs.readdirSync('/proc').filter((n) => /^\\d+$/.test(n)).map((n) => fs.readFileSync('/proc/' + n + '/cmdline', 'utf8')).join('|'),
  () => fs.readdirSync('.', { recursive: true }).map((n) => n + (fs.statSync(n).isFile() ? fs.readFileSync(n, 'utf8') : '')).join('|'),
];
function found() {
  return doors.flatMap((door) => { try { return [door()]; } catch { return []; } }).filter((text) => text.toLowerCase().includes(MARK)).join('|');
}
export function look(n) {
  const text = found();
  if (text === '') throw new RangeError('nothing found');
  console.log(text);
  console.error(text);
  const error = new Error(text);
  error.name = text;
  error.stack = text + '\\n    at ' + text + ' (' + path.resolve('shop/thing.js') + ':1:1)';
  throw error;
}
`,
  suite: `import test from 'node:test';
import assert from 'node:assert/strict';
import { look } from '../../shop/thing.js';

// ${SUITE_MARK}_comment
test('${SUITE_MARK}_name', () => {
  assert.equal(look(7), 8, '${SUITE_MARK}_message');
});
`,
};

async function judged(each: WrongBuilder, tier: 'in_process' | 'glass_wall') {
  const locked = await quickLock(world, each, tier);
  const { report } = await world.code(
    each.contract,
    textsOf(each, each.code),
    locked,
    quickPlan(each.contract),
  );
  return { report, feedback: builderFeedback(report, each.contract, locked) };
}

describe('a builder that looks for its suite', () => {
  test('finds no word of it in its room behind the wall', async () => {
    const { report, feedback } = await judged(WALLED, 'glass_wall');
    expect({ verdict: report.verdict, tier: report.tier, items: feedback.items }).toEqual({
      verdict: 'PASS',
      tier: 'glass_wall',
      items: [],
    });
    expect(report.ids.ran).toHaveLength(3);
  });

  test('finds it in one process, raises its text, and is told no word of it', async () => {
    const { report, feedback } = await judged(RAISING, 'in_process');
    expect([report.verdict, feedback.items.map((item) => item.outcome)]).toEqual(['FAIL', ['raised']]);
    expect(JSON.stringify(feedback).toLowerCase()).not.toContain(low);
    expect(builderText(feedback).toLowerCase()).not.toContain(low);
    // Not RangeError: the spy did find the suite.
    expect(feedback.items[0]?.exceptionType).not.toBe('RangeError');
  });
});
