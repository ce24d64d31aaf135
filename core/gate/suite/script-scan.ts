/**
 * What in a JavaScript or TypeScript suite works in one process only (gate.md part 11). Read from the text, nothing is run;
 * what is inside comments and literals does not count.
 */
import { declaredName } from '../../contract/declaration.ts';
import { maskScript } from '../../text/mask-script.ts';
import type { ResolvedContract } from '../../../schemas/contract.ts';
import type { WallScan, WallUse } from '../../../schemas/gate-wall.ts';
import { raiseName } from './clauses.ts';

export interface ScriptFile {
  readonly path: string;
  readonly text: string;
}

const USES_MAX = 50;
const GLOBALS =
  'globalThis|global|Date|Math|console|process|JSON|Object|Array|String|Number|Promise|Symbol|Function|Reflect|Map|Set|performance';

/** Something to look for; the first group, or the whole match, is named. */
const PATTERNS: readonly (readonly [WallUse['kind'], RegExp])[] = [
  ['patching', /\b(mock\s*\??\.\s*(?:method|getter|setter|module|property))\b/gu],
  ['patching', new RegExp(`\\b((?:${GLOBALS})(?:\\.\\w+)+)\\s*(?:=(?![=>])|\\+\\+|--|[-+*]=)`, 'gu')],
  [
    'patching',
    new RegExp(`\\b(?:defineProperty|defineProperties|assign)\\(\\s*((?:${GLOBALS}))\\s*[,.]`, 'gu'),
  ],
  ['patching', new RegExp(`\\bdelete\\s+((?:${GLOBALS})\\.[\\w.]+)`, 'gu')],
  ['process', /\b(process\.(?:env|argv|chdir|cwd|on|once|emit|stdin|stdout|stderr|exit|exitCode))\b/gu],
  // Streams know each other by what only one process has, as those of `node:stream/web` do.
  [
    'introspection',
    /\b((?:Readable|Writable|Transform|TextDecoder|TextEncoder|Compression|Decompression)Stream|pipeThrough|pipeTo)\b/gu,
  ],
  ['introspection', /\b(WeakRef|FinalizationRegistry|isProxy|gc)\b\s*\(/gu],
  ['introspection', /\b(Error\.(?:captureStackTrace|stackTraceLimit|prepareStackTrace))\b/gu],
  ['introspection', /\b(require\.(?:cache|resolve)|import\.meta\.(?:resolve|dirname|filename))\b/gu],
  ['module', /\b(import|require)\s*\(\s*[^\s'")]/gu],
];

/** What a suite may replace behind the wall: the code's own is replaced with it (sandbox/runner/javascript/wall/crossing/globals.mjs). */
const REPLACED =
  /^(?:Math\.random|Date\.now|console\.(?:log|info|warn|error|debug)|(?:globalThis|global)\.fetch)$/u;

/** True for the replacing of such a one: by an assignment, or `mock.method(Math, 'random', …)`. */
function isFollowed(text: string, match: RegExpMatchArray): boolean {
  const [whole, name = whole] = match;
  if (/=$/u.test(whole)) return /[\w\s]=$/u.test(whole) && REPLACED.test(name);
  const mocked = /^mock\s*\??\.\s*method\s*\(\s*(\w+)\s*,\s*(['"])(\w+)\2/u.exec(text.slice(match.index));
  return mocked !== null && REPLACED.test(`${mocked[1] ?? ''}.${mocked[3] ?? ''}`);
}

/** The trace of an error, unless the contract declares a `stack` of its own. */
const TRACE: readonly [WallUse['kind'], RegExp] = ['introspection', /\w\??(\.stack)\b/gu];

const MODULES: Readonly<Record<string, WallUse['kind']>> = {
  ...kinds('files', 'fs fs/promises os'),
  ...kinds(
    'process',
    'child_process worker_threads cluster net http https http2 dgram tls dns async_hooks readline',
  ),
  ...kinds('introspection', 'vm v8 inspector diagnostics_channel stream stream/promises stream/web'),
};

/** @param others modules of the project that no contract here is about: paths from the root. */
export function scanScripts(
  files: readonly ScriptFile[],
  nodes: readonly ResolvedContract[],
  others: readonly string[],
): WallScan {
  const classes = nodes.flatMap(declaredClasses);
  const hasStack = nodes.some((node) => node.interface.exports.some((text) => /\bstack\b/u.test(text)));
  const patterns = hasStack ? PATTERNS : [...PATTERNS, TRACE];
  const inFiles = files.flatMap((file) => scanFile(file, patterns, classes, others));
  const uses = [...nodes.flatMap(shapes), ...inFiles];
  const unique = new Map(uses.map((use) => [`${use.kind} ${use.detail}`, use]));
  return { uses: [...unique.values()].slice(0, USES_MAX) };
}

function scanFile(
  file: ScriptFile,
  patterns: typeof PATTERNS,
  classes: readonly string[],
  others: readonly string[],
): WallUse[] {
  const code = maskScript(file.text);
  const at = (kind: WallUse['kind'], detail: string, index: number): WallUse => ({
    kind,
    detail: detail.replace(/\s+/gu, '').slice(0, 200),
    file: file.path.slice(0, 500),
    line: file.text.slice(0, index).split('\n').length,
  });
  const found = patterns.flatMap(([kind, pattern]) =>
    [...code.matchAll(pattern)]
      .filter((match) => kind !== 'patching' || !isFollowed(file.text, match))
      .map((match) => at(kind, match[1] ?? match[0], match.index)),
  );
  for (const name of classes) {
    const escaped = name.replaceAll('$', '\\$');
    for (const match of code.matchAll(new RegExp(`\\bextends\\s+${escaped}\\b`, 'gu')))
      found.push(at('subclass', name, match.index));
    for (const match of code.matchAll(new RegExp(`\\b${escaped}\\.prototype(?:\\.\\w+)?\\s*=(?!=)`, 'gu')))
      found.push(at('patching', `${name}.prototype`, match.index));
  }
  for (const { specifier, index } of specifiers(file.text, code)) {
    const kind = MODULES[specifier.replace(/^node:/u, '')];
    if (kind !== undefined) found.push(at(kind, specifier, index));
    else if (isOther(file.path, specifier, others)) found.push(at('module', specifier, index));
  }
  return found;
}

/** Literal module names of imports and `require`. */
function specifiers(text: string, code: string): { readonly specifier: string; readonly index: number }[] {
  const pattern = /\b(?:from|import|require)\s*\(?\s*(?:'([^'\n]*)'|"([^"\n]*)")/gu;
  return [...text.matchAll(pattern)]
    .filter((match) => code[match.index] === text[match.index])
    .map((match) => ({ specifier: match[1] ?? match[2] ?? '', index: match.index }));
}

/** A file of the project that lies on neither side of the wall, or a module that is to be loaded once more. */
function isOther(from: string, specifier: string, others: readonly string[]): boolean {
  // Names that a package gives to its own files: only that package's folder can say which.
  if (/^[#/]/u.test(specifier)) return true;
  if (!/^\.{1,2}\//u.test(specifier)) return false;
  if (/[?#]/u.test(specifier)) return true;
  const parts = from.split('/').slice(0, -1);
  for (const part of specifier.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  const path = parts.join('/');
  const stem = path.replace(/\.[cm]?[jt]s$/u, '');
  return others.some((other) => other === path || other.replace(/\.[cm]?[jt]s$/u, '') === stem);
}

function declaredClasses(node: ResolvedContract): string[] {
  const declared = node.interface.exports.flatMap((text) => declaredName(node.language, text) ?? []);
  return [
    ...declared.filter(({ kind }) => kind === 'class').map(({ name }) => name),
    ...node.interface.raises
      .map(raiseName)
      .filter((name) => /Error$/u.test(name) && !BUILTIN_ERRORS.has(name)),
  ];
}

const BUILTIN_ERRORS = new Set([
  'Error',
  'TypeError',
  'RangeError',
  'SyntaxError',
  'ReferenceError',
  'EvalError',
  'URIError',
  'AggregateError',
]);

function shapes(node: ResolvedContract): WallUse[] {
  return node.interface.exports
    .filter((text) => /^\s*export\s+(?:declare\s+)?(?:let|var)\b/u.test(text))
    .map((text) => ({ kind: 'shape', detail: `${text.slice(0, 100)} can change`, file: '', line: 0 }));
}

function kinds(kind: WallUse['kind'], names: string): Record<string, WallUse['kind']> {
  return Object.fromEntries(names.split(' ').map((name) => [name, kind]));
}
