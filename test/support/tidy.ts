/**
 * Rules of the house that lint cannot see, over every source file of ours (docs: CONTRIBUTING.md).
 * A finding names place, rule and replacement. Function length and types are ESLint's job.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { basename, extname, join } from 'node:path';

const FOLDERS = [
  'schemas',
  'core',
  'roles',
  'workflows',
  'activities',
  'adapters',
  'workers',
  'client',
  'scripts',
  'bin',
  'test',
  'bench',
];
const CODE_ENDINGS = new Set(['.ts', '.mjs', '.cjs', '.js', '.py', '.sh']);
const LINES_MAX = 250;
const TEST_LINES_MAX = 400;
/** Files and folders that hold bytes to be compared, or the rules themselves. */
const EXEMPT =
  /(^|\/)(golden|testdata|histories|fixtures)\/|^test\/support\/tidy\.ts$|^test\/tidy\.test\.ts$/;

export interface Finding {
  /** Path relative to the root, with `/`. */
  readonly path: string;
  /** From 1; 0 for the file as a whole. */
  readonly line: number;
  readonly message: string;
}

interface Ban {
  readonly pattern: RegExp;
  /** Where it holds; default everywhere. */
  readonly where?: RegExp;
  readonly message: string;
}

const BANS: readonly Ban[] = [
  { pattern: /\b(TODO|FIXME|XXX|HACK)\b/, message: 'Leftover note: do it, or open an issue' },
  { pattern: /@ts-(ignore|expect-error|nocheck)/, message: 'Silenced type error: fix the type' },
  { pattern: /eslint-disable/, message: 'Silenced lint rule: follow it, or change it for all' },
  {
    pattern: /\bas (any|unknown as)\b/,
    where: /^(?!test\/)/,
    message: 'Cast that hides a type: parse with a schema',
  },
  {
    pattern: /\b(execSync|spawnSync|execFileSync)\(/,
    where: /^(?!scripts\/|test\/|bench\/)/,
    message: 'Blocking process call: use execa',
  },
  { pattern: /(^|[^.\w])eval\(|new Function\(/, message: 'Code from text: parse it instead' },
  {
    pattern: /proxyLocalActivities/,
    message: 'Local activity: use a normal one, its effect outlives the worker (design part 4)',
  },
  {
    pattern: /['"`]archive['"`]|git archive/,
    where: /^(core|adapters|activities)\//,
    message: 'git archive obeys the tree: read raw blobs (gate.md part 8)',
  },
  { pattern: /jest\.(mock|unstable_mockModule)\(/, message: 'Module mock: pass a fake of test/support' },
  {
    pattern: /^\s*(test|it|describe)\.(only|skip|todo)\(/,
    where: /^test\//,
    message: 'A test that does not run: remove it or let it run',
  },
  {
    pattern: /\bprocess\.exit\(/,
    where: /^(schemas|core|roles|workflows|activities|adapters)\//,
    message: 'Ends the process: throw, or return a value',
  },
  {
    pattern: /\/(home|Users)\/[a-z]\w*\/|\/work\/(main|shared)\b|\/root\/\w/,
    message: 'Path of one machine: make it relative or a setting',
  },
];

/** All findings below `root`, in order of path and line. Empty means tidy. */
export function findUntidy(root: string): Finding[] {
  return FOLDERS.flatMap((folder) => filesBelow(root, folder)).flatMap((path) =>
    checkFile(path, readFileSync(join(root, path), 'utf8')),
  );
}

/** Findings of one file; `path` relative to the root decides which rules hold. */
export function checkFile(path: string, text: string): Finding[] {
  if (EXEMPT.test(path)) return [];
  const lines = text.split('\n');
  const lineCount = text.endsWith('\n') ? lines.length - 1 : lines.length;
  const linesMax = path.startsWith('test/') || path.startsWith('bench/') ? TEST_LINES_MAX : LINES_MAX;
  const findings: Finding[] = [];
  if (lineCount > linesMax) {
    const message = `Too long: at most ${linesMax} lines, current count is ${lineCount}; split it by subject`;
    findings.push({ path, line: 0, message });
  }
  if (extname(path) === '.ts' && !/^[a-z0-9]+([-.][a-z0-9]+)*\.ts$/.test(basename(path))) {
    findings.push({ path, line: 0, message: 'File name: use kebab-case' });
  }
  const bans = BANS.filter((ban) => ban.where?.test(path) ?? true);
  return [...findings, ...lines.flatMap((line, index) => checkLine(path, index + 1, line, bans))];
}

function checkLine(path: string, line: number, text: string, bans: readonly Ban[]): Finding[] {
  return bans.filter((ban) => ban.pattern.test(text)).map((ban) => ({ path, line, message: ban.message }));
}

function filesBelow(root: string, folder: string): string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .sort()
    .flatMap((name) => (CODE_ENDINGS.has(extname(name)) ? [`${folder}/${name.replaceAll('\\', '/')}`] : []));
}
