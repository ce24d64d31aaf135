// A small agent that speaks the Agent Client Protocol over standard input and output, written to the protocol's own words without
// its library: one tool, a shell command, allowed by its client each time.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const { A7_MODEL_URL: url, A7_MODEL: model, A7_MODEL_TOKEN: token } = process.env;
const waiting = new Map();
let last = 0;
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const ask = (method, params) =>
  new Promise((resolve) => {
    last += 1;
    waiting.set(last, resolve);
    send({ id: last, method, params });
  });
const update = (sessionId, said) => send({ method: 'session/update', params: { sessionId, update: said } });

const parameters = { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] };
const tools = [{ type: 'function', function: { name: 'shell', description: 'Runs a command', parameters } }];

async function answer(messages) {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ model, messages, tools }),
  });
  if (!response.ok) throw new Error(`the model says ${response.status}`);
  return (await response.json()).choices[0].message;
}

const run = (command) =>
  new Promise((resolve) => {
    const child = spawn('sh', ['-c', command], { stdio: ['ignore', 'pipe', 'pipe'] });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += chunk));
    child.on('exit', (code) => resolve(`exit code ${code}\n${text.slice(0, 9999)}`));
  });

async function shell(sessionId, { id, function: { name, arguments: given } }) {
  const { command } = JSON.parse(given);
  // A tool that it does not know is one of the network's to it.
  const kind = name === 'shell' ? 'execute' : 'fetch';
  const toolCall = { toolCallId: id, title: String(command).slice(0, 60), kind, status: 'pending' };
  update(sessionId, { sessionUpdate: 'tool_call', ...toolCall });
  const options = [
    { optionId: 'yes', name: 'Allow', kind: 'allow_once' },
    { optionId: 'no', name: 'Reject', kind: 'reject_once' },
  ];
  const { outcome } = await ask('session/request_permission', { sessionId, toolCall, options });
  return outcome.optionId === 'yes' ? run(command) : 'not allowed';
}

async function prompt({ sessionId, prompt: parts }) {
  const messages = [{ role: 'user', content: parts.map(({ text }) => text).join('\n') }];
  for (;;) {
    const message = await answer(messages);
    messages.push({
      role: 'assistant',
      content: message.content ?? '',
      ...(message.tool_calls && { tool_calls: message.tool_calls }),
    });
    if (message.content)
      update(sessionId, {
        sessionUpdate: 'agent_message_chunk',
        content: { type: 'text', text: message.content },
      });
    if (!message.tool_calls) return { stopReason: 'end_turn' };
    for (const call of message.tool_calls)
      messages.push({ role: 'tool', tool_call_id: call.id, content: await shell(sessionId, call) });
  }
}

const handlers = {
  initialize: () => ({
    protocolVersion: 1,
    agentCapabilities: {},
    agentInfo: { name: 'scripted', version: '1' },
  }),
  'session/new': () => ({ sessionId: 's1' }),
  'session/prompt': prompt,
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line);
  if (message.method === undefined) return void waiting.get(message.id)?.(message.result);
  Promise.resolve()
    .then(() => handlers[message.method](message.params))
    .then((result) => send({ id: message.id, result }))
    .catch((error) => send({ id: message.id, error: { code: -32603, message: String(error.message) } }));
});
