/** OpenAI responses: an answer as the API writes it, whole or as the events of a stream. */
import type { RenderedAnswer } from './answer.ts';
import { textPieces, type WireOptions } from './wire.ts';

/** The body of an answer without a stream. */
export function responseBody(
  answer: RenderedAnswer,
  options: WireOptions,
  customTools: ReadonlySet<string>,
): Record<string, unknown> {
  const { promptTokens = 0, completionTokens = 0, cachedTokens = 0 } = answer.usage ?? {};
  return {
    id: `resp_${options.id}`,
    object: 'response',
    created_at: options.createdSeconds,
    model: options.model,
    status: answer.finishReason === 'length' ? 'incomplete' : 'completed',
    incomplete_details: answer.finishReason === 'length' ? { reason: 'max_output_tokens' } : null,
    output: itemsOf(answer, options, customTools),
    usage: {
      input_tokens: promptTokens,
      input_tokens_details: { cached_tokens: cachedTokens },
      output_tokens: completionTokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: promptTokens + completionTokens,
    },
  };
}

/** The events of a streamed answer. */
export function responseEvents(
  answer: RenderedAnswer,
  options: WireOptions,
  customTools: ReadonlySet<string>,
): readonly string[] {
  const body = responseBody(answer, options, customTools);
  let sequence = 0;
  const event = (type: string, fields: Record<string, unknown>): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...fields })}`;
  const events = [
    event('response.created', { response: { ...body, status: 'in_progress', output: [], usage: null } }),
  ];
  for (const [output_index, item] of itemsOf(answer, options, customTools).entries()) {
    const item_id = item['id'];
    const at = { item_id, output_index };
    if (item['type'] === 'message') {
      const part = (item['content'] as unknown[])[0];
      events.push(
        event('response.output_item.added', {
          output_index,
          item: { ...item, status: 'in_progress', content: [] },
        }),
        event('response.content_part.added', {
          ...at,
          content_index: 0,
          part: { type: 'output_text', text: '', annotations: [] },
        }),
        ...textPieces(answer.text ?? '').map((delta) =>
          event('response.output_text.delta', { ...at, content_index: 0, delta }),
        ),
        event('response.output_text.done', { ...at, content_index: 0, text: answer.text }),
        event('response.content_part.done', { ...at, content_index: 0, part }),
      );
    } else {
      const field = item['type'] === 'function_call' ? 'arguments' : 'input';
      const name = field === 'arguments' ? 'function_call_arguments' : 'custom_tool_call_input';
      const text = String(item[field]);
      events.push(
        event('response.output_item.added', {
          output_index,
          item: { ...item, [field]: '', status: 'in_progress' },
        }),
        ...textPieces(text).map((delta) => event(`response.${name}.delta`, { ...at, delta })),
        event(`response.${name}.done`, { ...at, [field]: text }),
      );
    }
    events.push(event('response.output_item.done', { output_index, item }));
  }
  const isCut = body['status'] === 'incomplete';
  events.push(event(isCut ? 'response.incomplete' : 'response.completed', { response: body }));
  return events;
}

function itemsOf(
  { text, toolCalls }: RenderedAnswer,
  { id }: WireOptions,
  customTools: ReadonlySet<string>,
): Record<string, unknown>[] {
  const status = 'completed';
  const content = [{ type: 'output_text', text, annotations: [] }];
  return [
    ...(text === null || text === ''
      ? []
      : [{ type: 'message', id: `msg_${id}`, role: 'assistant', status, content }]),
    ...toolCalls.map(({ id: call_id, function: { name, arguments: json } }, index) =>
      customTools.has(name)
        ? {
            type: 'custom_tool_call',
            id: `ctc_${id}_${String(index)}`,
            call_id,
            name,
            input: (JSON.parse(json) as { readonly input: string }).input,
            status,
          }
        : {
            type: 'function_call',
            id: `fc_${id}_${String(index)}`,
            call_id,
            name,
            arguments: json,
            status,
          },
    ),
  ];
}
