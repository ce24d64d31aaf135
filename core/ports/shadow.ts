/** The file tools port: one checked tool call on one shadow tree (design parts 5 and 7). */
import type { FileToolCall } from '../../schemas/agent-tools.ts';

/** What an agent may do in its tree. Hidden files need no rule here: they are absent from the tree (G4). */
export interface FileToolScope {
  /** Globs of the files it may write, as the contract resolved them. Empty: it may only read. */
  readonly writeSet: readonly string[];
  /** Default false. True for a test author: a `conftest.py` among its own files is its to write. */
  readonly mayWriteConftest?: boolean;
}

export type FileToolError =
  | 'not_found'
  | 'not_a_file'
  | 'not_text'
  | 'bad_path'
  | 'outside_write_set'
  | 'exists'
  | 'stale_hash'
  | 'bad_edit'
  | 'bad_pattern'
  | 'too_slow'
  | 'too_large';

/** `text` goes to the model as it is. `tree` is the input tree when nothing changed. */
export type FileToolResult =
  | { readonly status: 'success'; readonly tree: string; readonly text: string }
  | {
      readonly status: 'failure';
      readonly tree: string;
      readonly text: string;
      readonly errorType: FileToolError;
      /** Whether another call with other arguments can help. */
      readonly retryable: boolean;
    };

/**
 * Contract: never throws for what a model asked; a failure changes nothing. The new tree's objects are on disk, but under no
 * ref: the caller keeps the last tree of a turn before it hands the id on.
 */
export interface FileTools {
  run(tree: string, scope: FileToolScope, call: FileToolCall): Promise<FileToolResult>;
}
