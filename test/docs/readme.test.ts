/** The documents say only what is there: commands, flags, npm scripts, links and paths. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { execa } from 'execa';

const README_LINES_MAX = 150;
const DOCUMENTS = [
  'README.md',
  'CONTRIBUTING.md',
  'AGENTS.md',
  'CHANGELOG.md',
  ...readdirSync('docs').flatMap((name) => (name.endsWith('.md') ? [`docs/${name}`] : [])),
  ...readdirSync('docs/decisions').map((name) => `docs/decisions/${name}`),
];
const OUR_FOLDERS =
  /^(schemas|core|roles|workflows|activities|adapters|workers|client|examples|scripts|test|bench|docs|bin|sandbox|\.ci)\//;

const texts = new Map(DOCUMENTS.map((path) => [path, readFileSync(path, 'utf8')]));
/** Help of the program under '', of each command under its name, with that of the commands below it. */
let help: Readonly<Record<string, string>> = {};

const PRINT_HELP = `
  import { main } from './client/cli.ts';
  const parts = { loadServices: () => Promise.reject(new Error('unused')), setUp: () => Promise.reject(new Error('unused')), version: '0' };
  const printed = {};
  const print = async (name, argv) => {
    const write = process.stdout.write;
    printed[name] = '';
    process.stdout.write = (text) => ((printed[name] += text), true);
    await main(argv, parts);
    process.stdout.write = write;
  };
  await print('', ['--help']);
  const names = [...printed[''].matchAll(/^  ([a-z][a-z-]*) /gm)].map((match) => match[1]);
  for (const name of names) if (name !== 'help') await print(name, [name, '--help']);
  for (const name of ['init', 'show', 'check', 'run']) {
    await print('gate ' + name, ['gate', name, '--help']);
    printed.gate += printed['gate ' + name];
  }
  await print('contract draft', ['contract', 'draft', '--help']);
  printed.contract += printed['contract draft'];
  process.stdout.write(JSON.stringify(printed));
`;

beforeAll(async () => {
  const argv = ['--import', 'tsx', '--input-type=module', '-e', PRINT_HELP];
  const { stdout } = await execa(process.execPath, argv, { env: { NODE_OPTIONS: '' } });
  help = JSON.parse(stdout) as Record<string, string>;
});

/** Lines of fenced blocks, and code spans. */
function codeOf(text: string): string[] {
  const fences = [...text.matchAll(/^ *```[a-z]*\n([\s\S]*?)^ *```/gm)].flatMap((match) =>
    (match[1] ?? '').split('\n'),
  );
  const spans = [...text.replaceAll(/^ *```[\s\S]*?^ *```/gm, '').matchAll(/`([^`\n]+)`/g)].map(
    (match) => match[1] ?? '',
  );
  return [...fences, ...spans];
}

/** What `pick` finds in the code of all documents, with the document's name. */
function used(pick: RegExp): { readonly path: string; readonly match: RegExpMatchArray }[] {
  return [...texts].flatMap(([path, text]) =>
    codeOf(text).flatMap((code) => [...code.matchAll(pick)].map((match) => ({ path, match }))),
  );
}

describe('README.md', () => {
  test(`README.md has at most ${String(README_LINES_MAX)} lines`, () => {
    expect((texts.get('README.md') ?? '').trimEnd().split('\n').length).toBeLessThanOrEqual(README_LINES_MAX);
  });

  test('README.md has one picture', () => {
    expect([...(texts.get('README.md') ?? '').matchAll(/^```mermaid$|!\[/gm)]).toHaveLength(1);
  });
});

describe('every document', () => {
  test('names only commands and flags that a7-rt --help knows', () => {
    const commands = used(/(?:^|[\s;&"])a7-rt ([a-z][a-z-]*)([^#`;&"]*)/g);
    expect(commands.length).toBeGreaterThan(15);
    const wrong = commands.flatMap(({ path, match: [, name = '', rest = ''] }) => {
      const text = help[name];
      if (text === undefined) return [`${path}: a7-rt ${name}`];
      const flags = [...rest.matchAll(/(?:^|\s)(--[a-z][a-z-]*)/g)].map((match) => match[1] ?? '');
      return flags
        .filter((flag) => !text.includes(`${flag} `))
        .map((flag) => `${path}: a7-rt ${name} ${flag}`);
    });
    expect(wrong).toEqual([]);
  });

  test('leaves out no command', () => {
    const told = new Set(used(/(?:^|[\s;&"(])a7-rt ([a-z][a-z-]*)/g).map(({ match }) => match[1]));
    const names = Object.keys(help).filter(
      (name) => help[name]?.startsWith(`Usage: a7-rt ${name} `) === true,
    );
    expect(names.length).toBeGreaterThan(30);
    expect(names.filter((name) => !told.has(name.split(' ')[0]))).toEqual([]);
  });

  test('names only npm scripts that exist, and whose programs exist', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      scripts: Record<string, string>;
    };
    const wrong = used(/\bnpm (?:run ([a-z][a-z:]*)|(test))/g).flatMap(({ path, match: [, run, plain] }) => {
      const name = run ?? plain ?? '';
      const script = scripts[name];
      if (script === undefined) return [`${path}: npm run ${name}`];
      const programs = [...script.matchAll(/\bnode ((?:scripts|bench)\/\S+)/g)].map(
        (match) => match[1] ?? '',
      );
      return programs
        .filter((program) => !existsSync(program))
        .map((program) => `${path}: ${name} needs ${program}`);
    });
    expect(wrong).toEqual([]);
  });

  test('links only to files that exist', () => {
    const wrong = [...texts].flatMap(([path, text]) => {
      const links = [...text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map((match) => match[1] ?? '');
      const files = links.filter((link) => !/^[a-z]+:/.test(link));
      return files.filter((link) => !existsSync(join(dirname(path), link))).map((link) => `${path}: ${link}`);
    });
    expect(wrong).toEqual([]);
  });

  test('names only paths of this repository that exist', () => {
    const wrong = [...texts].flatMap(([path, text]) =>
      codeOf(text)
        .flatMap((code) => code.split(/\s+/))
        .filter((word) => OUR_FOLDERS.test(word) && /^[\w./-]+$/.test(word))
        .filter((word) => !existsSync(word) && !word.includes('adapters/x'))
        .map((word) => `${path}: ${word}`),
    );
    expect(wrong).toEqual([]);
  });

  test('docs/decisions/README.md lists every decision', () => {
    const list = texts.get('docs/decisions/README.md') ?? '';
    const files = readdirSync('docs/decisions').filter((name) => name !== 'README.md');
    expect(files.filter((name) => !list.includes(`(${name})`))).toEqual([]);
  });
});
