// A chat completions endpoint that answers at once, or after a fixed time: what is measured then is the harness.
import { createServer } from 'node:http';

/**
 * Starts it. `answer(place)` gives `{ toolCalls: [[name, arguments]], delayMs }` for the place that the client names in
 * its header `x-a7-call`. Requests are read to their end and not looked at.
 */
export async function startInstantModel(answer) {
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      const told = request.headers['x-a7-call'];
      // Who only asks what the endpoint can do names no place.
      if (told === undefined) return void response.writeHead(404).end();
      const place = JSON.parse(told);
      const { toolCalls, delayMs = 0 } = answer(place);
      if (delayMs === 0) reply(response, place, toolCalls);
      else setTimeout(() => reply(response, place, toolCalls), delayMs);
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/v1`,
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
}

function reply(response, place, toolCalls) {
  const calls = toolCalls.map(([name, input], index) => ({
    index,
    id: `call_${place.node ?? 'manager'}_${place.role}_${place.dispatch}_${place.turn}_${index}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }));
  const choice = (delta, finishReason) => ({
    ...HEAD,
    choices: [{ index: 0, delta, finish_reason: finishReason }],
  });
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  send(response, choice({ role: 'assistant', content: null, tool_calls: calls }, null));
  send(response, choice({}, 'tool_calls'));
  send(response, {
    ...HEAD,
    choices: [],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  });
  response.end('data: [DONE]\n\n');
}

const HEAD = { id: 'bench', object: 'chat.completion.chunk', created: 0, model: 'bench' };

function send(response, chunk) {
  response.write(`data: ${JSON.stringify(chunk)}\n\n`);
}
