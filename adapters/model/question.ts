/** One small question to an endpoint, outside of any session: nothing of it is stored, and nothing is asked twice. */
import { connect } from 'node:net';
import { withoutPassword } from '../../core/config/describe.ts';
import { classifyFailure } from '../../core/model/failure.ts';
import type { ModelTarget } from '../../core/ports/model.ts';
import type { ChatMessage, ChatTool, StoredAnswer } from '../../schemas/model.ts';
import { readApiKey } from './api-key.ts';
import { createChatClient } from './chat-client.ts';

/** A host that takes no connection within this time is told as not reached. */
const CONNECT_MAX_MS = 5_000;
/** A small model on a slow machine is loaded first. */
const ANSWER_MAX_MS = 120_000;
/** Longest pause of an answer that has begun. */
const IDLE_MAX_MS = 60_000;
const ANSWER_BYTES_MAX = 1_000_000;
/** Enough for a call with two short arguments, and for a model that thinks aloud before it. */
const OUTPUT_TOKENS = 400;

export interface Question {
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ChatTool[];
  /** Default 400. */
  readonly outputTokens?: number;
}

export type Answered =
  | { readonly kind: 'answer'; readonly answer: StoredAnswer; readonly elapsedMs: number }
  | {
      readonly kind: 'problem';
      readonly message: string;
      readonly nextStep: string;
      /** The endpoint answers, and refuses this kind of request: another form may do. */
      readonly isRefusedForm: boolean;
    };

/** Never throws for what endpoint or network did; the key is in no answer. */
export async function askEndpoint(
  target: ModelTarget,
  question: Question,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Answered> {
  const apiKey = await readApiKey(target.apiKey, env);
  if (apiKey === null) {
    const { envName } = target.apiKey;
    return problem(
      `there is no API key for model "${target.alias}"`,
      `Set ${envName}, or a7-rt config --with-key - writes .a7/key; an endpoint without keys takes any word`,
    );
  }
  const unreached = await connectProblem(target.baseUrl);
  if (unreached !== null) {
    return problem(
      `model "${target.alias}" is not reached at "${withoutPassword(target.baseUrl)}": ${unreached}`,
      'Start the endpoint, or correct OPENAI_BASE_URL, --base-url or base_url in .a7/config.toml',
    );
  }
  const client = createChatClient({
    idleTimeoutMs: IDLE_MAX_MS,
    totalTimeoutMs: ANSWER_MAX_MS,
    answerBytesMax: ANSWER_BYTES_MAX,
  });
  const startMs = performance.now();
  const reply = await client.send(
    {
      key: 'question',
      sessionDir: '/',
      fence: 0,
      coordinates: { role: 'builder', stage: 'question', node: null, dispatch: 0, turn: 1 },
      model: {
        ...target,
        maxOutputTokens: question.outputTokens ?? Math.min(target.maxOutputTokens, OUTPUT_TOKENS),
      },
      messages: question.messages,
      tools: question.tools,
      cap: { scope: 'question', maxCostMicroUsd: 0, maxTokensWhenUnpriced: 0 },
      onUnknown: 'halt',
    },
    { apiKey, signal: new AbortController().signal, onBytes: () => undefined },
  );
  if (reply.kind === 'answer')
    return { kind: 'answer', answer: reply.answer, elapsedMs: performance.now() - startMs };
  const failure = classifyFailure(reply.failure, target);
  return failure.kind === 'rest'
    ? problem(failure.message, failure.nextStep, FORM_CODES.includes(failure.code))
    : problem(failure.reason, 'Try again; a7-rt config shows which endpoint is asked');
}

const FORM_CODES: readonly string[] = ['tools_unsupported', 'bad_request'];

function problem(message: string, nextStep: string, isRefusedForm = false): Answered {
  return { kind: 'problem', message, nextStep, isRefusedForm };
}

/** Null: something listens there. */
function connectProblem(baseUrl: string): Promise<string | null> {
  const { hostname, port, protocol } = new URL(baseUrl);
  return new Promise((resolve) => {
    const socket = connect({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
      autoSelectFamily: true,
    });
    const end = (text: string | null): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(text);
    };
    const timer = setTimeout(
      () => end(`no connection within ${String(CONNECT_MAX_MS / 1000)} s`),
      CONNECT_MAX_MS,
    );
    socket.once('connect', () => end(null));
    socket.once('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
  });
}
