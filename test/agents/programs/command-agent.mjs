// An agent for `command`: any program that asks its model at the door and runs what it says, told by environment alone.
import { spawnSync } from 'node:child_process';

const { A7_MODEL_URL: url, A7_MODEL: model, A7_MODEL_TOKEN: token } = process.env;
const parameters = { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] };
const tools = [{ type: 'function', function: { name: 'shell', description: 'Runs a command', parameters } }];
const messages = [{ role: 'user', content: 'Change this repository.' }];

for (;;) {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ model, messages, tools }),
  });
  if (!response.ok) process.exit(9);
  const { message } = (await response.json()).choices[0];
  if (!message.tool_calls) break;
  messages.push({ role: 'assistant', content: message.content ?? '', tool_calls: message.tool_calls });
  for (const { id, function: asked } of message.tool_calls) {
    const { command } = JSON.parse(asked.arguments);
    const ran =
      asked.name === 'shell'
        ? spawnSync('sh', ['-c', command], { encoding: 'utf8', maxBuffer: 1 << 26 })
        : null;
    const content = ran === null ? 'no such tool' : `exit code ${ran.status}\n${ran.stdout.slice(0, 9999)}`;
    messages.push({ role: 'tool', tool_call_id: id, content });
  }
}
