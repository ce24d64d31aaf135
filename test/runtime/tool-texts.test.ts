/** Every text that a tool answers an agent with, word for word, and every tool as each role is shown it: what a model reads is a product. */
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { runTools } from '../../activities/agent/run-tools.ts';
import { specsFor, toolsFor } from '../../activities/agent/tools-for.ts';
import { shadowRef } from '../../activities/shared/coordinates.ts';
import { extendTranscript, readTranscript } from '../../activities/shared/transcript.ts';
import { adoptSession } from '../../adapters/store/session.ts';
import { createSymbols } from '../../adapters/symbols/symbols.ts';
import type { Session } from '../../core/ports/session.ts';
import { REPEATS_MAX } from '../../core/runtime/repeats.ts';
import { AGENT_TOOLS } from '../../schemas/agent-tools.ts';
import { type RunToolsInput, RunToolsResult } from '../../schemas/agent-io.ts';
import type { Role } from '../../schemas/ids.ts';
import type { StoredAnswer } from '../../schemas/model.ts';
import { createSessions } from '../../workers/sessions.ts';
import { expectGolden } from '../support/golden.ts';

const FIXTURE = new URL('../fixtures/former-session.tar.xz', import.meta.url).pathname;
const NODE = 'sum.add';
const CODE = 'sum/add.py';
const TEST = 'tests/sum_add/test_add.py';
const STALE = '0123456789abcdef';

let folder: string;
let sessions: ReturnType<typeof createSessions>;
let session: Session;
let sessionId: string;
let base: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'a7-texts-'));
  await execa('tar', ['-xJf', FIXTURE, '-C', folder]);
  sessionId = await adoptSession(join(folder, 'sums'));
  sessions = createSessions({ A7_HOME: join(folder, 'home') });
  session = await sessions.open(join(folder, 'sums'));
  const branch = await session.trees.importCommit(
    `${session.contentDir}/.git`,
    (await session.content.head()) ?? '',
  );
  base = await session.trees.filterTree(branch, (path) => path === 'conftest.py' || path.startsWith('sum/'));
});
afterAll(async () => {
  await sessions.close();
  await rm(folder, { recursive: true, force: true });
});

/** What one message holds: calls as the model writes them. */
type Said = readonly (readonly [name: string, args: object | string])[];

/** A conversation of one agent, turn by turn. */
class Talk {
  readonly #role: Role;
  readonly #at: RunToolsInput['at'];
  #turn = 0;
  #head = '';
  #tree = base;
  readonly lines: string[] = [];
  constructor(role: Role, name: string) {
    this.#role = role;
    const dispatchId = `${NODE}.${name}`;
    this.#at = {
      sessionDir: session.dir,
      sessionId,
      stageId: 'core',
      run: 1,
      nodeId: NODE,
      role,
      dispatchId,
    };
    this.lines.push(`## ${role}: ${name}`);
  }

  /** The answers to one message. */
  async say(
    said: Said,
    more: Partial<RunToolsInput> = {},
    change: Partial<StoredAnswer> = {},
  ): Promise<string> {
    if (this.#turn === 0) {
      this.#head = await extendTranscript(session.objects, null, 0, [{ role: 'user', content: 'Begin' }]);
      await session.trees.keep(shadowRef(this.#at, 'base'), base);
    }
    this.#turn += 1;
    const calls = said.map(([name, args], at) => ({
      id: `c${String(at)}`,
      type: 'function' as const,
      function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
    }));
    const [first, ...others] = calls;
    const answer: StoredAnswer = {
      version: 1,
      message: {
        role: 'assistant',
        content: null,
        ...(first !== undefined && { tool_calls: [first, ...others] }),
      },
      finishReason: 'tool_calls',
      usage: null,
      provider: { responseId: null, model: null },
      garbage: null,
      ...change,
    };
    const input: RunToolsInput = {
      at: this.#at,
      turn: this.#turn,
      head: this.#head,
      tree: this.#tree,
      answerRef: await session.objects.put(JSON.stringify(answer)),
      silentTurnsLeft: 2,
      ...more,
    };
    const ports = { sessions, symbols: createSymbols(), models: { choose: () => Promise.resolve(null) } };
    const done: unknown = await new MockActivityEnvironment().run(runTools, ports, input);
    const { head, tree } = RunToolsResult.parse(done);
    [this.#head, this.#tree] = [head, tree];
    const [, ...told] = (await readTranscript(session.objects, head)).at(-1)?.messages ?? [];
    const texts = told.map(({ content }) => (typeof content === 'string' ? content : ''));
    const asked = calls.map((call) => `> ${call.function.name} ${call.function.arguments}`);
    this.lines.push('', ...(asked.length === 0 ? ['> (no call)'] : asked), ...texts);
    return texts.join('\n');
  }
}

test('tools are shown to each role as the golden file has them', () => {
  const shown = (['code', 'suite', 'suite_and_interface', 'findings'] as const).flatMap((form) => {
    const role = form === 'code' ? 'builder' : form === 'findings' ? 'analyst' : 'test_author';
    const specs = specsFor(role, form);
    expect(specs.map((spec) => spec.function.name)).toEqual(toolsFor(role));
    return [`# ${role}, ${form}`, ...specs.map((spec) => JSON.stringify(spec.function))];
  });
  expectGolden('agent/tools-shown.out.txt', `${shown.join('\n')}\n`);
});

test('each tool answers as the golden file has it, done or refused', async () => {
  const builder = new Talk('builder', 'done');
  await builder.say([['list_files', {}]]);
  await builder.say([['read_file', { path: CODE }], ['preview_file', { path: CODE, offset: 2, max_lines: 1 }]]); // prettier-ignore
  await builder.say([
    ['grep_content', { pattern: 'return' }],
    ['grep_content', { pattern: 'nowhere' }],
  ]);
  await builder.say([
    ['get_current_state', {}],
    ['run_lint', {}],
  ]);
  await builder.say([
    ['write_file', { path: 'sum/add/parts.py', content: 'def half(a):\n    return a / 2\n' }],
  ]);
  await builder.say([['create_directory', { path: 'sum/add/more' }]]);
  const read = await builder.say([['read_file', { path: 'sum/add/parts.py' }]]);
  const hash = /content_hash: ([0-9a-f]{16})/u.exec(read)?.[1] ?? '';
  const edit = { path: 'sum/add/parts.py', content_hash: hash, operations: [{ op: 'replace', start_line: 2, content: '    return a // 2' }] }; // prettier-ignore
  await builder.say([['edit_file', edit], ['edit_file', edit]]); // prettier-ignore
  await builder.say([['rename_file', { old_path: 'sum/add/parts.py', new_path: 'sum/add/halves.py' }]]);
  await builder.say([
    ['write_file', { path: 'sum/add/halves.py', content: 'def half(:\n' }],
    ['run_lint', {}],
  ]);
  await builder.say([
    ['get_current_state', {}],
    ['delete_file', { path: 'sum/add/halves.py' }],
  ]);
  const thought = { thought: 'Halves round down', category: 'decision', relates_to: 'G1' };
  await builder.say([['record_thought', thought]]);
  await builder.say([['get_current_state', {}]]);

  const refused = new Talk('builder', 'refused');
  await refused.say([['read_file', { path: 'sum/none.py' }], ['list_files', { glob: '*.rs' }]]); // prettier-ignore
  await refused.say([['write_file', { path: TEST, content: '' }], ['write_file', { path: '../x', content: '' }]]); // prettier-ignore
  await refused.say([['write_file', { path: 'sum/add/conftest.py', content: '' }]]);
  await refused.say([['edit_file', { ...edit, path: CODE, content_hash: STALE }]]);
  await refused.say([['edit_files', { edits: [{ ...edit, path: CODE, content_hash: STALE }] }]]);
  await refused.say([['delete_file', { path: 'sum/none.py' }], ['mv', { old_path: 'sum/none.py', new_path: CODE }]]); // prettier-ignore
  await refused.say([['grep_content', { pattern: '(' }], ['read_file', { file: CODE }], ['read_file', '{"path":']]); // prettier-ignore
  await refused.say([['open_file', { path: CODE }]]);
  await refused.say([['suspend', { type: 'near', detail: '' }]]);
  await refused.say([]);
  await refused.say([], {}, { garbage: '<html>' });
  await refused.say([], {}, { message: { role: 'assistant', content: '```python\nx = 1\n```' } });
  await refused.say([], { cut: { limit: 2000, raisedTo: 4000 } });
  await refused.say([['write_file', '{"path": "sum/add.py", "content": "def']], { cut: { limit: 2000 } }, { finishReason: 'length' }); // prettier-ignore
  for (let times = 1; times <= REPEATS_MAX; times += 1)
    await refused.say([['read_file', { path: 'sum/none.py' }]]);

  const meant = new Talk('builder', 'meant');
  await meant.say([['write_file', { path: `src/${CODE}`, content: '' }]]);
  await meant.say([['create_file', { file_path: '/sum/add/made.py', code: ['x = 1', 'y = 2'] }]]);

  const author = new Talk('test_author', 'suite');
  await author.say([['write_file', { path: TEST, content: 'from sum.add import add\n' }], ['write_file', { path: CODE, content: '' }]]); // prettier-ignore
  await author.say([['suspend', { type: 'near', detail: 'It contradicts itself' }]]);
  await author.say([['submit_pr', { status: 'suspended' }]], { gaveUp: true });

  const analyst = new Talk('analyst', 'findings');
  await analyst.say([['write_file', { path: CODE, content: '' }], ['read_file', { path: CODE }]]); // prettier-ignore
  await analyst.say([['suspend', { type: 'near', detail: 'x' }], ['submit_pr', { status: 'grounded' }]]); // prettier-ignore

  const text = [builder, refused, meant, author, analyst].map(({ lines }) => lines.join('\n')).join('\n\n');
  expectGolden('agent/tool-texts.out.txt', `${text}\n`);
  // Each was called, but for those that the gate answers.
  const silent = ['run_test', 'submit_pr'];
  const called = new Set([...text.matchAll(/^> (\w+) /gmu)].map(([, name]) => name));
  expect(Object.keys(AGENT_TOOLS).filter((name) => !called.has(name) && !silent.includes(name))).toEqual([]);
});
