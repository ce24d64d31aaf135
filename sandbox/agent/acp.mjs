// Agent `acp`: a client of the Agent Client Protocol in the agent's room. It starts the agent (a shell command), gives it the prompt of
// standard input, answers its requests by policy, and prints a line of JSON for each thing that happens; the last says how it ended.
// Arguments: where the SDK lies, the command. The room is the boundary: the agent uses files and commands of the room itself.
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { Readable, Writable } from 'node:stream';

const [sdk, command] = process.argv.slice(2);
const { client, methods, ndJsonStream, PROTOCOL_VERSION } = await import(sdk);

// What is pointless here: there is no network but the way to the model.
const REFUSED_KINDS = new Set(['fetch']);
const ENDS = {
  end_turn: 'ok',
  max_tokens: 'limit',
  max_turn_requests: 'limit',
  refusal: 'refused',
  cancelled: 'crashed',
};
const NOTES_MAX = 60_000;

const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
let notes = '';

/** The policy: allow once, else for good; a kind that is refused, or a request without such an option, is turned down. */
function answerOf({ options, toolCall }) {
  const isRefused = REFUSED_KINDS.has(toolCall?.kind);
  const wanted = isRefused ? ['reject_once', 'reject_always'] : ['allow_once', 'allow_always'];
  const option = wanted
    .map((kind) => options.find((each) => each.kind === kind))
    .find((each) => each !== undefined);
  say({
    type: 'permission',
    title: toolCall?.title ?? '',
    kind: toolCall?.kind ?? '',
    answer: option?.kind ?? 'cancelled',
  });
  if (option === undefined) return { outcome: { outcome: 'cancelled' } };
  return { outcome: { outcome: 'selected', optionId: option.optionId } };
}

function update({ update: said }) {
  const kind = said.sessionUpdate;
  if (kind === 'agent_message_chunk' && said.content?.type === 'text')
    notes = (notes + said.content.text).slice(-NOTES_MAX);
  // Words between two calls are no notes: the last ones are.
  if (kind === 'tool_call') notes = '';
  say({
    type: 'update',
    kind,
    ...(said.title === undefined ? {} : { title: said.title }),
    ...(said.status === undefined ? {} : { status: said.status }),
  });
}

const agent = spawn('sh', ['-c', command], { stdio: ['pipe', 'pipe', 'inherit'] });
const gone = new Promise((resolve) => {
  agent.on('error', (error) => resolve({ kind: 'crashed', detail: error.message }));
  agent.on('exit', (code, signal) =>
    resolve({ kind: 'crashed', detail: `the agent ended before its turn did (${signal ?? code})` }),
  );
});
agent.stdin.on('error', () => undefined);

async function turn(prompt) {
  const stream = ndJsonStream(Writable.toWeb(agent.stdin), Readable.toWeb(agent.stdout));
  const app = client({ name: 'a7-rt' })
    .onRequest(methods.client.session.requestPermission, (context) => answerOf(context.params))
    .onNotification(methods.client.session.update, (context) => update(context.params));
  return app.connectWith(stream, async (peer) => {
    const clientCapabilities = { fs: { readTextFile: false, writeTextFile: false }, terminal: false };
    const { agentInfo } = await peer.request(methods.agent.initialize, {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities,
    });
    say({ type: 'agent', info: agentInfo ?? null });
    const { sessionId } = await peer.request(methods.agent.session.new, {
      cwd: process.cwd(),
      mcpServers: [],
    });
    const { stopReason } = await peer.request(methods.agent.session.prompt, {
      sessionId,
      prompt: [{ type: 'text', text: prompt }],
    });
    return {
      kind: ENDS[stopReason] ?? 'crashed',
      detail: stopReason === 'end_turn' ? '' : String(stopReason),
    };
  });
}

const prompt = await text(process.stdin);
const failed = (error) => ({ kind: 'model_error', detail: String(error?.message ?? error).slice(0, 1000) });
const end = await Promise.race([turn(prompt).catch(failed), gone]);
agent.kill('SIGKILL');
process.stdout.write(`${JSON.stringify({ type: 'end', ...end, notes: notes.trim() })}\n`, () =>
  process.exit(end.kind === 'ok' ? 0 : 1),
);
