/** What a request contains, as text that evidence and patterns are looked up in. */
import type { ChatMessage } from '../../schemas/model.ts';

export interface RequestText {
  /** What the model was told: system, user and tool messages, in order. */
  readonly told: readonly string[];
  /** What the model itself said before: words and tool arguments. */
  readonly said: readonly string[];
}

export function readRequestText(messages: readonly ChatMessage[]): RequestText {
  const told = messages.flatMap((message) => (message.role === 'assistant' ? [] : [message.content]));
  const said = messages.flatMap((message) =>
    message.role === 'assistant'
      ? [
          message.content ?? '',
          ...(message.tool_calls ?? []).flatMap((call) => argumentTexts(call.function.arguments)),
        ]
      : [],
  );
  return { told, said };
}

/** Every text inside a JSON value. */
export function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsOf);
}

/** Whether one of the texts holds `name` as a whole: not as a part of a longer path or word. */
export function holdsName(texts: readonly string[], name: string): boolean {
  const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const whole = new RegExp(`(?<![\\w./-])(?:\\./)?${escaped}(?![\\w/-])`);
  return texts.some((text) => whole.test(text));
}

function argumentTexts(json: string): readonly string[] {
  try {
    return textsOf(JSON.parse(json));
  } catch {
    return [json];
  }
}
