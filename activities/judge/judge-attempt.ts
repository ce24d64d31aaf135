/** Activity `judgeAttempt`: answers `run_test` and `submit_pr` of one message by the gate, in role-safe words (design part 7). */
import { cancellationSignal, heartbeat } from '@temporalio/activity';
import type { Session } from '../../core/ports/session.ts';
import { type ReadCall, readCalls } from '../../core/runtime/read-answer.ts';
import { givesUp } from '../../core/runtime/give-up.ts';
import { repeatNote } from '../../core/runtime/repeat-note.ts';
import { type OwnWork, nextCall } from '../../core/shadow/next-call.ts';
import { type JudgeInput, JudgeResult } from '../../schemas/agent-io.ts';
import type { ChatMessage } from '../../schemas/model.ts';
import { turnKey } from '../shared/coordinates.ts';
import { extendTranscript, readAnswer } from '../shared/transcript.ts';
import { toolsFor } from '../agent/tools-for.ts';
import { workOf } from '../agent/work-of.ts';
import { withHeartbeat } from '../shared/heartbeat.ts';
import type { Attempt } from './attempt-parts.ts';
import { prepareAttempt } from './attempt.ts';
import { type JudgePorts } from './ports.ts';

/** Judges once; a retry finds the stored result. */
export async function judgeAttempt(ports: JudgePorts, input: JudgeInput): Promise<JudgeResult> {
  const session = await ports.sessions.open(input.at.sessionDir);
  const key = turnKey(input.at, input.turn);
  const known = await session.results.get(key, 'judged', JudgeResult);
  if (known !== null) return known;
  const result = await withHeartbeat(heartbeat, () => judge(ports, session, input));
  return session.results.putFirst(key, 'judged', JudgeResult, result);
}

async function judge(ports: JudgePorts, session: Session, input: JudgeInput): Promise<JudgeResult> {
  const began = performance.now();
  const answer = await readAnswer(session.objects, input.answerRef);
  const calls = readCalls(answer, toolsFor(input.at.role));
  const attempt = await prepareAttempt(ports, session, input, cancellationSignal());
  const work = await workOf(session, input.at, input.tree);
  const messages: ChatMessage[] = [];
  let testRuns = 0;
  for (const call of calls.filter((each) => each.kind === 'test')) {
    const allowed = testRuns < input.testRunsLeft;
    if (allowed) testRuns += 1;
    const left = input.testRunsLeft - testRuns;
    const content = allowed
      ? await testedText(attempt, work, left)
      : `${NO_TEST_RUNS_LEFT}\n${nextCall(work)}`;
    messages.push({ role: 'tool', tool_call_id: call.callId, content });
  }
  const verdict = await judgeSubmits(attempt, input, { calls, work }, messages);
  const head = await extendTranscript(session.objects, input.head, input.turn, messages);
  await logAttempt(session, input, testRuns, verdict);
  const told = attempt.told?.() ?? 0;
  const elapsedMs = Math.round(performance.now() - began);
  return { head, testRuns, ...verdict, ...(told > 0 && { told }), elapsedMs };
}

const NO_TEST_RUNS_LEFT = 'No test runs are left.';

async function testedText(attempt: Attempt, work: OwnWork, left: number): Promise<string> {
  const { text, isPass } = await attempt.testText();
  const next = nextCall(work, { kind: isPass ? 'other' : 'refused' });
  return `${text}\n[${String(left)} test runs left]\n${next}`;
}

type SubmitVerdict = Omit<JudgeResult, 'head' | 'testRuns' | 'told' | 'elapsedMs'>;

/** Only the first `submit_pr` of a message counts; the others are told so. */
async function judgeSubmits(
  attempt: Attempt,
  input: JudgeInput,
  { calls, work }: { readonly calls: readonly ReadCall[]; readonly work: OwnWork },
  messages: ChatMessage[],
): Promise<SubmitVerdict> {
  // One that gives up was answered by the tools, until it does so again.
  const isFinal = input.gaveUp === true && work.files.length > 0;
  const submits = calls.flatMap((call) =>
    call.kind === 'submit' && (isFinal || givesUp(call.input) === null) ? [call] : [],
  );
  const [first, ...others] = submits;
  if (first === undefined)
    return { accepted: null, reasons: [], submission: null, last: null, giveBack: null };
  const verdict = await attempt.submit(first.input);
  const left = input.attemptsMax - input.attempt;
  const text =
    verdict.accepted === true
      ? 'Accepted.'
      : refusalText(verdict.reasons, input.lastReasons, left) +
        (input.isRoom === true ? '' : `\n${nextCall(work, { kind: 'refused' })}`);
  messages.push({ role: 'tool', tool_call_id: first.callId, content: text });
  for (const other of others) {
    messages.push({
      role: 'tool',
      tool_call_id: other.callId,
      content: 'Only the first submit_pr of a message is judged.',
    });
  }
  return verdict;
}

function refusalText(reasons: readonly string[], lastReasons: string, left: number): string {
  const attempts =
    left === 0 ? 'No attempts are left.' : `${String(left)} attempt${left === 1 ? '' : 's'} left.`;
  return ['Not accepted.', ...reasons, ...repeatNote(reasons, lastReasons), attempts].join('\n');
}

async function logAttempt(
  session: Session,
  input: JudgeInput,
  testRuns: number,
  verdict: SubmitVerdict,
): Promise<void> {
  // Refused without a report: nothing reached a gate, and this line is all that tells why.
  const gated = verdict.accepted === true || verdict.last !== null;
  const { accepted, reasons } = verdict;
  const data = { accepted, reasons, testRuns, attempt: input.attempt, gated };
  const type = verdict.accepted === null ? 'test_run' : 'attempt';
  await session.log.append(input.at.nodeId, input.at.dispatchId, [
    { key: `t${String(input.turn)}.judged`, type, data },
  ]);
}
