/** One checked call of a file tool to its decision. The two tools that need the whole tree are the adapter's. */
import type { FileToolCall } from '../../schemas/agent-tools.ts';
import { previewFileTool, readFileTool } from './read-tools.ts';
import type { ToolContext, ToolDecision } from './tool-types.ts';
import {
  createDirectoryTool,
  deleteFileTool,
  editFileTool,
  editFilesTool,
  renameFileTool,
  writeFileTool,
} from './write-tools.ts';

/** A call about named paths. */
export type PathToolCall = Exclude<FileToolCall, { readonly tool: 'list_files' | 'grep_content' }>;

/** Paths whose state the decision needs. */
export function pathsOf(call: PathToolCall): readonly string[] {
  switch (call.tool) {
    case 'create_directory':
      return [];
    case 'rename_file':
    case 'mv':
      return [call.input.old_path, call.input.new_path];
    case 'edit_files':
      return call.input.edits.map((edit) => edit.path);
    case 'read_file':
    case 'preview_file':
    case 'write_file':
    case 'delete_file':
    case 'edit_file':
      return [call.input.path];
  }
}

/** What the call says and changes. */
export function decideTool(call: PathToolCall, context: ToolContext): ToolDecision {
  switch (call.tool) {
    case 'read_file':
      return readFileTool(call.input, context);
    case 'preview_file':
      return previewFileTool(call.input, context);
    case 'create_directory':
      return createDirectoryTool(call.input);
    case 'write_file':
      return writeFileTool(call.input, context);
    case 'delete_file':
      return deleteFileTool(call.input, context);
    case 'rename_file':
    case 'mv':
      return renameFileTool(call.input, context);
    case 'edit_file':
      return editFileTool(call.input, context);
    case 'edit_files':
      return editFilesTool(call.input, context);
  }
}
