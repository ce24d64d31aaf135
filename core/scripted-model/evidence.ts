/**
 * Whether an honest answer uses only what its request contains: so a scripted run proves that the prompts carry what
 * a real model needs (design part 10).
 *
 * E1. A path that is read, edited, moved or deleted stands in the request; a new one may also lie in a named folder or glob.
 * E2. A content hash was told, not only said before. E3. A builder's export was told; an author's may be its own.
 * E4. An imported module is standard, told, or a file of the same answer. E5. A tool was offered.
 */
import { importsOf } from './imports.ts';
import { globFits } from './match.ts';
import { type RequestText, holdsName, textsOf } from './request-text.ts';

/** A tool call of an answer, patterns filled; `arguments` is null where they are malformed on purpose. */
export interface RenderedCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>> | null;
}

export interface EvidenceOptions {
  readonly request: RequestText;
  readonly offeredTools: readonly string[];
  /** Exports of a test author may come from its own words (Mode B). */
  readonly role: string;
}

const CREATES = new Set(['write_file', 'create_directory']);
const PATH_FIELDS = ['path', 'old_path', 'new_path'];
const NOT_CODE = new Set(['path', 'old_path', 'new_path', 'content_hash', 'intent', 'files', 'paths']);

/** What the answer uses without evidence, in words; empty when it is honest. */
export function unseenUses(calls: readonly RenderedCall[], options: EvidenceOptions): readonly string[] {
  const ownPaths = calls.flatMap((call) => createdPaths(call));
  return calls.flatMap((call) => {
    if (!options.offeredTools.includes(call.name)) return [`tool "${call.name}" was not offered`];
    const args = call.arguments;
    if (args === null) return [];
    return [
      ...unseenPaths(call.name, args, ownPaths, options.request),
      ...unseenHashes(args, options.request),
      ...unseenNodes(args, options.request),
      ...unseenExports(args, calls, options),
      ...unseenImports(args, ownPaths, options.request),
    ];
  });
}

function unseenPaths(
  tool: string,
  args: RenderedCall['arguments'],
  own: readonly string[],
  request: RequestText,
): string[] {
  const all = [...request.told, ...request.said];
  return pathsOf(tool, args).flatMap(({ path, isNew }) => {
    const isPlaced = isNew ? liesInNamedPlace(path, all) : own.includes(path);
    const isSeen = isPlaced || holdsName(all, path);
    return isSeen ? [] : [`path "${path}" is not in the request`];
  });
}

function unseenHashes(args: unknown, request: RequestText): string[] {
  return fieldsOf(args, 'content_hash').flatMap((hash) =>
    typeof hash === 'string' && !request.told.some((text) => text.includes(hash))
      ? [`content_hash "${hash}" was not shown`]
      : [],
  );
}

function unseenNodes(args: unknown, request: RequestText): string[] {
  const ids = [...fieldsOf(args, 'node_id'), ...fieldsOf(args, 'target_nodes').flat(1)];
  return ids.flatMap((id) =>
    typeof id === 'string' && !holdsName(request.told, id) ? [`node "${id}" is not in the request`] : [],
  );
}

function unseenExports(
  args: unknown,
  calls: readonly RenderedCall[],
  { request, role }: EvidenceOptions,
): string[] {
  const isAuthor = role === 'test_author';
  const ownWords = calls.flatMap((call) => textsOf(withoutExports(call.arguments)));
  const texts = isAuthor ? [...request.told, ...request.said, ...ownWords] : request.told;
  return fieldsOf(args, 'exports')
    .flat(1)
    .flatMap((entry) => {
      const name = typeof entry === 'string' ? exportName(entry) : null;
      return name !== null && !wordIn(texts, name) ? [`export "${name}" is not in the request`] : [];
    });
}

function unseenImports(
  args: RenderedCall['arguments'],
  own: readonly string[],
  request: RequestText,
): string[] {
  const all = [...request.told, ...request.said];
  return codeOf(args).flatMap(({ path, code }) =>
    importsOf(path, code).flatMap((use) => {
      const isSeen = use.candidates.some(
        (name) => own.includes(name) || holdsName(all, name) || prefixIn(all, name, use.kind),
      );
      return isSeen ? [] : [`import "${use.text}" in "${path}" is not in the request`];
    }),
  );
}

/** `price` is named by `price.money`, `left-pad` by `left-pad@1.3.0`. */
function prefixIn(texts: readonly string[], name: string, kind: 'path' | 'module'): boolean {
  return kind === 'module' && wordIn(texts, name);
}

function pathsOf(
  tool: string,
  args: RenderedCall['arguments'],
): { readonly path: string; readonly isNew: boolean }[] {
  const single = PATH_FIELDS.flatMap((field) =>
    fieldsOf(args, field).map((path) => ({
      path,
      isNew: field === 'new_path' || (field === 'path' && CREATES.has(tool)),
    })),
  );
  const lists = [...fieldsOf(args, 'files'), ...fieldsOf(args, 'paths')]
    .flat(1)
    .map((path) => ({ path, isNew: false }));
  return [...single, ...lists].flatMap(({ path, isNew }) =>
    typeof path === 'string' ? [{ path, isNew }] : [],
  );
}

function createdPaths(call: RenderedCall): string[] {
  return pathsOf(call.name, call.arguments).flatMap(({ path, isNew }) => (isNew ? [path] : []));
}

function liesInNamedPlace(path: string, texts: readonly string[]): boolean {
  const folders = path
    .split('/')
    .slice(0, -1)
    .map((_, index, parts) => `${parts.slice(0, index + 1).join('/')}/`);
  if (folders.some((folder) => texts.some((text) => text.includes(folder)))) return true;
  const globs = texts.flatMap((text) => text.match(/[\w./-]*\*[\w./*-]*/g) ?? []);
  return globs.some((glob) => glob.replaceAll('*', '') !== '' && globFits(glob, path));
}

/** Code in the arguments with the path that it goes to: the nearest `path` above it. */
function codeOf(value: unknown, path = ''): { readonly path: string; readonly code: string }[] {
  if (typeof value === 'string') return path === '' ? [] : [{ path, code: value }];
  if (typeof value !== 'object' || value === null) return [];
  const own = 'path' in value && typeof value.path === 'string' ? value.path : path;
  return Object.entries(value).flatMap(([name, member]) => (NOT_CODE.has(name) ? [] : codeOf(member, own)));
}

/** Values of every field of that name, at any depth. */
function fieldsOf(value: unknown, field: string): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  const entries: [string, unknown][] = Object.entries(value);
  return entries.flatMap(([name, member]) => (name === field ? [member] : fieldsOf(member, field)));
}

function withoutExports(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((member: unknown): unknown => withoutExports(member));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => name !== 'exports');
  return Object.fromEntries(kept.map(([name, member]) => [name, withoutExports(member)]));
}

function exportName(declaration: string): string | null {
  const words = declaration.replace(
    /\b(export|default|declare|async|def|class|function|const|let|var|enum|interface|type)\b/g,
    ' ',
  );
  return /[A-Za-z_$][\w$]*/.exec(words)?.[0] ?? null;
}

function wordIn(texts: readonly string[], word: string): boolean {
  const escaped = word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const whole = new RegExp(`(?<![\\w$])${escaped}(?![\\w$])`);
  return texts.some((text) => whole.test(text));
}
