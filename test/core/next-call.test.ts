/** The last line of every text that an agent reads, and the fields of a call that count. */
import { describe, expect, test } from '@jest/globals';
import { apiDeclarations } from '../../core/contract/test-contract.ts';
import { toolsFor } from '../../activities/agent/tools-for.ts';
import { readCalls } from '../../core/runtime/read-answer.ts';
import type { StoredAnswer } from '../../schemas/model.ts';
import { givesUp } from '../../core/runtime/give-up.ts';
import { relevantInput } from '../../core/runtime/read-input.ts';
import { type Before, type OwnWork, nextCall } from '../../core/shadow/next-call.ts';
import { toolSpecs } from '../../schemas/agent-tools.ts';
import { expectGolden } from '../support/golden.ts';

const CODE: OwnWork = {
  form: 'code',
  nodeId: 'text.shout',
  mainFile: 'text/shout.py',
  files: [],
  testFiles: [],
  isChanged: false,
  mayBeEmpty: false,
  clauses: ['E1', 'G1'],
};
const written = (work: OwnWork): OwnWork => ({
  ...work,
  files: [work.mainFile],
  testFiles: [work.mainFile],
  isChanged: true,
});
const SUITE: OwnWork = { ...CODE, form: 'suite', mainFile: 'tests/text_shout/test_shout.py' };
const OPEN: OwnWork = { ...SUITE, form: 'suite_and_interface', clauses: ['G1'] };
const WORKS: Readonly<Record<string, OwnWork>> = {
  'builder, nothing written': CODE,
  'builder, files of an earlier attempt': { ...written(CODE), isChanged: false },
  'builder, written': written(CODE),
  'builder of a node that is a suite': { ...CODE, mayBeEmpty: true },
  'author, nothing written': SUITE,
  'author of Mode A, written': written(SUITE),
  'author of Mode B, written': written(OPEN),
  analyst: { ...CODE, form: 'findings' },
};
const BEFORES: readonly Before[] = [
  { kind: 'other' },
  { kind: 'read', path: 'text/shout.py', hash: '0123456789abcdef' },
  { kind: 'stale', path: 'text/shout.py' },
  { kind: 'refused' },
  { kind: 'unwritten', path: 'src/text/shout.py' },
];

describe('nextCall()', () => {
  test('names a call with its known arguments wherever the work stands', () => {
    const lines = Object.entries(WORKS).flatMap(([name, work]) => [
      name,
      ...BEFORES.map((before) => `  ${before.kind}: ${nextCall(work, before)}`),
    ]);
    expectGolden('agent/next-call.out.txt', `${lines.join('\n')}\n`);
  });
});

/** Every `tool {...}` of a line. */
function callsOf(line: string): { readonly name: string; readonly arguments: string }[] {
  return [...line.matchAll(/\b([a-z_]+) (?=\{)/gu)].flatMap(({ index, 0: head, 1: name = '' }) => {
    const json = line.slice(index + head.length);
    for (let end = json.indexOf('}'); end !== -1; end = json.indexOf('}', end + 1)) {
      const text = json.slice(0, end + 1);
      try {
        JSON.parse(text);
        return [{ name, arguments: text }];
      } catch {
        // A bracket inside of the arguments.
      }
    }
    return [{ name, arguments: json }];
  });
}

const MANY: OwnWork = {
  ...written(SUITE),
  clauses: Array.from({ length: 60 }, (_, at) => `G${String(at + 1)}`),
};

test.each(Object.entries({ ...WORKS, 'author, many clauses': MANY }))(
  'each call that is named can be made as it stands: %s',
  (name, work) => {
    const role = name.startsWith('author') ? 'test_author' : name === 'analyst' ? 'analyst' : 'builder';
    for (const before of BEFORES) {
      const calls = callsOf(nextCall(work, before));
      expect(calls).not.toEqual([]);
      const tool_calls = calls.map((call, at) => ({
        id: `c${String(at)}`,
        type: 'function' as const,
        function: call,
      }));
      const [first, ...others] = tool_calls;
      if (first === undefined) continue;
      const answer: StoredAnswer = {
        version: 1,
        message: { role: 'assistant', content: null, tool_calls: [first, ...others] },
        finishReason: 'tool_calls',
        usage: null,
        provider: { responseId: null, model: null },
        garbage: null,
      };
      // Strictly: a reader of answers forgives much, and a weak model copies what it sees.
      expect(calls.map((call) => typeof JSON.parse(call.arguments))).toEqual(calls.map(() => 'object'));
      const read = readCalls(answer, toolsFor(role));
      expect(read.filter(({ kind }) => kind === 'invalid')).toEqual([]);
      expect(read).toHaveLength(calls.length);
    }
  },
);

describe('toolSpecs()', () => {
  test('show a builder a note and nothing that is known already', () => {
    const [spec] = toolSpecs(['submit_pr'], 'code');
    expect(Object.keys(spec?.function.parameters['properties'] ?? {})).toEqual(['pr_note']);
    expect(JSON.stringify(toolSpecs(undefined, 'code')).length).toBeLessThan(
      JSON.stringify(toolSpecs()).length * 0.85,
    );
  });
});

describe('relevantInput()', () => {
  test('passes over unknown fields, empty optional ones, and what of submit_pr is known anyway', () => {
    const filled = {
      status: 'done',
      interface: 'def shout(text)',
      files: 7,
      suspension: { type: 'near', detail: '' },
      covers: [],
      test_contract: '',
      pr_note: 'ready',
      colour: 'red',
    };
    expect(relevantInput('submit_pr', filled)).toEqual({ pr_note: 'ready' });
    expect(relevantInput('preview_file', { path: 'a.py', offset: null, max_lines: 3, extra: {} })).toEqual({
      path: 'a.py',
      max_lines: 3,
    });
  });

  test('leaves a wrong value of a field that counts for the schema to refuse', () => {
    expect(relevantInput('preview_file', { path: '', offset: 'three' })).toEqual({
      path: '',
      offset: 'three',
    });
    expect(relevantInput('preview_file', { path: 'a', offset: '3' })).toEqual({ path: 'a', offset: 3 });
    expect(relevantInput('read_file', ['a.py'])).toEqual(['a.py']);
  });
});

describe('givesUp()', () => {
  test('asks for the status: a suspension that was only filled in gives nothing up', () => {
    const suspension = { type: 'void', detail: 'it contradicts itself' } as const;
    expect(givesUp({ suspension })).toBeNull();
    expect(givesUp({ status: 'grounded', suspension })).toBeNull();
    expect(givesUp({ status: 'suspended', suspension })).toEqual(suspension);
    expect(givesUp({ status: 'suspended' })).toEqual({ type: 'near', detail: '' });
  });
});

describe('apiDeclarations()', () => {
  const contract = (api: string): string =>
    `TEST CONTRACT: a.b\nAPI:\n${api}\nBEHAVIOR:\n- x\nEDGES:\n- y\nCOERCION:\n- none`;

  test('reads one declaration a bullet, a class with its members among them', () => {
    const api = '- `def f(a: int) -> int`\n- class Box:\n      size: int\n      def open(self) -> None: ...';
    expect(apiDeclarations(contract(api))).toEqual([
      'def f(a: int) -> int: ...',
      'class Box:\n      size: int\n      def open(self) -> None: ...',
    ]);
  });

  test('reads a fenced block without bullets, decorators and closing brackets', () => {
    const api = '```ts\nexport function f(a: number): string;\nexport class Box {\n  size: number;\n}\n```';
    expect(apiDeclarations(contract(api))).toEqual([
      'export function f(a: number): string;',
      'export class Box {\n  size: number;\n}',
    ]);
    expect(apiDeclarations(contract('@dataclass\nclass P:\n    x: int'))).toEqual([
      '@dataclass\nclass P:\n    x: int',
    ]);
  });
});
