/**
 * The next useful call, with the arguments that are known: the last line of every text that an agent reads. A small model does
 * what the last text names, so no text may send it in a circle.
 *
 *  N1. Nothing of its own yet: `write_file` with the path of its first file.
 *  N2. Files of an earlier attempt, untouched: `read_file`; read, or refused: `write_file` or `edit_file`.
 *  N3. An edit that was made for an older reading: `read_file` of that path.
 *  N4. A file that was not written, by its path, by its call or because there was no call: `write_file` with the right path.
 *  N5. Files of its own that changed: `submit_pr`, with all that the role has to give.
 */
import type { SubmitForm } from '../../schemas/submit-pr.ts';

/** Where an agent's work stands. */
export interface OwnWork {
  readonly form: SubmitForm;
  readonly nodeId: string;
  /** Where its work begins: the code's main file, or a test file. */
  readonly mainFile: string;
  /** Its own files in the tree, sorted. */
  readonly files: readonly string[];
  /** Those of them that hold tests. */
  readonly testFiles: readonly string[];
  /** Whether it changed them since its task began. */
  readonly isChanged: boolean;
  /** A suite may be all there is: a builder may submit without a file. */
  readonly mayBeEmpty: boolean;
  /** Clause ids that the author's tests cover. */
  readonly clauses: readonly string[];
}

/** What happened before the line: a file of its own was read, an edit was of an older reading, work was refused, a file was not written, or anything else. */
export type Before =
  | { readonly kind: 'read'; readonly path: string; readonly hash: string }
  | { readonly kind: 'stale'; readonly path: string }
  | { readonly kind: 'refused' }
  | { readonly kind: 'unwritten'; readonly path: string | null }
  | { readonly kind: 'other' };

const CLAUSES_SHOWN_MAX = 40;

/** One line that begins with `Next`. */
export function nextCall(work: OwnWork, before: Before = { kind: 'other' }): string {
  if (work.form === 'findings') return `Next, when you know the answer: ${submitCall(work)}`;
  if (work.files.length === 0 && !work.mayBeEmpty)
    return `Next: create your file: ${writeCall(work.mainFile)}`;
  const file = work.files.includes(work.mainFile) ? work.mainFile : (work.files[0] ?? work.mainFile);
  if (before.kind === 'refused') return `Next: mend your file: ${writeCall(file)}`;
  if (before.kind === 'unwritten' && isMeant(before.path, file))
    return `Next: write your file: ${writeCall(file)}`;
  if (before.kind === 'stale') return `Next: read it again: ${readCall(before.path)}`;
  if (before.kind === 'read') {
    const edit = `edit_file {"path": ${JSON.stringify(before.path)}, "content_hash": "${before.hash}", "operations": [{"op": "replace", "start_line": 1, "content": "..."}]}`;
    return work.isChanged
      ? `Next, if your work is complete: ${submitCall(work)}; else change it: ${edit}`
      : `Next: change it: ${edit}, or write it anew: ${writeCall(before.path)}`;
  }
  if (work.isChanged || work.mayBeEmpty) return `Next, if your work is complete: ${submitCall(work)}`;
  return `Next: read your file of the last attempt: ${readCall(file)}`;
}

/** `src/price/money.py` is meant for `price/money.py`; a path of another name is another file. */
function isMeant(path: string | null, file: string): boolean {
  return path === null || path.split('/').at(-1) === file.split('/').at(-1);
}

function readCall(path: string): string {
  return `read_file {"path": ${JSON.stringify(path)}}`;
}

/** `submit_pr` with what the role has to give, as far as it is known. */
export function submitCall({ form, nodeId, testFiles, mainFile, clauses }: OwnWork): string {
  const tests = JSON.stringify(testFiles.length === 0 ? [mainFile] : testFiles);
  const shown = clauses
    .slice(0, CLAUSES_SHOWN_MAX)
    .map((id) => `{"clause": "${id}", "tests": ${tests}}`)
    .join(', ');
  const covers = `"covers": [${shown}]`;
  const rest = clauses.slice(CLAUSES_SHOWN_MAX);
  // Beside the call, not in it: what is copied must be a call.
  const more = rest.length === 0 ? '' : ` (and the same for ${rest.join(', ')})`;
  switch (form) {
    case 'code':
      return 'submit_pr {}';
    case 'suite':
      return `submit_pr {${covers}}${more}`;
    case 'suite_and_interface': {
      const sections = `TEST CONTRACT: ${nodeId}\\nAPI:\\n- ...\\nBEHAVIOR:\\n- ...\\nEDGES:\\n- ...\\nCOERCION:\\n- none`;
      return `submit_pr {"test_contract": "${sections}", ${covers}}${more}`;
    }
    case 'findings':
      return 'submit_pr {"pr_note": "..."}';
  }
}

function writeCall(path: string): string {
  return `write_file {"path": ${JSON.stringify(path)}, "content": "..."}`;
}
