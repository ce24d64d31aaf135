/** What `read_file`, `preview_file` and `list_files` say. Every cut names the limit and how to go on (style point 16). */
import {
  LIST_MAX_PATHS,
  PREVIEW_DEFAULT_LINES,
  PREVIEW_MAX_LINES,
  READ_LINE_MAX_CHARS,
  READ_MAX_CHARS,
  READ_MAX_LINES,
} from './limits.ts';
import { dominantEnding, splitLines } from './lines.ts';
import type { Line } from './lines.ts';
import {
  type PathState,
  type ToolContext,
  type ToolDecision,
  type ToolFailure,
  failure,
  stateOf,
} from './tool-types.ts';
import { counted } from '../text/plural.ts';
import { globPredicate } from './write-set.ts';

/** The whole file, as far as the limits allow. */
export function readFileTool(input: { readonly path: string }, context: ToolContext): ToolDecision {
  return show(input.path, context, 1, READ_MAX_LINES);
}

/** Some lines of a file. */
export function previewFileTool(
  input: {
    readonly path: string;
    readonly offset?: number | undefined;
    readonly max_lines?: number | undefined;
  },
  context: ToolContext,
): ToolDecision {
  const wanted = Math.min(input.max_lines ?? PREVIEW_DEFAULT_LINES, PREVIEW_MAX_LINES);
  return show(input.path, context, input.offset ?? 1, wanted);
}

/** Paths in the tree's order; `links` are shown, marked. */
export function listFilesText(
  glob: string | undefined,
  found: readonly { readonly path: string; readonly link: boolean }[],
): string {
  const what = glob === undefined ? '' : ` ${found.length === 1 ? 'matches' : 'match'} "${glob}"`;
  if (found.length === 0) return glob === undefined ? 'There are no files yet' : `No file matches "${glob}"`;
  const lines = found
    .slice(0, LIST_MAX_PATHS)
    .map(({ path, link }) => (link ? `${path} (link, cannot be read)` : path));
  const cut =
    found.length > LIST_MAX_PATHS
      ? [`[Showing ${LIST_MAX_PATHS} of ${found.length} files. Use a narrower glob to see the others.]`]
      : [];
  return [`${counted(found.length, 'file')}${what}`, ...lines, ...cut].join('\n');
}

/** The text of a file, or why there is none; `isOwn`: the agent may write it. Hidden, deleted and never written files all read the same (G4). */
export function textOf(
  action: string,
  path: string,
  state: PathState,
  isOwn = false,
): { readonly status: 'text'; readonly text: string; readonly hash: string } | ToolFailure {
  switch (state.kind) {
    case 'missing':
      return failure(
        'not_found',
        isOwn
          ? `Cannot ${action} "${path}": it is not written yet, and it is yours to write`
          : `Cannot ${action} "${path}": there is no such file`,
      );
    case 'folder':
      return failure(
        'not_a_file',
        `Cannot ${action} "${path}": it is a folder. Use list_files with glob "${path}/**"`,
      );
    case 'link':
      return failure('not_a_file', `Cannot ${action} "${path}": it is a link, not a regular file`);
    case 'file':
      if (state.text !== null) return { status: 'text', text: state.text, hash: state.hash };
      return failure('not_text', `Cannot ${action} "${path}": it is not UTF-8 text (${state.bytes} bytes)`);
  }
}

function show(path: string, context: ToolContext, offset: number, maxLines: number): ToolDecision {
  const found = textOf('read', path, stateOf(context, path), globPredicate(context.writeSet)(path));
  if (found.status === 'failure') return found;
  const lines = splitLines(found.text);
  if (offset > Math.max(lines.length, 1)) {
    return failure(
      'bad_edit',
      `Cannot read "${path}" from line ${offset}: it has ${counted(lines.length, 'line')}`,
    );
  }
  const shown = numbered(lines, offset, maxLines);
  const last = offset + shown.length - 1;
  const range = shown.length === 0 ? '' : `, showing ${offset}-${last}`;
  const rest = last < lines.length ? goOn(path, offset, last, lines.length) : [];
  const text = [
    `path: ${path}`,
    `content_hash: ${found.hash}`,
    `lines: ${lines.length}${range}${habits(lines)}`,
    '---',
    ...shown,
    ...rest,
  ];
  return { status: 'success', text: text.join('\n'), changes: [] };
}

function numbered(lines: readonly Line[], offset: number, maxLines: number): string[] {
  const shown: string[] = [];
  let characters = 0;
  for (let index = offset - 1; index < lines.length && shown.length < maxLines; index += 1) {
    const line = `${index + 1}|${cutLine(lines[index]?.text ?? '')}`;
    characters += line.length + 1;
    if (characters > READ_MAX_CHARS && shown.length > 0) break;
    shown.push(line);
  }
  return shown;
}

function cutLine(text: string): string {
  if (text.length <= READ_LINE_MAX_CHARS) return text;
  return `${text.slice(0, READ_LINE_MAX_CHARS)} [cut: the line has ${text.length} characters]`;
}

function goOn(path: string, first: number, last: number, total: number): string[] {
  return [
    `[Showing lines ${first}-${last} of ${total}. Go on with preview_file path="${path}" offset=${last + 1}.]`,
  ];
}

/** What an edit keeps and a reader cannot see. */
function habits(lines: readonly Line[]): string {
  const crlf = lines.length > 0 && dominantEnding(lines) === '\r\n' ? ', CRLF line endings' : '';
  const open = lines.length > 0 && lines.at(-1)?.ending === '' ? ', no line break at the end' : '';
  return crlf + open;
}
