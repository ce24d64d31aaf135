/** Decisions of the tools that change the tree. None of them acts: they return changes, which are applied all or none. */
import { isConftest, isReservedPath } from '../contract/reserved-paths.ts';
import type { EditOperationInput } from '../../schemas/agent-tools.ts';
import { applyEdits } from './edit.ts';
import { WRITE_MAX_BYTES } from './limits.ts';
import { splitLines } from './lines.ts';
import { checkPath, isWellFormed, utf8Length } from './path-rules.ts';
import { textOf } from './read-tools.ts';
import {
  type ToolChange,
  type ToolContext,
  type ToolDecision,
  type ToolFailure,
  failure,
  stateOf,
} from './tool-types.ts';
import { globPredicate, outsideWriteSet, steersTheJudge } from './write-set.ts';
import { counted } from '../text/plural.ts';

export function writeFileTool(
  input: { readonly path: string; readonly content: string; readonly executable?: boolean | undefined },
  context: ToolContext,
): ToolDecision {
  const { path, content, executable } = input;
  const refusal = refuseWrite('write', path, context) ?? refuseText('write', path, content);
  if (refusal !== null) return refusal;
  const state = stateOf(context, path);
  if (state.kind === 'folder' || state.kind === 'link') {
    return failure('not_a_file', `Cannot write "${path}": there is a ${state.kind} of this name`);
  }
  const size = `${counted(splitLines(content).length, 'line')}, ${counted(utf8Length(content), 'byte')}`;
  const what =
    state.kind === 'missing' ? 'Created' : state.hash === context.hashOf(content) ? 'Unchanged' : 'Replaced';
  return {
    status: 'success',
    text: `${what} "${path}": ${size}\ncontent_hash: ${context.hashOf(content)}`,
    changes: [{ kind: 'write', path, text: content, executable }],
  };
}

export function createDirectoryTool(input: { readonly path: string }): ToolDecision {
  const refusal = checkPath(input.path);
  if (refusal !== null)
    return failure('bad_path', `Cannot create folder "${input.path}": the path ${refusal.rule}`);
  const text = `Nothing to do for "${input.path}": folders exist through their files. Write a file below it`;
  return { status: 'success', text, changes: [] };
}

export function deleteFileTool(input: { readonly path: string }, context: ToolContext): ToolDecision {
  const refusal = refuseWrite('delete', input.path, context) ?? refuseNoFile('delete', input.path, context);
  if (refusal !== null) return refusal;
  return {
    status: 'success',
    text: `Deleted "${input.path}"`,
    changes: [{ kind: 'delete', path: input.path }],
  };
}

export function renameFileTool(
  input: { readonly old_path: string; readonly new_path: string },
  context: ToolContext,
): ToolDecision {
  const { old_path: from, new_path: to } = input;
  const refusal =
    refuseWrite('move', from, context) ??
    refuseWrite('move to', to, context) ??
    refuseNoFile('move', from, context);
  if (refusal !== null) return refusal;
  if (stateOf(context, to).kind !== 'missing') {
    return failure(
      'exists',
      `Cannot move "${from}" to "${to}": there is a file or folder of this name. Delete it first, or choose another`,
    );
  }
  return {
    status: 'success',
    text: `Moved "${from}" to "${to}"; mode and content are unchanged`,
    changes: [{ kind: 'move', from, to }],
  };
}

interface FileEdit {
  readonly path: string;
  readonly content_hash: string;
  readonly operations: readonly EditOperationInput[];
}

export function editFileTool(input: FileEdit, context: ToolContext): ToolDecision {
  const edited = editOne(input, context);
  if ('status' in edited) return edited;
  return { status: 'success', text: edited.text, changes: [edited.change] };
}

/** All edits or none; one entry a file, since line numbers of a second one would be stale. */
export function editFilesTool(
  input: { readonly edits: readonly FileEdit[] },
  context: ToolContext,
): ToolDecision {
  const changes: ToolChange[] = [];
  const texts: string[] = [];
  const seen = new Set<string>();
  for (const edit of input.edits) {
    const outcome = seen.has(edit.path) ? twice(edit.path) : editOne(edit, context);
    if ('status' in outcome) return { ...outcome, text: `${outcome.text}\nNo file was changed` };
    seen.add(edit.path);
    changes.push(outcome.change);
    texts.push(outcome.text);
  }
  return { status: 'success', text: texts.join('\n'), changes };
}

function twice(path: string): ToolFailure {
  return failure(
    'bad_edit',
    `Cannot edit "${path}" twice in one call: put all its operations into one entry`,
  );
}

function editOne(edit: FileEdit, context: ToolContext): { change: ToolChange; text: string } | ToolFailure {
  const { path } = edit;
  const refusal = refuseWrite('edit', path, context);
  if (refusal !== null) return refusal;
  const found = textOf('edit', path, stateOf(context, path), true);
  if (found.status === 'failure') return found;
  if (found.hash !== edit.content_hash) {
    const now = `its content_hash is ${found.hash}, you gave ${edit.content_hash}`;
    return failure(
      'stale_hash',
      `Cannot edit "${path}": ${now}. Read the file again: line numbers may have changed`,
    );
  }
  const outcome = applyEdits(found.text, edit.operations);
  if (outcome.status === 'refused') {
    return failure('bad_edit', `Cannot edit "${path}": operation ${outcome.operation}: ${outcome.rule}`);
  }
  const bad = refuseText('edit', path, outcome.text);
  if (bad !== null) return bad;
  const count = `${counted(outcome.removed, 'line')} out, ${outcome.added} in, now ${splitLines(outcome.text).length}`;
  const moved = outcome.removed === outcome.added ? '' : '; line numbers have changed';
  const text = `Edited "${path}": ${count}${moved}\ncontent_hash: ${context.hashOf(outcome.text)}`;
  return { change: { kind: 'write', path, text: outcome.text }, text };
}

function refuseWrite(action: string, path: string, context: ToolContext): ToolFailure | null {
  const refusal = checkPath(path);
  if (refusal !== null) return failure('bad_path', `Cannot ${action} "${path}": the path ${refusal.rule}`);
  if (!globPredicate(context.writeSet)(path))
    return failure('outside_write_set', outsideWriteSet(action, path, context.writeSet));
  // What the gate would refuse at the end is refused now, while the agent can still do otherwise.
  if (!isReservedPath(path) && (context.mayWriteConftest || !isConftest(path))) return null;
  return failure('outside_write_set', steersTheJudge(action, path));
}

function refuseNoFile(action: string, path: string, context: ToolContext): ToolFailure | null {
  const state = stateOf(context, path);
  if (state.kind === 'file') return null;
  const found = textOf(action, path, state);
  return found.status === 'failure' ? found : null;
}

function refuseText(action: string, path: string, text: string): ToolFailure | null {
  if (text.includes('\0') || !isWellFormed(text)) {
    return failure(
      'not_text',
      `Cannot ${action} "${path}": the content must be text without NUL characters or lone surrogates`,
    );
  }
  const bytes = utf8Length(text);
  if (bytes <= WRITE_MAX_BYTES) return null;
  return failure(
    'too_large',
    `Cannot ${action} "${path}": a file must have at most ${WRITE_MAX_BYTES} bytes, this one has ${bytes}. Split it`,
  );
}
