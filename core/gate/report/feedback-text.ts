/** Feedback as the text that a model reads: bounded, one line a finding, and what to do next (design part 7). */
import type { AuthorFeedback, BuilderFeedback, FeedbackItem } from '../../../schemas/feedback.ts';
import type { OutcomeClass } from '../../../schemas/report.ts';
import { counted } from '../../text/plural.ts';

const TEXT_MAX = 6000;

const OUTCOMES: Readonly<Record<OutcomeClass, string>> = {
  wrong_value: 'gives a wrong value',
  raised: 'raises where it must not, or the wrong error',
  did_not_raise: 'does not raise where it must',
  timed_out: 'does not end in time',
  missing: 'is missing',
};

/** The text of a tool result for a builder. */
export function builderText(feedback: BuilderFeedback): string {
  const lines = byClauses(feedback.items).map((items) => `- ${builderLine(items)}`);
  if (feedback.moreItems > 0) lines.push(`- and ${feedback.moreItems} more of these`);
  return bounded([
    headline(feedback.verdict, feedback.charged),
    ...lines,
    ...suspectLine(feedback),
    ...nextStep(feedback, 'code'),
  ]);
}

/** Where no finding says already that the suite goes back: the code fails it and passes a person's examples. */
function suspectLine({ suspect, verdict }: BuilderFeedback): string[] {
  return suspect === null || verdict !== 'FAIL'
    ? []
    : ['Your code passes every example of the contract: the suite is the suspect, and the manager reads so.'];
}

/** The text of a tool result for a test author. */
export function authorText(feedback: AuthorFeedback): string {
  const lines = feedback.items.map((item) => {
    const at = item.place === null ? '' : ` (${item.place.file}:${item.place.line})`;
    return `- ${item.text}${at}`;
  });
  if (feedback.moreItems > 0) lines.push(`- and ${counted(feedback.moreItems, 'more finding')}`);
  return bounded([headline(feedback.verdict, feedback.charged), ...lines, ...nextStep(feedback, 'suite')]);
}

/** Items that differ in their clause alone are one line: a suite may cover each clause by each test. */
function byClauses(items: readonly FeedbackItem[]): FeedbackItem[][] {
  const groups = new Map<string, FeedbackItem[]>();
  for (const item of items) {
    const { clauseId: _id, clauseText: _text, ...same } = item;
    const key = JSON.stringify(same);
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  return [...groups.values()];
}

function builderLine(items: readonly FeedbackItem[]): string {
  const [item] = items;
  if (item === undefined) return '';
  const subject = item.exportName === null ? 'The code' : item.exportName;
  const exception = item.exceptionType === null ? '' : ` (${item.exceptionType})`;
  const at = item.place === null ? '' : ` at ${item.place.file}:${item.place.line}`;
  if (item.note !== null) return `${item.note}${exception}${at}`;
  const what = item.outcome === null ? 'does not do what the contract says' : OUTCOMES[item.outcome];
  const limit =
    item.limit === undefined
      ? ''
      : ` (limit: ${item.limit.name} ${String(item.limit.value)} ${item.limit.unit})`;
  return `${subject} ${what}${limit}${exception}${at}${clauseWords(items)}${seen(item)}`;
}

/** One clause with its words, several by their ids: the agent's task has all texts. */
function clauseWords(items: readonly FeedbackItem[]): string {
  const clauses = items.filter(({ clauseId }) => clauseId !== null);
  const [first] = clauses;
  if (first === undefined) return '';
  if (clauses.length > 1) return ` [${clauses.map(({ clauseId }) => clauseId).join(', ')}]`;
  const [line = ''] = (first.clauseText ?? '').split('\n');
  return ` [${first.clauseId ?? ''}: ${line}]`;
}

/** What the code itself saw: one line, whatever the values hold. */
function seen({ counterexample }: FeedbackItem): string {
  if (counterexample === undefined) return '';
  return `; seen: ${JSON.stringify(`${counterexample.call} ${counterexample.result}`).slice(1, -1)}`;
}

function headline(verdict: BuilderFeedback['verdict'], charged: boolean): string {
  switch (verdict) {
    case 'PASS':
      return 'Verdict: PASS.';
    case 'FAIL':
      return 'Verdict: FAIL.';
    case 'INVALID':
      return charged
        ? 'Verdict: INVALID. This counts as an attempt.'
        : 'Verdict: INVALID. Nothing is charged to you.';
  }
}

/** Who is not charged has nothing to change, unless the code was seen to fail as well. */
function nextStep(
  { verdict, charged, items }: BuilderFeedback | AuthorFeedback,
  work: 'code' | 'suite',
): string[] {
  if (verdict === 'PASS') return [];
  if (verdict === 'INVALID' && !charged) {
    const hasFailed = items.some((item) => 'note' in item && item.note === null);
    return [
      hasFailed
        ? 'Mend what is seen to fail above, if it is yours, and submit again.'
        : 'Nothing is known against your files: leave them as they are.',
    ];
  }
  return [
    work === 'code'
      ? 'Change your own files so that each point above is met, then submit again.'
      : 'Change the suite so that each point above is met, then submit again.',
  ];
}

function bounded(lines: readonly string[]): string {
  const text = lines.join('\n');
  return text.length <= TEXT_MAX ? text : `${text.slice(0, TEXT_MAX)}\n[cut at ${TEXT_MAX} characters]`;
}
