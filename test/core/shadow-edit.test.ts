/** Line edits, path rules, search and tool schemas: the pure half of the file tools. */
import { describe, expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { type EditOperation, applyEdits } from '../../core/shadow/edit.ts';
import { grepText, parsePattern, searchText } from '../../core/shadow/grep.ts';
import { GREP_MAX_MATCHES, LIST_MAX_PATHS } from '../../core/shadow/limits.ts';
import { joinLines, splitLines } from '../../core/shadow/lines.ts';
import { checkPath, findCollision, foldName, utf8Length } from '../../core/shadow/path-rules.ts';
import { listFilesText } from '../../core/shadow/read-tools.ts';
import { AGENT_TOOLS, type AgentToolName, FILE_TOOLS, toolSpecs } from '../../schemas/agent-tools.ts';

const ending = fc.constantFrom('\n', '\r\n');
const lineText = fc.string({ maxLength: 8 }).map((text) => text.replace(/[\r\n]/g, ''));
const anyText = fc
  .tuple(fc.array(fc.tuple(lineText, ending), { maxLength: 12 }), lineText)
  .map(([lines, last]) => lines.map((line) => line.join('')).join('') + last);

describe('splitLines()', () => {
  test('and joinLines() give back every byte', () => {
    fc.assert(fc.property(anyText, (text) => expect(joinLines(splitLines(text))).toBe(text)));
  });
});

describe('applyEdits()', () => {
  test('equals edits of a plain list of lines and keeps every untouched line with its ending', () => {
    const cut = fc.record({
      skip: fc.nat(3),
      take: fc.nat(2),
      lines: fc.array(
        lineText.filter((text) => text !== ''),
        { maxLength: 3 },
      ),
    });
    fc.assert(
      fc.property(anyText, fc.array(cut, { maxLength: 4 }), fc.boolean(), (text, cuts, backwards) => {
        const before = splitLines(text);
        const expected: string[] = [];
        const kept: string[] = [];
        const operations: EditOperation[] = [];
        let at = 0;
        for (const { skip, take, lines } of cuts) {
          const from = at + skip + 1;
          if (from + take > before.length) break;
          for (const line of before.slice(at, from)) expected.push(line.text);
          kept.push(...before.slice(at, from).map((line) => line.text + line.ending));
          expected.push(...lines);
          if (take > 0 && lines.length > 0)
            operations.push({
              op: 'replace',
              start_line: from + 1,
              end_line: from + take,
              content: lines.join('\n'),
            });
          else if (take > 0) operations.push({ op: 'delete', start_line: from + 1, end_line: from + take });
          else if (lines.length > 0)
            operations.push({ op: 'insert_after', start_line: from, content: `${lines.join('\n')}\n` });
          at = from + take;
        }
        for (const line of before.slice(at)) expected.push(line.text);
        const outcome = applyEdits(text, backwards ? operations.reverse() : operations);
        if (outcome.status === 'refused') throw new Error(outcome.rule);
        const after = splitLines(outcome.text);
        expect(after.map((line) => line.text)).toEqual(expected);
        const bytes = new Set(after.map((line) => line.text + line.ending));
        for (const line of kept) if (/[\r\n]$/.test(line)) expect(bytes).toContain(line);
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    ['a\r\nb\r\n', { op: 'replace', start_line: 2, content: 'x\ny' }, 'a\r\nx\r\ny\r\n'],
    ['a\nb', { op: 'replace', start_line: 2, content: 'x\n' }, 'a\nx'],
    ['a\nb', { op: 'insert_after', start_line: 2, content: 'c' }, 'a\nb\nc'],
    ['a\nb', { op: 'delete', start_line: 2 }, 'a\n'],
    ['', { op: 'insert_after', start_line: 0, content: 'a' }, 'a\n'],
    ['a\n', { op: 'insert_after', start_line: 0, content: '' }, '\na\n'],
    ['\ufeffa\nb\n', { op: 'delete', start_line: 2 }, '\ufeffa\n'],
  ] as const)('turns %j with %j into %j', (text, operation, expected) => {
    expect(applyEdits(text, [operation])).toMatchObject({ status: 'edited', text: expected });
  });

  test.each([
    [
      [{ op: 'replace', start_line: 3, content: 'x' }],
      1,
      'start_line must be 1 to 2, current value is 3; the file has 2 lines',
    ],
    [
      [{ op: 'delete', start_line: 2, end_line: 1 }],
      1,
      'end_line must be 2 to 2, current value is 1; the file has 2 lines',
    ],
    [[{ op: 'replace', start_line: 1 }], 1, 'replace must have content; use delete to remove lines'],
    [[{ op: 'delete', start_line: 1, content: '' }], 1, 'delete must not have content; use replace'],
    [
      [{ op: 'insert_after', start_line: 0, end_line: 1, content: '' }],
      1,
      'insert_after must not have end_line',
    ],
    [
      [
        { op: 'delete', start_line: 1, end_line: 2 },
        { op: 'insert_after', start_line: 1, content: 'x' },
      ],
      2,
      'must not overlap operation 1; join the two into one replace',
    ],
  ] as const)('refuses %j', (operations, operation, rule) => {
    expect(applyEdits('a\nb\n', operations)).toEqual({ status: 'refused', operation, rule });
  });
});

describe('checkPath()', () => {
  test.each([
    'a.py',
    'tests/auth_jwt/test_x.py',
    '.gitignore',
    '.github/x.yml',
    'app/[id]/page.ts',
    'ü/日本.txt',
    'git~x',
    '...a',
  ])('accepts %j', (path) => expect(checkPath(path)).toBeNull());

  test('never accepts a path that leaves the tree or names .git, whatever surrounds it', () => {
    const bad = fc.constantFrom(
      '..',
      '.',
      '',
      '.git',
      '.GIT',
      'git~1',
      '.git\u200d',
      '.Git.',
      '.git ',
      'a\0',
      'a\\b',
      'a:b',
    );
    const fine = fc.constantFrom('a', 'b.py', 'c d');
    fc.assert(
      fc.property(
        fc.array(fine, { maxLength: 4 }),
        bad,
        fc.array(fine, { maxLength: 4 }),
        (before, name, after) => {
          expect(checkPath([...before, name, ...after].join('/'))).not.toBeNull();
        },
      ),
    );
  });

  test('counts bytes as UTF-8 does', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) =>
        expect(utf8Length(text)).toBe(new TextEncoder().encode(text).length),
      ),
    );
  });
});

describe('findCollision()', () => {
  test('sees files and folders that some file system takes for one', () => {
    expect(findCollision(['a/x', 'a/y', 'b'])).toBeNull();
    expect(findCollision(['a/x', 'A/y'])).toEqual(['a', 'A']);
    expect(findCollision(['straße', 'STRASSE'])).toEqual(['straße', 'STRASSE']);
    expect(foldName('ẞ')).toBe(foldName('ß'));
  });
});

describe('searchText()', () => {
  const lines = (source: string, text: string): number[] => {
    const parsed = parsePattern(source);
    if (parsed.status === 'refused') throw new Error(parsed.rule);
    return searchText(parsed.pattern, 'f', text, 100).map((match) => match.line);
  };

  test('matches line by line, as the shortcut over whole texts never misses', () => {
    const text = 'import re\r\nfoo\n\nfoo bar\nlast';
    expect(lines('^foo$', text)).toEqual([2]);
    expect(lines('foo(?!.)', text)).toEqual([2]);
    expect(lines('(?i)FOO', text)).toEqual([2, 4]);
    expect(lines('^$', text)).toEqual([3]);
    expect(lines('re$', text)).toEqual([1]);
    expect(lines('\\-|t$', text)).toEqual([5]);
    const pattern = fc.constantFrom(
      '^a',
      'b$',
      'a.*b',
      '[^a]',
      '\\bab',
      'a(?=b)',
      '(?<!a)b',
      'a\\B',
      '^$',
      'a|^b$',
    );
    const source = fc
      .array(fc.constantFrom('a', 'b', ' ', '\n', '\r\n'), { maxLength: 14 })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(pattern, source, (wanted, text) => {
        const all = text.split(/\r?\n/);
        if (all.at(-1) === '') all.pop();
        const expected = all.flatMap((line, index) => (new RegExp(wanted).test(line) ? [index + 1] : []));
        expect(lines(wanted, text)).toEqual(expected);
      }),
    );
  });

  test('says why a pattern is refused', () => {
    expect(parsePattern('(?P<n>x)')).toMatchObject({ status: 'refused' });
    expect(parsePattern('a[')).toMatchObject({ status: 'refused' });
  });
});

describe('result texts', () => {
  test('grepText() counts, cuts and tells how to go on', () => {
    const none = { tooLarge: [], bytesLimit: false };
    expect(grepText('x', [], none)).toBe('No line matches /x/');
    expect(grepText('x', [{ path: 'a', line: 3, text: 'x' }], none)).toBe('1 line in 1 file\na:3: x');
    const many = Array.from({ length: GREP_MAX_MATCHES + 1 }, (_, index) => ({
      path: `f${index % 2}`,
      line: index + 1,
      text: 'x',
    }));
    const text = grepText('x', many, { tooLarge: ['big.bin'], bytesLimit: false }).split('\n');
    expect(text[0]).toBe('200 lines in 2 files');
    expect(text.slice(-2)).toEqual([
      '[Stopped after 200 lines; there are more. Use a narrower pattern or glob.]',
      '[Not searched, over 1048576 bytes: big.bin]',
    ]);
  });

  test('listFilesText() counts and cuts', () => {
    expect(listFilesText(undefined, [])).toBe('There are no files yet');
    expect(listFilesText('*.py', [])).toBe('No file matches "*.py"');
    expect(listFilesText('*.py', [{ path: 'a.py', link: true }])).toBe(
      '1 file matches "*.py"\na.py (link, cannot be read)',
    );
    const many = Array.from({ length: LIST_MAX_PATHS + 1 }, (_, index) => ({
      path: `f${index}`,
      link: false,
    }));
    expect(listFilesText(undefined, many).split('\n').at(-1)).toBe(
      '[Showing 500 of 501 files. Use a narrower glob to see the others.]',
    );
  });
});

describe('toolSpecs()', () => {
  test('gives the sixteen tools of the seed, and `suspend`, as strict JSON Schema objects with described fields', () => {
    const specs = toolSpecs();
    expect(specs).toHaveLength(17);
    const ajv = new Ajv({ strict: true });
    for (const { function: tool } of specs) {
      expect(tool.parameters).toMatchObject({ type: 'object', additionalProperties: false });
      const properties = tool.parameters['properties'] as Record<
        string,
        { description?: string; $ref?: string }
      >;
      expect(properties).toHaveProperty('intent');
      for (const field of Object.values(properties)) expect(field.description ?? '').not.toBe('');
      expect(tool.description).not.toBe('');
      ajv.compile(tool.parameters);
    }
    expect(toolSpecs(FILE_TOOLS)).toHaveLength(11);
  });

  test('accept intent everywhere and coerce nothing', () => {
    const names = Object.keys(AGENT_TOOLS) as AgentToolName[];
    for (const name of names) {
      expect(AGENT_TOOLS[name].safeParse({ intent: 7 }).success).toBe(false);
      expect(AGENT_TOOLS[name].safeParse({ surprise: 1 }).success).toBe(false);
    }
    expect(AGENT_TOOLS.preview_file.safeParse({ path: 'a', offset: '3' }).success).toBe(false);
    expect(AGENT_TOOLS.run_test.parse({ intent: 'see' })).toEqual({ intent: 'see' });
    const submit = { status: 'grounded', interface: { exports: [] } };
    expect(AGENT_TOOLS.submit_pr.safeParse(submit).success).toBe(true);
    expect(AGENT_TOOLS.submit_pr.safeParse({ ...submit, pr_note: 'x'.repeat(1001) }).success).toBe(false);
    expect(
      AGENT_TOOLS.submit_pr.safeParse({ ...submit, covers: [{ clause: 'G1', tests: ['test_a'] }] }).success,
    ).toBe(true);
  });
});
