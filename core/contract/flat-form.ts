/**
 * The seed's flat form of a node graph, turned into the form of `schemas/contract.ts` (design part 10).
 *
 * F1. Accepted: a list of nodes alone; `nodes` or `stages` as a map by id; `node_id`, `stage_id`; `null` for "not given".
 * F2. What a run writes into `master.json` (status, counters, times, findings) is left out: status is earned (G2).
 * F3. Nothing else is changed or dropped, so that a slip of the pen still meets the schema.
 * F4. Names of before are read as the present ones (schemas/older-names.ts).
 * F5. `origin` gives, for a path in the result, the path in the document as written.
 */
import { withPresentNames } from '../../schemas/older-names.ts';
import type { DocumentPath } from '../../schemas/problems.ts';
import { isRecord } from '../text/is-record.ts';

export interface NormalForm {
  readonly value: unknown;
  readonly origin: (path: DocumentPath) => DocumentPath;
}

type Fields = Record<string, unknown>;

const NODE_NAMES: Readonly<Record<string, string>> = { node_id: 'id', stage_id: 'stage' };
const STAGE_NAMES: Readonly<Record<string, string>> = { stage_id: 'id' };
const NODE_RUN_FIELDS = new Set([
  'status',
  'suspension_reason',
  'content_file',
  'created_at',
  'retry_count',
  'retry_context',
  'pr_note',
  'test_contract',
  'committed_files',
  'tags',
  'metadata',
  'poisoned_by',
]);
const STAGE_RUN_FIELDS = new Set(['status', 'node_ids', 'sealed_at', 'summary', 'exported_interfaces']);

/** Brings a parsed document into normal form. `name` is the project's name where the flat form has none. */
export function toNormalForm(document: unknown, name: string): NormalForm {
  const root: Fields = Array.isArray(document) ? { nodes: document } : isRecord(document) ? document : {};
  if (!Array.isArray(document) && !isRecord(document)) return { value: document, origin: (path) => path };
  const nodes = entriesOf(root['nodes'], 'id', NODE_NAMES, NODE_RUN_FIELDS);
  const stages = entriesOf(root['stages'], 'id', STAGE_NAMES, STAGE_RUN_FIELDS);
  const flat = isFlat(document);
  const value: Fields = { ...(flat ? { version: 1, project: { name } } : {}), ...root };
  if (nodes) value['nodes'] = nodes.map((entry) => withPresentNames(withoutNulls(entry.fields)));
  if (stages) value['stages'] = stages.map((entry) => entry.fields);
  else if (flat && nodes) value['stages'] = stagesOf(nodes);
  return {
    value,
    origin: (path) => {
      const found = originOf(path, { nodes, stages });
      return Array.isArray(document) && found[0] === 'nodes' ? found.slice(1) : found;
    },
  };
}

interface Entry {
  readonly key: string | number;
  readonly fields: Fields;
  /** Name in the result to name as written. */
  readonly written: Readonly<Record<string, string>>;
}

function isFlat(document: unknown): boolean {
  if (Array.isArray(document)) return true;
  if (!isRecord(document) || 'version' in document) return false;
  const nodes = document['nodes'];
  const list: unknown[] = Array.isArray(nodes) ? nodes : isRecord(nodes) ? Object.values(nodes) : [];
  return isRecord(nodes) || list.some((node) => isRecord(node) && ('node_id' in node || 'stage_id' in node));
}

/** Entries of a list or of a map by id; null where it is neither, which the schema then says. */
function entriesOf(
  value: unknown,
  idField: string,
  names: Readonly<Record<string, string>>,
  dropped: ReadonlySet<string>,
): Entry[] | null {
  if (Array.isArray(value)) {
    if (!value.every(isRecord)) return null;
    return value.map((fields, index) => renamed(index, fields, names, dropped));
  }
  if (!isRecord(value) || !Object.values(value).every(isRecord)) return null;
  return Object.entries(value).map(([key, fields]) => {
    const entry = renamed(key, fields as Fields, names, dropped);
    return { ...entry, fields: { [idField]: key, ...entry.fields } };
  });
}

function renamed(
  key: string | number,
  fields: Fields,
  names: Readonly<Record<string, string>>,
  dropped: ReadonlySet<string>,
): Entry {
  const result: Fields = {};
  const written: Record<string, string> = {};
  const isRun = Object.keys(fields).some((name) => name in names);
  for (const [name, value] of Object.entries(fields)) {
    if (isRun && dropped.has(name)) continue;
    const target = names[name] ?? name;
    // Both spellings: the second stays under its own name, and the schema refuses it.
    const free = target in fields && target !== name ? name : target;
    result[free] = value;
    written[free] = name;
  }
  return { key, fields: result, written };
}

function withoutNulls(fields: Fields): Fields {
  const kept = Object.entries(fields).filter(([, value]) => value !== null);
  return Object.fromEntries(
    kept.map(([name, value]) => [
      name,
      name === 'interface' && isRecord(value) ? withoutNulls(value) : value,
    ]),
  );
}

/** Stages in the order in which nodes first name them. */
function stagesOf(nodes: readonly Entry[]): unknown[] {
  const ids = nodes.map((node) => node.fields['stage']).filter((stage) => typeof stage === 'string');
  return [...new Set(ids)].map((id) => ({ id }));
}

function originOf(
  path: DocumentPath,
  lists: { readonly nodes: Entry[] | null; readonly stages: Entry[] | null },
): DocumentPath {
  const [list, index, field, ...rest] = path;
  const entries = list === 'nodes' ? lists.nodes : list === 'stages' ? lists.stages : null;
  const entry = typeof index === 'number' ? entries?.[index] : undefined;
  if (list === undefined || entry === undefined) return path;
  if (field === undefined) return [list, entry.key];
  return [list, entry.key, entry.written[String(field)] ?? field, ...rest];
}
