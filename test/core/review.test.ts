import { describe, expect, test } from '@jest/globals';
import { freshTexts } from '../../core/ledger/change-texts.ts';
import { checkAction } from '../../core/stage/check-action.ts';
import { readReview } from '../../core/stage/read-review.ts';
import { waitingFor } from '../../core/stage/waiting.ts';
import { reviewView } from '../../core/views/review-view.ts';
import { answer, commit, input, llm, redispatch, world } from '../support/stage-actions.ts';
import { gateContract } from '../support/gate-contract.ts';
import { finding, seedNode, submitted, type StageWorld } from '../support/stage-world.ts';

const findings = [finding];

/** A stage whose one node has its suite, and whose builder's work passed. */
function passed(node: { requireReview?: true }, options: Record<string, unknown>): StageWorld {
  const it = world([seedNode('a', node)], options);
  it.writeSuite();
  it.returns(submitted());
  return it;
}

function review(it: StageWorld, named: (typeof findings)[number][]): void {
  const command = it.takeCommand('review');
  if (command === null) throw new Error('nobody was asked to read');
  const { nodeId, dispatchId, tree } = command;
  it.send({ kind: 'reviewed', nodeId, dispatchId, tree, findings: named, callKey: 'k', costMicroUsd: 5 });
}

describe('a reader beside the judge', () => {
  test('without require_review nothing waits for it, and the stage is sealed after it has answered', () => {
    const it = passed({}, { reviewer: true });
    expect(it.state.intent?.nodeId).toBe('a');
    it.commit();
    expect(it.takeCommand('check_seal')).toBeNull();
    review(it, findings);
    expect(it.takeCommand('check_seal')).not.toBeNull();
    expect(it.state.run?.spentMicroUsd).toBeGreaterThan(0);
  });

  test('with require_review the commit waits for the answer, and goes on by itself when nothing was found', () => {
    const it = passed({ requireReview: true }, { reviewer: true });
    expect(it.state.intent).toBeNull();
    expect(checkAction(it.state, commit('a'))).toMatchObject({ code: 'REVIEW_OPEN' });
    review(it, []);
    expect(it.state.intent?.nodeId).toBe('a');
  });

  test('a policy leaves what was found to a person, who commits or has it made anew', () => {
    for (const move of [commit('a'), redispatch('a')]) {
      const it = passed({ requireReview: true }, { reviewer: true });
      review(it, findings);
      expect(it.state.run?.phase).toBe('waiting');
      it.send(input({ kind: 'action', action: move }));
      expect(it.last('input_consumed')).toMatchObject({ outcome: 'applied' });
      expect(it.state.intent?.nodeId ?? it.state.open['a.b3']?.record.role).toBe(
        move.action_type === 'COMMIT' ? 'a' : 'builder',
      );
    }
  });

  test('a manager is asked, and its COMMIT is the answer', () => {
    const it = passed({ requireReview: true }, { ...llm, reviewer: true });
    review(it, findings);
    expect(it.takeCommand('ask_manager')).not.toBeNull();
    answer(it, commit('a'));
    expect(it.state.intent?.nodeId).toBe('a');
  });

  test('where nobody reads, a person must', () => {
    const it = passed({ requireReview: true }, {});
    expect(it.state.run?.phase).toBe('waiting');
    expect(it.takeCommand('review')).toBeNull();
  });

  test('a review that was out when the run ended is asked for again, and void without a reviewer', () => {
    const it = passed({ requireReview: true }, { reviewer: true });
    it.takeCommand('review');
    it.open({ reviewer: true }, { lifecycle: 'taken_over' });
    review(it, []);
    expect(it.state.intent?.nodeId).toBe('a');
    const other = passed({ requireReview: true }, { reviewer: true });
    other.open({}, { lifecycle: 'taken_over' });
    expect(other.state.nodes['a']?.review).toBeUndefined();
    expect(other.state.run?.phase).toBe('waiting');
  });
});

describe('what a person who waits is told', () => {
  test('the findings and the command that answers', () => {
    const it = passed({ requireReview: true }, { reviewer: true });
    review(it, findings);
    const texts = freshTexts(undefined, '2026-01-01T00:00:00Z');
    const nodes = { a: { ...texts, review: { dispatchId: 'a.b2', findings } } };
    expect(waitingFor({ state: it.state, nodes })).toEqual([
      {
        nodeId: 'a',
        question: 'the reviewer found hard_coded at a.py:1: returns 1; commit it all the same?',
        command: 'a7-rt act SESSION COMMIT a',
      },
    ]);
  });
});

describe('a reviewer sees contract and code, and its words are bounded', () => {
  const files = [{ path: 'a.py', text: 'x = 1\ny = 2\n' }];
  const view = reviewView(gateContract(), files, 10_000);

  test('lines have numbers', () => {
    expect(view.text).toContain('## a.py\n1| x = 1\n2| y = 2');
    expect(reviewView(gateContract(), files, 5)).toMatchObject({ left: ['a.py'] });
  });

  test.each([
    ['{"findings": []}', []],
    [
      '```json\n{"findings":[{"kind":"hard_coded","file":"a.py","line":2,"text":"t"}]}\n```',
      [{ kind: 'hard_coded', file: 'a.py', line: 2, text: 't' }],
    ],
    [
      '{"findings":[{"kind":"unreadable","file":"/etc/passwd","line":9,"text":"t"}]}',
      [{ kind: 'other', file: null, line: null, text: 't' }],
    ],
    [
      '{"findings":[{"kind":"other","file":"a.py","line":"99","text":"t"}]}',
      [{ kind: 'other', file: 'a.py', line: null, text: 't' }],
    ],
    ['Looks good to me!', [{ kind: 'unreadable', file: null, line: null, text: 'Looks good to me!' }]],
  ])('%s', (text, expected) => {
    expect(readReview(text, view.lines)).toEqual(expected);
  });
});
