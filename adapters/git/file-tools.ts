/** The file tools on a tree store: read what the decision needs, decide in core, write what it says. */
import type { FileToolCall } from '../../schemas/agent-tools.ts';
import { checkGlob, matchesGlob } from '../../core/globs.ts';
import type { TreeChange, TreeEntry, TreeReader, TreeRefusal, TreeWriter } from '../../core/ports/git.ts';
import type { FileToolError, FileToolResult, FileTools, FileToolScope } from '../../core/ports/shadow.ts';
import { contentHash } from '../../core/shadow/content-hash.ts';
import { type PathToolCall, decideTool, pathsOf } from '../../core/shadow/decide-tool.ts';
import { grepText, parsePattern, tooSlowText } from '../../core/shadow/grep.ts';
import { listFilesText } from '../../core/shadow/read-tools.ts';
import type { PathState, ToolChange } from '../../core/shadow/tool-types.ts';
import { grepFiles } from './grep.ts';
import { makeObject } from './loose-objects.ts';
import { decodeText } from './text.ts';

type Store = Pick<TreeReader, 'lookup' | 'readBlob' | 'listTree'> & Pick<TreeWriter, 'writeFiles'>;
type CallOf<Name extends FileToolCall['tool']> = Extract<FileToolCall, { readonly tool: Name }>;

/** File tools over a store. See the port for what a result means. */
export function createFileTools(store: Store): FileTools {
  return {
    run: async (tree, scope, call) => {
      if (call.tool === 'list_files') return listFiles(store, tree, call.input);
      if (call.tool === 'grep_content') return grepContent(store, tree, call.input);
      return pathTool(store, tree, scope, call);
    },
  };
}

async function pathTool(
  store: Store,
  tree: string,
  scope: FileToolScope,
  call: PathToolCall,
): Promise<FileToolResult> {
  const states = new Map<string, PathState>();
  await Promise.all(pathsOf(call).map(async (path) => states.set(path, await loadState(store, tree, path))));
  const hashOf = (text: string): string => contentHash(makeObject('blob', Buffer.from(text)).oid);
  const { writeSet, mayWriteConftest = false } = scope;
  const decision = decideTool(call, { states, writeSet, mayWriteConftest, hashOf });
  if (decision.status === 'failure') return failed(tree, decision.errorType, decision.text);
  if (decision.changes.length === 0) return { status: 'success', tree, text: decision.text };
  const changes = await Promise.all(decision.changes.map((change) => treeChanges(store, tree, change)));
  const written = await store.writeFiles(tree, changes.flat());
  if (written.status === 'ok') return { status: 'success', tree: written.tree, text: decision.text };
  return failed(tree, 'bad_path', written.refusals.map(refusalText).join('\n'));
}

async function loadState(store: Store, tree: string, path: string): Promise<PathState> {
  const found = await store.lookup(tree, path);
  if (found.kind !== 'file') return { kind: found.kind };
  if (!isRegular(found.entry)) return { kind: 'link' };
  const body = await store.readBlob(found.entry.oid);
  return { kind: 'file', text: decodeText(body), bytes: body.length, hash: contentHash(found.entry.oid) };
}

async function treeChanges(store: Store, tree: string, change: ToolChange): Promise<TreeChange[]> {
  switch (change.kind) {
    case 'write':
      return [
        { kind: 'write', path: change.path, bytes: Buffer.from(change.text), executable: change.executable },
      ];
    case 'delete':
      return [change];
    case 'move': {
      const found = await store.lookup(tree, change.from);
      if (found.kind !== 'file') throw new Error(`Cannot move "${change.from}": it was a file a moment ago`);
      return [
        { kind: 'delete', path: change.from },
        { kind: 'place', path: change.to, entry: found.entry },
      ];
    }
  }
}

async function listFiles(
  store: Store,
  tree: string,
  input: CallOf<'list_files'>['input'],
): Promise<FileToolResult> {
  const found = await matching(store, tree, input.glob);
  if (typeof found === 'string') return failed(tree, 'bad_pattern', found);
  const listed = found.map((entry) => ({ path: entry.path, link: !isRegular(entry) }));
  return { status: 'success', tree, text: listFilesText(input.glob, listed) };
}

async function grepContent(
  store: Store,
  tree: string,
  input: CallOf<'grep_content'>['input'],
): Promise<FileToolResult> {
  const parsed = parsePattern(input.pattern);
  if (parsed.status === 'refused')
    return failed(tree, 'bad_pattern', `Cannot search for /${input.pattern}/: it ${parsed.rule}`);
  const found = await matching(store, tree, input.glob);
  if (typeof found === 'string') return failed(tree, 'bad_pattern', found);
  const outcome = await grepFiles(found.filter(isRegular), parsed.pattern, (oid) => store.readBlob(oid));
  if (outcome.status === 'too_slow') return failed(tree, 'too_slow', tooSlowText(input.pattern));
  if (outcome.status === 'refused') {
    return failed(
      tree,
      'bad_pattern',
      `Cannot search for /${input.pattern}/: ${outcome.rule}. Use a simpler pattern`,
    );
  }
  return { status: 'success', tree, text: grepText(input.pattern, outcome.matches, outcome.cuts) };
}

/** Entries that a model's glob selects, or why it is refused. A glob without "/" is about names at any depth. */
async function matching(
  store: Store,
  tree: string,
  glob: string | undefined,
): Promise<readonly TreeEntry[] | string> {
  const entries = await store.listTree(tree);
  if (glob === undefined) return entries;
  const problem = checkGlob(glob);
  if (problem !== null) return `Cannot use glob "${glob}": ${problem}`;
  const wide = glob.includes('/') || glob === '**' ? glob : `**/${glob}`;
  return entries.filter((entry) => matchesGlob(wide, entry.path));
}

function isRegular(entry: TreeEntry): boolean {
  return entry.kind === 'blob' || entry.kind === 'executable';
}

function refusalText(refusal: TreeRefusal): string {
  return `Cannot write "${refusal.path}": it ${refusal.rule}`;
}

/** Arguments can be changed for every failure but a forbidden file: asking for that again cannot help. */
function failed(tree: string, errorType: FileToolError, text: string): FileToolResult {
  return { status: 'failure', tree, text, errorType, retryable: errorType !== 'outside_write_set' };
}
