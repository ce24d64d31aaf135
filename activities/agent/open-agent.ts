/** Activity `openAgent`: the shadow an agent starts from and the first messages it reads (design parts 5 and 7). */
import { heartbeat } from '@temporalio/activity';
import type { Session, Sessions } from '../../core/ports/session.ts';
import type { AgentSettings } from '../../core/ports/settings.ts';
import {
  dependencyClosure,
  visibleToAnalyst,
  visibleToAuthor,
  visibleToBuilder,
  writeGlobs,
} from '../../core/projection/paths.ts';
import { ruleLines } from '../../core/gate/code/project-rules.ts';
import { packageLines } from '../../core/layers/session-spec.ts';
import { boundsText } from '../../core/runtime/bounds.ts';
import { nextCall, type OwnWork } from '../../core/shadow/next-call.ts';
import { agentView } from '../../core/views/agent-view.ts';
import { ownWork } from '../../core/views/own-work.ts';
import { OpenAgentResult, type RunAgentInput } from '../../schemas/agent-io.ts';
import type { ResolvedContract } from '../../schemas/contract.ts';
import type { ChatMessage } from '../../schemas/model.ts';
import { withHeartbeat } from '../shared/heartbeat.ts';
import { dispatchKey, shadowRef } from '../shared/coordinates.ts';
import { baseTree, contractIn, frozenBook, layOver, suiteOf } from '../shared/trees.ts';
import { extendTranscript, readTranscript } from '../shared/transcript.ts';
import { earlierWork } from './earlier-work.ts';
import { type StubSource, stubsFor } from './stub-files.ts';
import { systemPrompt } from './system-prompt.ts';

export interface OpenAgentPorts {
  readonly sessions: Sessions;
  readonly settings: AgentSettings;
  readonly stubs: StubSource;
}

/** Builds the shadow and the opening once; a retry finds them. */
export async function openAgent(ports: OpenAgentPorts, input: RunAgentInput): Promise<OpenAgentResult> {
  const session = await ports.sessions.open(input.at.sessionDir);
  const key = dispatchKey(input.at);
  const name = openingName(input);
  const known = await session.results.get(key, name, OpenAgentResult);
  if (known !== null) return known;
  const opened = await withHeartbeat(heartbeat, () =>
    input.resume === null ? openFresh(ports, session, input) : openResumed(ports, session, input),
  );
  await session.trees.keep(shadowRef(input.at, 'base'), opened.tree);
  await session.log.append(input.at.nodeId, input.at.dispatchId, [
    {
      key: input.resume === null ? 'start' : `start.${openingName(input)}`,
      type: 'session_start',
      data: { role: input.at.role, run: input.at.run, tree: opened.tree },
    },
  ]);
  return session.results.putFirst(key, name, OpenAgentResult, opened);
}

/** A dispatch opens once, and once more after each question that a person answered. */
function openingName({ resume }: RunAgentInput): string {
  return resume === null ? 'opened' : `opened-${resume.head.replace(/^sha256:/, '').slice(0, 32)}`;
}

async function openFresh(
  ports: OpenAgentPorts,
  session: Session,
  input: RunAgentInput,
): Promise<OpenAgentResult> {
  const book = await frozenBook(session);
  const contract = contractIn(book, input.at.nodeId);
  const tree = await shadowTree(ports, session, book, contract, input);
  const messages = await opening(ports, session, book, contract, tree, input);
  const head = await extendTranscript(session.objects, null, 0, messages);
  return {
    goal: goalOf(input),
    tree,
    head,
    limits: ports.settings.limits,
    requirements: requirementsOf(input),
  };
}

/** A parked agent goes on where it stopped, with the person's answer as the newest message. */
async function openResumed(
  ports: OpenAgentPorts,
  session: Session,
  input: RunAgentInput,
): Promise<OpenAgentResult> {
  const { resume } = input;
  if (resume === null) throw new Error('Cannot resume an agent: the dispatch has no resume point');
  const answer = resume.answer ?? 'No answer was given; go on as well as you can.';
  const parkedTurn = (await readTranscript(session.objects, resume.head)).at(-1)?.turn ?? 0;
  const head = await extendTranscript(session.objects, resume.head, parkedTurn, [
    { role: 'user', content: `A person answers: ${answer}` },
  ]);
  return {
    goal: goalOf(input),
    tree: resume.tree,
    head,
    // Turns name stored answers: those before the question are not asked for again.
    turn: parkedTurn + 1,
    limits: ports.settings.limits,
    requirements: requirementsOf(input),
  };
}

async function shadowTree(
  ports: OpenAgentPorts,
  session: Session,
  book: readonly ResolvedContract[],
  contract: ResolvedContract,
  input: RunAgentInput,
): Promise<string> {
  const base = await baseTree(session, input.baseCommit, contract);
  if (input.at.role === 'analyst') {
    const { scope = 'node' } = input.guidance;
    return session.trees.filterTree(base, visibleToAnalyst(book, askedNodes(input), scope));
  }
  const visible =
    input.at.role === 'builder' ? visibleToBuilder(book, contract) : visibleToAuthor(book, contract);
  const shadow = await session.trees.filterTree(base, visible);
  const withStubs =
    input.at.role === 'builder' ? shadow : await stubsFor(ports.stubs, session, shadow, book, contract);
  const earlier = await earlierWork(session, input.at);
  if (earlier.tree === null) return withStubs;
  return layOver(session, withStubs, writeGlobs(contract, input.at.role), earlier.tree);
}

/** The nodes that an analyst's question is about. */
function askedNodes({ at, guidance }: RunAgentInput): readonly string[] {
  const targets = guidance.targetNodes ?? [];
  return targets.length === 0 ? [at.nodeId] : targets;
}

async function opening(
  ports: OpenAgentPorts,
  session: Session,
  book: readonly ResolvedContract[],
  contract: ResolvedContract,
  tree: string,
  input: RunAgentInput,
): Promise<readonly ChatMessage[]> {
  const { state } = await session.doc();
  const suite = await suiteOf(session, contract.id, state.nodes[contract.id]?.suite ?? 0);
  const earlier = await earlierWork(session, input.at);
  const closure = dependencyClosure(book, contract.id);
  const { layer, plan } = await session.book();
  const files = (await session.trees.listTree(tree)).map((entry) => entry.path);
  const view = agentView({
    role: input.at.role,
    contract,
    dependencies: closure.filter((dep) => contract.structural_deps.includes(dep.id)),
    viewSpec: { ...contract.view_spec, ...input.guidance.viewSpec },
    others: book.filter(
      ({ id }) => input.at.role === 'analyst' && id !== contract.id && askedNodes(input).includes(id),
    ),
    packages: packageLines(layer, contract.requires),
    rules: ruleLines(plan, contract),
    bounds: boundsText(ports.settings.limits, input.agent !== undefined),
    files,
    testContract: suite?.testContract ?? null,
    managerNote: input.guidance.managerNote ?? null,
    focusOn: input.guidance.focusHints ?? [],
    expectedIterations: input.guidance.expectedIterations ?? DEFAULT_EXPECTED_ITERATIONS,
    previousAttempts: earlier.attempts,
    filesWritten: earlier.files,
    next: nextOf(input, ownWork(input.at.role, contract, files, false)),
  });
  return [
    { role: 'system', content: systemPrompt(ports.settings, contract, input) },
    { role: 'user', content: view },
  ];
}

/** Seed 001: soft guidance, 5 is simple. */
const DEFAULT_EXPECTED_ITERATIONS = 5;

/** A program has tools of its own: it is told the file, not the call. */
function nextOf({ agent }: RunAgentInput, work: OwnWork): string {
  return agent === undefined ? nextCall(work) : `Next: write ${work.mainFile}, then stop.`;
}

function goalOf(input: RunAgentInput): string {
  return `${input.title}: make submit_pr accepted`;
}

function requirementsOf(input: RunAgentInput): OpenAgentResult['requirements'] {
  const judged = {
    builder: 'the hidden suite passes in the clean room',
    test_author: 'the suite is red on all stubs',
    analyst: 'the question is answered',
  };
  return [{ id: 'submit', text: `submit_pr is accepted: ${judged[input.at.role]}` }];
}
