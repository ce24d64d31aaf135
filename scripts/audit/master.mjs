// master.json against the fold of the lines up to the number it carries: what can be computed simply is compared.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { foldLedger } from './fold.mjs';
import { canonical, GENESIS, isRecord, parsed } from './json.mjs';

const CHECK = 'fold = master.json';
/** Longest chronicle that master.json keeps; beyond it dispatches cannot be counted there. */
const CHRONICLE_MAX = 200;

export function auditMaster(dir, ledger, found) {
  const text = readText(join(dir, 'master.json'));
  if (text === null) {
    if (ledger.lines.length > 0) found.fail(CHECK, 'master.json', 'is missing');
    found.done(CHECK, 'nothing to compare');
    return;
  }
  const master = parsed(text);
  if (!isRecord(master) || !Number.isInteger(master.seq)) {
    found.fail(CHECK, 'master.json', 'is no JSON object with a sequence number');
  } else if (master.seq > ledger.lines.length) {
    found.fail(
      CHECK,
      'master.json',
      `stands at line ${master.seq}, the ledger has ${ledger.lines.length} good lines`,
    );
  } else {
    compare(master, text, ledger, found);
  }
  found.done(CHECK, isRecord(master) ? `at line ${master.seq} of ${ledger.lines.length}` : 'unreadable');
}

function compare(master, text, ledger, found) {
  const lines = ledger.lines.slice(0, master.seq);
  const fold = foldLedger(lines);
  const differ = (subject, name, stated, folded) => {
    if (canonical(stated ?? null) === canonical(folded ?? null)) return;
    found.fail(
      CHECK,
      subject,
      `${name} is ${short(stated)} in master.json and ${short(folded)} by the ledger`,
    );
  };
  if (text !== `${pretty(master)}\n`)
    found.fail(CHECK, 'master.json', 'is not written in its own form (sorted keys, two spaces)');
  differ('master.json', 'head_hash', master.head_hash, lines.at(-1)?.hash ?? GENESIS);
  differ('project', 'project_id', master.project?.project_id, fold.project?.projectId ?? '');
  differ('project', 'name', master.project?.name, fold.project?.name ?? '');
  differ('project', 'stage_ids', master.project?.stage_ids, fold.stageOrder);
  differ('master.json', 'stages', keys(master.stages), keys(fold.stages));
  differ('master.json', 'nodes', keys(master.nodes), keys(fold.nodes));
  for (const id of fold.stageOrder) compareStage(id, master.stages?.[id] ?? {}, fold, differ);
  for (const id of Object.keys(fold.nodes)) compareNode(id, master.nodes?.[id] ?? {}, fold, differ);
  compareEdges(master, fold, differ);
  compareDispatches(master, lines, differ);
}

function compareStage(id, stage, fold, differ) {
  const own = Object.keys(fold.nodes).filter((nodeId) => fold.nodes[nodeId].stage === id);
  differ(id, 'name', stage.name, fold.stages[id].name);
  differ(id, 'status', stage.status, fold.stages[id].status);
  differ(id, 'sealed_at', stage.sealed_at, fold.stages[id].sealedAt);
  differ(id, 'node_ids', [...(stage.node_ids ?? [])].sort(), own.sort());
}

function compareNode(id, node, fold, differ) {
  const folded = fold.nodes[id];
  differ(id, 'status', node.status, folded.status);
  differ(id, 'stage_id', node.stage_id, folded.stage);
  differ(id, 'suspension', node.suspension_reason?.type ?? null, folded.reason);
  differ(id, 'structural_deps', node.structural_deps, folded.structural);
  differ(id, 'assumption_deps', node.assumption_deps, folded.assumption);
  differ(id, 'retry_count', node.retry_count, Math.max(folded.retries, folded.suiteRetries));
  differ(id, 'poisoned_by', node.poisoned_by, folded.status === 'poisoned' ? folded.heldBy[0] : null);
  if (folded.files !== null) differ(id, 'committed_files', node.committed_files, folded.files);
}

function compareEdges(master, fold, differ) {
  const stated = (master.dependencies ?? []).map(
    (edge) => `${edge.from_node} ${edge.to_node} ${edge.type} ${edge.verified}`,
  );
  const folded = Object.entries(fold.nodes).flatMap(([id, node]) => [
    ...node.structural.map((dep) => `${id} ${dep} structural true`),
    ...node.assumption.map((dep) => `${id} ${dep} assumption ${!node.unverified.includes(dep)}`),
  ]);
  differ('dependencies', 'edges', stated.sort(), folded.sort());
}

function compareDispatches(master, lines, differ) {
  for (const [id, node] of Object.entries(master.nodes ?? {})) {
    const chronicle = node.metadata?.chronicle ?? [];
    if (chronicle.length >= CHRONICLE_MAX) continue;
    const stated = chronicle.filter((entry) => entry.action === 'dispatched').length;
    const counted = lines.filter(
      (line) => line.type === 'dispatched' && line.data.record.nodeId === id,
    ).length;
    const isAfresh = lines.some((line) => line.type === 'contract_changed' && line.data.removed.includes(id));
    if (!isAfresh) differ(id, 'dispatches', stated, counted);
  }
}

function pretty(value) {
  return JSON.stringify(JSON.parse(canonical(value)), null, 2);
}

function short(value) {
  const text = canonical(value ?? null);
  return text.length > 120 ? `${text.slice(0, 117)}...` : text;
}

function keys(record) {
  return Object.keys(record ?? {}).sort();
}

function readText(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
