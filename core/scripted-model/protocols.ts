/** The protocols that the scripted server speaks: each is turned into the chat form, and the answer back. */
import type { RenderedAnswer } from './answer.ts';
import { withPlainContent } from './chat-parts.ts';
import { chatOfMessages, messageBody, messageEvents } from './messages-api.ts';
import { responseBody, responseEvents } from './responses-answer.ts';
import { chatOfResponses } from './responses-request.ts';
import { completionBody, streamEvents, type Translated, type WireOptions } from './wire.ts';

export type ScriptedProtocol = 'chat' | 'messages' | 'responses';

/** A protocol of one path. */
export interface Protocol {
  readonly name: ScriptedProtocol;
  translate(body: unknown): Translated;
  body(answer: RenderedAnswer, options: WireOptions, customTools: ReadonlySet<string>): unknown;
  events(
    answer: RenderedAnswer,
    options: WireOptions,
    asked: { readonly includeUsage: boolean; readonly customTools: ReadonlySet<string> },
  ): readonly string[];
}

const CHAT: Protocol = {
  name: 'chat',
  translate: (body) => ({ kind: 'chat', body: withPlainContent(body), customTools: new Set() }),
  body: completionBody,
  events: (answer, options, { includeUsage }) => streamEvents(answer, options, includeUsage),
};

const MESSAGES: Protocol = {
  name: 'messages',
  translate: chatOfMessages,
  body: messageBody,
  events: messageEvents,
};

const RESPONSES: Protocol = {
  name: 'responses',
  translate: chatOfResponses,
  body: responseBody,
  events: (answer, options, { customTools }) => responseEvents(answer, options, customTools),
};

export const PROTOCOLS: Readonly<Record<string, Protocol>> = {
  '/v1/chat/completions': CHAT,
  '/v1/messages': MESSAGES,
  '/v1/responses': RESPONSES,
};
