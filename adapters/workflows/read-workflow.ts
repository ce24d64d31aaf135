/** A CI workflow or a composite action as plain data: its values with their lines, and what the CI service would refuse of it. */
import type { Workflow } from '../../core/repository/ci/workflow.ts';
import { errorMessage } from '../../core/text/error-text.ts';
import { isMap, isScalar, LineCounter, parseDocument, type Document } from 'yaml';
import { evaluateExpression } from './evaluate.ts';
import { workflowLibrary } from './library.ts';

/** A workflow; `problems` are those of the service's own parser. */
export function readWorkflow(text: string, file: string): Workflow {
  const read = plainYaml(text, file);
  if (read.problems.length > 0) return read;
  const { parseWorkflow, NoOperationTraceWriter } = workflowLibrary();
  try {
    const { context } = parseWorkflow({ name: file, content: text }, new NoOperationTraceWriter());
    const problems = context.errors.getErrors().map((error) => ({
      line: error.range?.start.line ?? 1,
      message: error.rawMessage,
    }));
    return { ...read, problems };
  } catch (error) {
    return { ...read, problems: [{ line: 1, message: errorMessage(error) }] };
  }
}

/** A composite action: its form is looked at where it is used. */
export function readAction(text: string, file: string): Workflow {
  return plainYaml(text, file);
}

/** YAML as the CI service reads it: anchors and merges are plain, and `on` is a name. */
function plainYaml(text: string, file: string): Workflow {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, merge: true });
  const [fault] = document.errors;
  const lineOf = (path: readonly (string | number)[]): number => lineAt(document, lines, path);
  const shared = { file, lineOf, evaluate: evaluateExpression };
  if (fault !== undefined) {
    const line = Math.max(1, lines.linePos(fault.pos[0]).line);
    const message = fault.message.split('\n')[0] ?? '';
    return { ...shared, value: { on: 'push' }, lineOf: () => line, problems: [{ line, message }] };
  }
  return { ...shared, value: document.toJS({ maxAliasCount: 1000 }) as unknown, problems: [] };
}

function lineAt(document: Document, lines: LineCounter, path: readonly (string | number)[]): number {
  for (let depth = path.length; depth > 0; depth -= 1) {
    const parent = depth === 1 ? document.contents : document.getIn(path.slice(0, depth - 1), true);
    const key = path[depth - 1];
    const pair = isMap(parent)
      ? parent.items.find(({ key: each }) => isScalar(each) && String(each.value) === String(key))
      : null;
    const node =
      pair === null || pair === undefined
        ? (document.getIn(path.slice(0, depth), true) as { range?: [number] } | undefined)
        : (pair.key as { range?: [number] });
    const offset = node?.range?.[0];
    if (offset !== undefined) return Math.max(1, lines.linePos(offset).line);
  }
  return 1;
}
