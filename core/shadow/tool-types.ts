/** What the pure halves of the file tools take and give; the adapter reads before and writes after. */
import type { FileToolError } from '../ports/shadow.ts';

/** What lies at a path of the tree. `text` is null for a file that is not UTF-8 text. */
export type PathState =
  | { readonly kind: 'file'; readonly text: string | null; readonly bytes: number; readonly hash: string }
  | { readonly kind: 'folder' }
  | { readonly kind: 'link' }
  | { readonly kind: 'missing' };

export interface ToolContext {
  /** State of every path that `pathsOf` named. */
  readonly states: ReadonlyMap<string, PathState>;
  readonly writeSet: readonly string[];
  /** A test author may write a `conftest.py` among its own files; a builder nowhere. */
  readonly mayWriteConftest: boolean;
  /** `content_hash` that a text would have as a file. */
  readonly hashOf: (text: string) => string;
}

export type ToolChange =
  | {
      readonly kind: 'write';
      readonly path: string;
      readonly text: string;
      readonly executable?: boolean | undefined;
    }
  | { readonly kind: 'delete'; readonly path: string }
  | { readonly kind: 'move'; readonly from: string; readonly to: string };

export interface ToolFailure {
  readonly status: 'failure';
  readonly errorType: FileToolError;
  readonly text: string;
}

export type ToolDecision =
  | { readonly status: 'success'; readonly text: string; readonly changes: readonly ToolChange[] }
  | ToolFailure;

/** A failure with its text. */
export function failure(errorType: FileToolError, text: string): ToolFailure {
  return { status: 'failure', errorType, text };
}

/** State of a path; a path that was not loaded is a bug of the caller. @throws {RangeError} */
export function stateOf(context: ToolContext, path: string): PathState {
  const state = context.states.get(path);
  if (state === undefined)
    throw new RangeError(`Cannot decide about "${path}": its state must be loaded first`);
  return state;
}
