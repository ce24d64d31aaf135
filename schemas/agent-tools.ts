/**
 * Inputs of the sixteen agent tools, with the names and fields of seed 001, and of `suspend`. One plain object a tool: models
 * handle unions badly. Nothing is coerced; `core/runtime/read-input.ts` says which fields are passed over.
 */
import { z } from 'zod';
import { SHOWN_SUBMIT_PR, type SubmitForm, SubmitPrInput, SuspendInput, intent, path } from './submit-pr.ts';

export { SubmitPrInput } from './submit-pr.ts';

const contentHash = z
  .string()
  .regex(/^[0-9a-f]{16}$/, 'must be the 16 hex digits that read_file shows as content_hash')
  .describe(
    'content_hash of the file as you last read it; the edit is refused if the file has changed since.',
  );

export const EditOperationInput = z.strictObject({
  op: z
    .enum(['replace', 'insert_after', 'delete'])
    .describe(
      'replace and delete act on lines start_line to end_line; insert_after puts content after start_line.',
    ),
  start_line: z
    .int()
    .min(0)
    .describe('First line, from 1, as the file was read. 0 only with insert_after: the top of the file.'),
  end_line: z
    .int()
    .min(1)
    .optional()
    .describe('Last line, inclusive. Default: start_line. Not with insert_after.'),
  content: z.string().optional().describe('Whole lines to put in. Needed by replace and insert_after.'),
});
export type EditOperationInput = z.infer<typeof EditOperationInput>;

const operations = z
  .array(EditOperationInput)
  .min(1)
  .max(200)
  .describe('Operations; all line numbers are those of the file as read. They must not overlap.');

export const ReadFileInput = z.strictObject({ path, intent });
export const GrepContentInput = z.strictObject({
  pattern: z
    .string()
    .min(1)
    .max(500)
    .describe('Regular expression (JavaScript syntax), matched against each line.'),
  glob: z.string().min(1).max(500).optional().describe('Search only matching files, for example "price/**".'),
  intent,
});
export const ListFilesInput = z.strictObject({
  glob: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .describe(
      '"*" within a name, "**" over folders, for example "**/*.py". Without "/" it is matched against file names. Default: all.',
    ),
  intent,
});
export const PreviewFileInput = z.strictObject({
  path,
  offset: z.int().min(1).optional().describe('First line to show, from 1. Default 1.'),
  max_lines: z.int().min(1).optional().describe('Lines to show. Default 200, at most 1000.'),
  intent,
});
export const CreateDirectoryInput = z.strictObject({ path, intent });
export const WriteFileInput = z.strictObject({
  path,
  content: z.string().describe('The whole new content of the file.'),
  executable: z
    .boolean()
    .optional()
    .describe('Set or clear the executable bit. Default: as it is; off for a new file.'),
  intent,
});
export const DeleteFileInput = z.strictObject({ path, intent });
export const RenameFileInput = z.strictObject({
  old_path: path.describe('File to move.'),
  new_path: path.describe('Where to; there must be no file yet.'),
  intent,
});
export const EditFileInput = z.strictObject({ path, content_hash: contentHash, operations, intent });
export const EditFilesInput = z.strictObject({
  edits: z
    .array(z.strictObject({ path, content_hash: contentHash, operations }))
    .min(1)
    .max(50)
    .describe('One entry a file. All are applied, or none.'),
  intent,
});
export const RunLintInput = z.strictObject({
  paths: z.array(path).max(200).optional().describe('Files to check. Default: your own files.'),
  language: z.string().max(50).optional().describe('Default: by file ending.'),
  intent,
});
export const RunTestInput = z.strictObject({ intent });
export const GetCurrentStateInput = z.strictObject({ intent });
export const RecordThoughtInput = z.strictObject({
  thought: z.string().min(1).max(4_000).describe('What you think or found.'),
  category: z
    .string()
    .min(1)
    .max(50)
    .describe('One word, for example plan, contradiction, question, decision.'),
  relates_to: z.string().max(500).optional().describe('Node, file or clause it is about.'),
  intent,
});

/** Input schema by tool name. */
export const AGENT_TOOLS = {
  read_file: ReadFileInput,
  grep_content: GrepContentInput,
  list_files: ListFilesInput,
  preview_file: PreviewFileInput,
  create_directory: CreateDirectoryInput,
  write_file: WriteFileInput,
  delete_file: DeleteFileInput,
  rename_file: RenameFileInput,
  mv: RenameFileInput,
  edit_file: EditFileInput,
  edit_files: EditFilesInput,
  run_lint: RunLintInput,
  run_test: RunTestInput,
  get_current_state: GetCurrentStateInput,
  record_thought: RecordThoughtInput,
  submit_pr: SubmitPrInput,
  suspend: SuspendInput,
} as const;
export type AgentToolName = keyof typeof AGENT_TOOLS;

/** The eleven tools that act on the shadow tree alone. */
export const FILE_TOOLS = [
  'read_file',
  'grep_content',
  'list_files',
  'preview_file',
  'create_directory',
  'write_file',
  'delete_file',
  'rename_file',
  'mv',
  'edit_file',
  'edit_files',
] as const satisfies readonly AgentToolName[];
export type FileToolName = (typeof FILE_TOOLS)[number];

/** A checked call of a file tool. */
export type FileToolCall = {
  readonly [Name in FileToolName]: {
    readonly tool: Name;
    readonly input: z.infer<(typeof AGENT_TOOLS)[Name]>;
  };
}[FileToolName];

const DESCRIPTIONS: Readonly<Record<AgentToolName, string>> = {
  read_file:
    'Read a file. Each line is shown as NUMBER|TEXT after a header with the content_hash that edits need.',
  grep_content: 'Search all files with a regular expression, line by line. Shows PATH:LINE: TEXT.',
  list_files: 'List files, optionally those that match a glob.',
  preview_file: 'Read part of a file, with its content_hash.',
  create_directory: 'Not needed: folders exist through their files. Changes nothing.',
  write_file: 'Create a file or replace its whole content. Only your own files.',
  delete_file: 'Delete a file. Only your own files.',
  rename_file: 'Move a file. Both paths must be your own files.',
  mv: 'The same as rename_file.',
  edit_file: 'Change lines of a file that you have read; all other lines keep every byte.',
  edit_files: 'Change lines of several files at once: all or none.',
  run_lint: 'Check files for syntax errors.',
  run_test: 'Run what may be run for you on the current files. Bounded number of times.',
  get_current_state: 'What you have changed, and what is still required.',
  record_thought: 'Write a thought into the session log.',
  submit_pr: 'Submit your work as finished. It is judged; if it is refused you read why and may go on.',
  suspend: 'Give the task back, because it cannot be done. Finished work is handed in by submit_pr instead.',
};

/** One tool in the form of OpenAI's chat completions API. */
export interface ToolSpec {
  readonly type: 'function';
  readonly function: {
    readonly name: AgentToolName;
    readonly description: string;
    readonly parameters: Record<string, unknown>;
  };
}

/** Tools for a model request, in the order given. Default: all, with the whole form of `submit_pr`. */
export function toolSpecs(
  names: readonly AgentToolName[] = Object.keys(AGENT_TOOLS) as AgentToolName[],
  form: SubmitForm | null = null,
): ToolSpec[] {
  return names.map((name) => {
    const input = name === 'submit_pr' && form !== null ? SHOWN_SUBMIT_PR[form] : AGENT_TOOLS[name];
    const { $schema: _, ...parameters } = z.toJSONSchema(input, {
      target: 'draft-7',
      io: 'input',
      override: ({ jsonSchema }) => {
        // A bound is met by its refusal; here it would cost tokens in every request.
        delete jsonSchema.maxLength;
        if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      },
    });
    return { type: 'function', function: { name, description: DESCRIPTIONS[name], parameters } };
  });
}
