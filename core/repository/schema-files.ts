/** L0: data files that a JSON schema describes. */
import { matchesAnyGlob } from '../globs.ts';
import type { RepositoryFinding } from '../../schemas/repository-report.ts';
import type { RepositoryStepOf } from '../../schemas/repository-steps.ts';
import type { JudgedFile } from './judged-file.ts';
import { repositoryFinding } from './finding.ts';

/** A JSON or YAML text as a value, or why it is none; the line is that of a fault of syntax. */
export type ReadDocument = (
  text: string,
) =>
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly line: number; readonly message: string };

/** A fault of a value: a JSON pointer, empty for the whole, and what must hold. */
export interface SchemaFault {
  readonly pointer: string;
  readonly rule: string;
}

export type SchemaChecker = (value: unknown) => readonly SchemaFault[];

/** How documents and schemas that a project brings are read; nothing of them is fetched. */
export interface DocumentTools {
  readonly read: ReadDocument;
  /** A checker of this JSON schema, or why there can be none. */
  readonly checker: (schema: unknown) => SchemaChecker | string;
}

/** What does not fit, file by file; a schema that cannot be used refuses the plan. */
export function schemaFindings(
  step: RepositoryStepOf<'schema_files'>,
  files: readonly JudgedFile[],
  tools: DocumentTools,
): RepositoryFinding[] {
  const checker = checkerOf(step, files, tools);
  if (typeof checker === 'string') {
    const text = `Cannot use the schema of ${step.source.detail}: ${checker}`;
    return [repositoryFinding('schema_unusable', 'L0', text, { nextStep: 'Correct the schema or its path' })];
  }
  const described = files.filter((file) => matchesAnyGlob(step.globs, file.path));
  if (described.length === 0) {
    const text = `No file matches ${step.globs.map((glob) => `"${glob}"`).join(', ')} (${step.source.detail})`;
    return [repositoryFinding('required_missing', 'L0', text)];
  }
  return described.flatMap((file) => fileFindings(file, checker, tools, step.source.detail));
}

function checkerOf(
  step: RepositoryStepOf<'schema_files'>,
  files: readonly JudgedFile[],
  tools: DocumentTools,
): SchemaChecker | string {
  const lying = files.find((file) => file.path === step.schemaPath);
  const text = step.schemaText ?? (lying === undefined ? null : textOf(lying));
  if (text === null) return `there is no file "${step.schemaPath ?? ''}"`;
  const read = tools.read(text);
  return read.ok ? tools.checker(read.value) : read.message;
}

function fileFindings(
  file: JudgedFile,
  checker: SchemaChecker,
  tools: DocumentTools,
  at: string,
): RepositoryFinding[] {
  const read = tools.read(textOf(file));
  if (!read.ok) {
    const place = { file: file.path, line: read.line };
    return [
      repositoryFinding('schema_violated', 'L0', `File "${file.path}" cannot be read: ${read.message}`, {
        place,
      }),
    ];
  }
  return checker(read.value).map(({ pointer, rule }) =>
    repositoryFinding(
      'schema_violated',
      'L0',
      `File "${file.path}": ${pointer === '' ? 'it' : `"${pointer}"`} ${rule} (${at})`,
      {
        place: { file: file.path, line: 0 },
      },
    ),
  );
}

function textOf(file: JudgedFile): string {
  return new TextDecoder().decode(file.bytes);
}
