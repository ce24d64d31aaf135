/** Activity `review`: a model reads code that passed, beside its contract (role `reviewer`). It sees no suite and no verdict. */
import { matchesAnyGlob } from '../../core/globs.ts';
import type { Session } from '../../core/ports/session.ts';
import { readReview } from '../../core/stage/read-review.ts';
import { type CodeFile, reviewView } from '../../core/views/review-view.ts';
import { renderPrompt } from '../../roles/index.ts';
import type { ResolvedContract } from '../../schemas/contract.ts';
import type { ChatMessage } from '../../schemas/model.ts';
import type { ReviewAnswer, ReviewInput } from '../../schemas/stage-io.ts';
import { readAnswer } from '../shared/transcript.ts';
import { contractOf } from '../shared/trees.ts';
import { callStageModel } from './ask-manager.ts';
import type { StagePorts } from './ports.ts';

/** Characters of code in one prompt: about 40,000 tokens. */
const CODE_CHARS_MAX = 120_000;

/** The findings; a retry finds the stored answer. The key is the tree's, so that the same code is never paid for twice. */
export async function review(ports: StagePorts, input: ReviewInput): Promise<ReviewAnswer> {
  const session = await ports.sessions.open(input.at.sessionDir);
  const contract = await contractOf(session, input.nodeId);
  const files = await codeFiles(session, contract, input.tree);
  if (files.length === 0) return { kind: 'answered', findings: [], callKey: null, costMicroUsd: null };
  const view = reviewView(contract, files, CODE_CHARS_MAX);
  const messages: readonly ChatMessage[] = [
    { role: 'system', content: renderPrompt('reviewer', {}) },
    { role: 'user', content: view.text },
  ];
  const callKey = `${input.at.stageId}/review/${input.dispatchId}/${input.tree.slice(0, 16)}`;
  const result = await callStageModel(ports, session, {
    ...input,
    callKey,
    messages,
    tools: [],
    role: 'reviewer',
    nodeId: input.nodeId,
  });
  if (result.kind === 'platform') return { kind: 'rested', code: 'unavailable', message: result.reason };
  if (result.kind !== 'answered') return result;
  const { message, garbage } = await readAnswer(session.objects, result.answerRef);
  const findings = readReview(message.content ?? garbage ?? '', view.lines);
  return { kind: 'answered', findings, callKey, costMicroUsd: result.usage.costMicroUsd };
}

/** The node's own code in this tree: its files without its tests. What is no text is no code. */
async function codeFiles(
  session: Session,
  contract: ResolvedContract,
  tree: string,
): Promise<readonly CodeFile[]> {
  const tests = contract.tests === 'none' ? [] : contract.tests;
  const paths = (await session.trees.listTree(tree))
    .map((entry) => entry.path)
    .filter((path) => matchesAnyGlob(contract.files, path) && !matchesAnyGlob(tests, path));
  const files = await Promise.all(
    paths.map(async (path) => ({ path, bytes: await session.trees.readFile(tree, path) })),
  );
  return files.flatMap(({ path, bytes }) =>
    bytes === null || bytes.includes(0) ? [] : [{ path, text: bytes.toString('utf8') }],
  );
}
