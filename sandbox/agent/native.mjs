// Agent `native`: our own loop for any chat-completions endpoint, in the agent's room like any other program. It reads its prompt
// from standard input, asks the model at the door, does what it asks, and prints a line of JSON for each step; the last one says
// how it ended. Bounds of tokens, money and calls are the door's; here are turns and silence.
import { TOOLS, runTool } from './tools.mjs';

const { A7_MODEL_URL: url, A7_MODEL: model, A7_MODEL_TOKEN: token } = process.env;
const TURNS_MAX = Number(process.argv[2] ?? 100);
const SILENT_MAX = 3;
const TRIES_MAX = 4;
const CHARS_MAX = 400_000;
const SAME_MAX = 3;

const SYSTEM = `You are a coding agent in the folder /work, a git repository. Use the tools to read, change and run things there.
Make the change that the task asks for, run the checks that it names, repair what fails, then call "finish".
Paths are relative to /work. Answer every turn with a tool call.`;

const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** The answer of the model, or how the run ends without one. */
async function ask(messages) {
  for (let tries = 1; ; tries += 1) {
    let status = 0;
    let text = '';
    let after = 2 ** tries * 250;
    try {
      const response = await fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body: JSON.stringify({ model, messages, tools: TOOLS.map(({ spec }) => spec) }),
      });
      status = response.status;
      text = await response.text();
      const told = response.headers.get('retry-after');
      if (told !== null) after = Math.min(20_000, Number(told) * 1000 || 0);
    } catch (error) {
      text = String(error?.cause?.message ?? error);
    }
    const body = parsed(text);
    const message = body?.choices?.[0]?.message;
    if (status === 200 && message) return { message, finish: body.choices[0].finish_reason };
    const detail = `${status === 0 ? 'no answer' : String(status)}: ${String(body?.error?.message ?? text).slice(0, 500)}`;
    if (body?.error?.code === 'a7_refused') return { end: { kind: 'limit', detail } };
    if ((status > 0 && status < 500 && status !== 429) || tries >= TRIES_MAX)
      return { end: { kind: 'model_error', detail } };
    say({ type: 'again', detail });
    await wait(after);
  }
}

/** Old results are left out when the conversation outgrows a model; the task and the last turns never are. */
function shortened(messages) {
  let chars = JSON.stringify(messages).length;
  for (const message of messages.slice(2, -8)) {
    if (chars <= CHARS_MAX) break;
    if (message.role !== 'tool' || message.content.length < 200) continue;
    chars -= message.content.length;
    message.content = '[left out: call the tool again if you need it]';
  }
  return messages;
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

async function run(prompt) {
  const messages = [
    { role: 'system', content: SYSTEM },
    { role: 'user', content: prompt },
  ];
  let silent = 0;
  const seen = new Map();
  for (let turn = 1; turn <= TURNS_MAX; turn += 1) {
    const answer = await ask(shortened(messages));
    if (answer.end) return answer.end;
    const { content = null, tool_calls: calls = [] } = answer.message;
    say({ type: 'turn', turn, text: content, calls: calls.map((call) => call.function.name) });
    messages.push({
      role: 'assistant',
      content: content ?? (calls.length === 0 ? '' : null),
      ...(calls.length > 0 && { tool_calls: calls }),
    });
    if (calls.length === 0) {
      silent += 1;
      if (silent >= SILENT_MAX)
        return { kind: 'refused', detail: `${String(silent)} answers in a row without a tool call` };
      const why = answer.finish === 'length' ? 'Your answer was cut at its limit: say less at once. ' : '';
      messages.push({
        role: 'user',
        content: `${why}Answer with a tool call; when the task is done, call "finish".`,
      });
      continue;
    }
    silent = 0;
    let finished = null;
    for (const call of calls) {
      const args = parsed(call.function.arguments || '{}');
      const result = await runTool(call.function.name, args);
      finished ??= result.finish ?? null;
      const key = call.function.name + call.function.arguments;
      const times = (seen.get(key) ?? 0) + 1;
      seen.set(key, times);
      const again =
        times >= SAME_MAX ? `\n(You have asked just this ${String(times)} times. Try something else.)` : '';
      say({ type: 'tool', name: call.function.name, ok: result.ok, text: result.text.slice(0, 2000) });
      messages.push({ role: 'tool', tool_call_id: call.id, content: result.text + again });
    }
    if (finished !== null) return { kind: 'ok', detail: '', notes: finished };
  }
  return { kind: 'limit', detail: `turns, at most ${String(TURNS_MAX)}` };
}

let prompt = '';
for await (const chunk of process.stdin) prompt += chunk;
say({ type: 'end', ...(await run(prompt)) });
