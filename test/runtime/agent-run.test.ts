import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { JOURNAL_KEPT, addUsage, advanceRun, resumeRun, startRun } from '../../core/runtime/agent-run.ts';
import { meaningOf } from '../../core/runtime/agent-end.ts';
import type { AgentRanEvent, RunAndStep, RunEvent } from '../../core/runtime/agent-run-types.ts';
import { describeRun } from '../../core/runtime/describe.ts';
import { AgentRun } from '../../schemas/runtime.ts';
import { digest, oid, usage } from '../support/stage-world.ts';

const limits = { turnsMax: 5, attemptsMax: 3, silentTurnsMax: 3, testRunsMax: 2 };

function begin(over: Partial<typeof limits> = {}): RunAndStep {
  return startRun({
    id: 'd1',
    goal: 'Build a',
    limits: { ...limits, ...over },
    requirements: [{ id: 'gate', text: 'the gate says PASS' }],
    tree: oid(1),
    head: digest(1),
  });
}

const answered = (toolCalls = 1): RunEvent => ({
  kind: 'answered',
  answerRef: digest(2),
  toolCalls,
  unknownAttempts: 0,
  usage,
});
const toolsRan = (over: object = {}): RunEvent => ({
  kind: 'tools_ran',
  tree: oid(2),
  head: digest(3),
  submit: false,
  tests: 0,
  suspension: null,
  ...over,
});
const judged = (
  accepted: boolean | null,
  reasons: string[] = [],
  giveBack: string | null = null,
): RunEvent => ({
  kind: 'judged',
  head: digest(4),
  accepted,
  reasons,
  testRuns: 1,
  giveBack,
});
const play = (events: readonly RunEvent[], from = begin()): RunAndStep =>
  events.reduce(({ run }, event) => advanceRun(run, event), from);
const attempt = (...reasons: string[]): RunEvent[] => [
  answered(),
  toolsRan({ submit: true }),
  judged(false, reasons),
];

describe('advanceRun()', () => {
  test('goes from model to tools to the judge to the end of an accepted attempt', () => {
    expect(begin().step).toEqual({ kind: 'call_model', turn: 1 });
    expect(play([answered()]).step).toEqual({ kind: 'run_tools', turn: 1 });
    const submit = play([answered(), toolsRan({ submit: true, tests: 1 })]);
    expect(submit.step).toEqual({ kind: 'judge', turn: 1, submit: true, tests: true });
    const done = advanceRun(submit.run, judged(true));
    expect(done.step).toEqual({ kind: 'finish', end: { kind: 'completed' } });
    expect(done.run.task).toMatchObject({ state: 'completed', openRequirements: [] });
  });

  test('gives refused reasons back for another turn, and ends when the attempts are used up', () => {
    const first = play(attempt('wrong value'));
    expect(first.step).toEqual({ kind: 'call_model', turn: 2 });
    const last = play([...attempt('wrong value'), ...attempt('wrong value'), ...attempt('raised')]);
    expect(last.step).toEqual({
      kind: 'finish',
      end: { kind: 'refused', reasons: ['raised'], attempts: 3 },
    });
    expect(play([...attempt('wrong value'), ...attempt('wrong value')]).run.sameReasons).toBe(1);
  });

  test('never ends by a message alone, and ends as wild at the third without a tool call', () => {
    const silent = [answered(0), toolsRan()];
    expect(play([...silent, ...silent]).step).toEqual({ kind: 'call_model', turn: 3 });
    expect(play([...silent, ...silent, answered(0)]).step).toEqual({
      kind: 'finish',
      end: { kind: 'wild', reason: 'no tool call in 3 messages in a row (limit 3)' },
    });
    expect(play([...silent, ...silent, answered(), toolsRan(), answered(0)]).step.kind).toBe('run_tools');
  });

  test('says so where the last silent answer was no chat completion', () => {
    let at = begin({ silentTurnsMax: 1 });
    const garbage = '{"error":"model not loaded"}';
    at = advanceRun(at.run, { ...answered(0), isGarbage: true, garbage } as RunEvent);
    expect(at.step).toEqual({
      kind: 'finish',
      end: {
        kind: 'wild',
        reason:
          'no tool call in 1 messages in a row (limit 1); the last answer was no chat completion but {"error":"model not loaded"}: is there a model at this endpoint?',
      },
    });
  });

  test('names the turn limit and its value', () => {
    const end = play([answered(), toolsRan(), answered(), toolsRan()], begin({ turnsMax: 2 })).step;
    expect(end).toEqual({
      kind: 'finish',
      end: { kind: 'wild', reason: 'turn limit reached: turnsMax is 2' },
    });
  });

  test('parks an agent that needs a person, and gives any other suspension back to the manager', () => {
    const suspended = (type: string) =>
      play([answered(), toolsRan({ suspension: { type, detail: 'Which?' } })]);
    expect(suspended('far').step).toEqual({ kind: 'finish', end: { kind: 'parked', question: 'Which?' } });
    expect(suspended('far').run.task.state).toBe('waiting_for_input');
    expect(suspended('void').step).toEqual({
      kind: 'finish',
      end: { kind: 'refused', reasons: ['The agent suspended itself (void): Which?'], attempts: 0 },
    });
  });

  test('charges no attempt for a test run or for a task that is given back', () => {
    const tests = play([answered(), toolsRan({ tests: 1 }), judged(null)]);
    expect(tests).toMatchObject({ step: { kind: 'call_model', turn: 2 }, run: { attempts: 0, testRuns: 1 } });
    const back = play([answered(), toolsRan({ submit: true }), judged(false, ['red'], 'the suite is wrong')]);
    expect(back.step).toEqual({
      kind: 'finish',
      end: { kind: 'refused', reasons: ['the suite is wrong'], attempts: 0 },
    });
  });

  test('ends at once with whatever ends a call', () => {
    const end = { kind: 'rested', code: 'auth', message: 'refused key' } as const;
    const ended = advanceRun(begin().run, { kind: 'ended', end });
    expect(ended).toMatchObject({ step: { kind: 'finish', end }, run: { task: { state: 'resumable' } } });
  });

  test('keeps within every bound whatever happens, and stays small and valid', () => {
    const event = fc.oneof(
      fc.integer({ min: 0, max: 2 }).map(answered),
      fc.record({ submit: fc.boolean(), tests: fc.integer({ min: 0, max: 1 }) }).map(toolsRan),
      fc
        .tuple(fc.constantFrom(true, false, null), fc.array(fc.string(), { maxLength: 2 }))
        .map(([accepted, reasons]) => judged(accepted, reasons)),
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (events) => {
        let at = begin();
        for (const each of events) {
          if (at.step.kind === 'finish') break;
          at = advanceRun(at.run, each);
        }
        expect(at.run.turn).toBeLessThanOrEqual(limits.turnsMax);
        expect(at.run.attempts).toBeLessThanOrEqual(limits.turnsMax * 20);
        expect(at.run.task.journal.length).toBeLessThanOrEqual(JOURNAL_KEPT);
        expect(AgentRun.parse(at.run)).toEqual(at.run);
      }),
      { numRuns: 300 },
    );
  });
});

describe('a run between two workflow runs', () => {
  test('resumeRun() calls the model of the turn it stands at', () => {
    const { run } = play(attempt('no'));
    expect(resumeRun(run)).toEqual({ run, step: { kind: 'call_model', turn: 2 } });
  });

  test('describeRun() shows bounds, requirements and the journal without the transcript', () => {
    const text = describeRun(play(attempt('wrong value')).run);
    expect(text).toContain('- turn 2 of 5\n- completion attempts 1 of 3\n- test runs 1 of 2\n');
    expect(text).toContain('- open: the gate says PASS');
    expect(text).toContain('- turn 1 completion_refused: wrong value');
    const many = describeRun(play(attempt('Verdict: FAIL.\n- one\n- two')).run);
    expect(many).toContain('- turn 1 completion_refused: Verdict: FAIL. · one · two\n');
  });

  test('addUsage() keeps an unknown cost unknown', () => {
    expect(addUsage(usage, { ...usage, costMicroUsd: null })).toEqual({
      calls: 2,
      inputTokens: 20,
      outputTokens: 10,
      costMicroUsd: null,
    });
  });
});

describe('bounds of answers and time', () => {
  const cut = (raisesTo?: number): RunEvent => ({
    ...(answered() as Extract<RunEvent, { kind: 'answered' }>),
    cutAt: 100,
    model: 'small',
    ...(raisesTo !== undefined && { raisesTo }),
  });

  test('the limit of answers is raised once, and an answer that is whole takes the note away', () => {
    const first = play([cut(400)]);
    expect(first.run).toMatchObject({ cut: { limit: 100, raisedTo: 400 }, isRaised: true, cutTurns: 1 });
    const second = play([toolsRan(), cut(400)], first);
    expect(second.run.cut).toEqual({ limit: 100 });
    const whole = play([toolsRan(), answered()], second);
    expect(whole.run).toMatchObject({ cutTurns: 0, isRaised: true });
    expect(whole.run.cut).toBeUndefined();
  });

  test('three answers in a row that were cut end the task, with the setting that helps', () => {
    const { step } = play([cut(400), toolsRan(), cut(), toolsRan(), cut()]);
    const reason =
      '3 answers in a row were cut at 100 output tokens: raise max_tokens of model "small" in .a7/models.toml';
    expect(step).toEqual({ kind: 'finish', end: { kind: 'wild', reason } });
  });

  test('the same call too often ends the task, unless it is handed in', () => {
    const reason = 'the same tool call with the same result 6 times';
    expect(play([answered(), toolsRan({ repeated: reason })]).step).toEqual({
      kind: 'finish',
      end: { kind: 'wild', reason },
    });
    expect(play([answered(), toolsRan({ repeated: reason, submit: true })]).step.kind).toBe('judge');
  });

  test('running time is summed over answers, tools and gate, and an accepted attempt is never late', () => {
    const from = startRun({
      id: 'd1',
      goal: 'Build a',
      limits: { ...limits, runningMsMax: 1000 },
      requirements: [],
      tree: oid(1),
      head: digest(1),
    });
    const slow = { ...answered(), elapsedMs: 400 } as RunEvent;
    const late = play(
      [
        slow,
        toolsRan({ elapsedMs: 300, submit: true }),
        { ...judged(false, ['x']), elapsedMs: 300 } as RunEvent,
      ],
      from,
    );
    const reason = 'time limit reached: agent_max_seconds is 1, 1 s of running time were used';
    expect(late.step).toEqual({ kind: 'finish', end: { kind: 'wild', reason } });
    const done = play(
      [slow, toolsRan({ submit: true }), { ...judged(true), elapsedMs: 900 } as RunEvent],
      from,
    );
    expect(done.step).toEqual({ kind: 'finish', end: { kind: 'completed' } });
  });

  test('attempts refused without a charge for the same reasons end at the sixth', () => {
    const free = { ...judged(false, ['same']), isFree: true } as RunEvent;
    const one: RunEvent[] = [answered(), toolsRan({ submit: true }), free];
    const far = begin({ turnsMax: 50 });
    expect(play(Array.from({ length: 5 }, () => one).flat(), far).step.kind).toBe('call_model');
    expect(play(Array.from({ length: 6 }, () => one).flat(), far).step).toMatchObject({ kind: 'finish' });
  });
});

describe('a run whose turns are runs of a program', () => {
  const room = (): RunAndStep =>
    startRun({
      id: 'd1',
      goal: 'Build a',
      limits,
      requirements: [{ id: 'gate', text: 'the gate says PASS' }],
      tree: oid(1),
      head: digest(1),
      isRoom: true,
    });
  const ran = (means: AgentRanEvent['means']): RunEvent => ({
    kind: 'agent_ran',
    answerRef: digest(5),
    tree: oid(5),
    head: digest(6),
    usage,
    elapsedMs: 10,
    means,
  });

  test('begins with the program, is judged when it hands in, and begins again with the reasons', () => {
    const first = room();
    expect(first.step).toEqual({ kind: 'run_agent', turn: 1 });
    const handed = advanceRun(first.run, ran({ kind: 'handed_in' }));
    expect(handed.step).toEqual({ kind: 'judge', turn: 1, submit: true, tests: false });
    expect(handed.run).toMatchObject({ tree: oid(5), answer: digest(5), usage, runningMs: 10 });
    const again = advanceRun(handed.run, judged(false, ['G1 failed']));
    expect([again.step, again.run.attempts]).toEqual([{ kind: 'run_agent', turn: 2 }, 1]);
    expect(resumeRun(again.run).step).toEqual(again.step);
    expect(AgentRun.parse(again.run)).toEqual(again.run);
  });

  test('counts what cannot be read as a refused attempt, and ends as the program ended', () => {
    let at = room();
    for (const attempt of [1, 2]) {
      at = advanceRun(at.run, ran({ kind: 'unreadable', reasons: ['no JSON'] }));
      expect([at.step.kind, at.run.attempts]).toEqual(['run_agent', attempt]);
    }
    expect(advanceRun(at.run, ran({ kind: 'unreadable', reasons: ['no JSON'] })).step).toEqual({
      kind: 'finish',
      end: { kind: 'refused', reasons: ['no JSON'], attempts: 3 },
    });
    const far = advanceRun(room().run, ran({ kind: 'suspended', type: 'far', detail: 'which?' }));
    expect(far.step).toEqual({ kind: 'finish', end: { kind: 'parked', question: 'which?' } });
    const wild = { kind: 'wild', reason: 'nothing' } as const;
    expect(advanceRun(room().run, ran({ kind: 'over', end: wild })).step).toEqual({
      kind: 'finish',
      end: wild,
    });
  });

  test.each([
    ['ok', false, 'handed_in'],
    ['crashed', true, 'handed_in'],
    ['timed_out', true, 'handed_in'],
    ['limit', true, 'handed_in'],
    ['crashed', false, 'wild'],
    ['timed_out', false, 'wild'],
    ['model_error', false, 'rested'],
    ['model_error', true, 'handed_in'],
    ['no_access', true, 'rested'],
  ] as const)(
    'takes an end %s, changed %s, for %s: its tree is judged, not its words',
    (kind, isChanged, wanted) => {
      const facts = { end: { kind, exitCode: 0, detail: '' }, isChanged, refused: [], cap: null };
      const means = meaningOf({ ...facts, handed: { kind: 'submit' } });
      expect(means.kind === 'over' ? means.end.kind : means.kind).toBe(wanted);
    },
  );

  test('reads a cap, a way out and refused files before the rest', () => {
    const facts = { end: { kind: 'ok', exitCode: 0, detail: '' }, isChanged: true, cap: null } as const;
    const cap = { kind: 'budget', unit: 'tokens', spent: 1, cap: 2, worstCase: 3 } as const;
    const suspension = { type: 'near', detail: 'no way' } as const;
    expect(meaningOf({ ...facts, refused: [], cap, handed: { kind: 'submit' } })).toEqual({
      kind: 'over',
      end: cap,
    });
    expect(
      meaningOf({ ...facts, refused: ['"a" (symlink)'], handed: { kind: 'suspend', suspension } }),
    ).toEqual({
      kind: 'suspended',
      ...suspension,
    });
    expect(meaningOf({ ...facts, refused: ['"a" (symlink)'], handed: { kind: 'submit' } }).kind).toBe(
      'unreadable',
    );
    const denied = { kind: 'no_access', exitCode: 1, detail: "the model's endpoint answers 403" } as const;
    expect(meaningOf({ ...facts, end: denied, refused: [], handed: { kind: 'submit' } })).toMatchObject({
      end: { code: 'forbidden' },
    });
  });
});
