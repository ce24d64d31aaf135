/** One node on the board, at three levels of detail. */
import type { BoardNode } from '../../schemas/board.ts';
import type { NodeState } from '../stage/types.ts';
import { interfaceOf } from '../ledger/render-master.ts';
import type { NodeTexts } from '../ledger/session-doc.ts';
import type { BoardShared } from './board-shared.ts';

/** full: as written. short: long texts cut. line: status and name, the reason of a failure. */
export type Fidelity = 'full' | 'short' | 'line';

const textMax: Readonly<Record<Fidelity, number>> = { full: 4000, short: 160, line: 60 };
const listMax: Readonly<Record<Fidelity, number>> = { full: 500, short: 5, line: 0 };

/** Control characters but newline and tab, which would grow sixfold in JSON. */
const control = /(?![\n\t])\p{Cc}/gu;

/** Cuts a text and says so. */
export function cut(text: string, max: number): string {
  const clean = text.slice(0, max + 1).replace(control, ' ');
  return text.length > max ? `${clean.slice(0, Math.max(0, max - 1))}…` : clean;
}

export function boardNode(shared: BoardShared, id: string, fidelity: Fidelity): BoardNode {
  const node = shared.doc.state.nodes[id];
  const texts = shared.doc.nodes[id];
  const max = textMax[fidelity];
  const list = (items: readonly string[]) => items.slice(0, listMax[fidelity]).map((item) => cut(item, max));
  const face = interfaceOf(texts, shared.contracts.get(id));
  const failure = texts?.retryContext.at(-1)?.error;
  const isOpen = Object.values(shared.doc.state.open).some((open) => open.record.nodeId === id);
  return {
    node_id: id,
    status: node?.status ?? 'near',
    type: node?.type ?? 'feature',
    description: cut(shared.contracts.get(id)?.description ?? '', max),
    interface: {
      exports: list(face.exports),
      assumptions: list(face.assumptions),
      raises: face.raises.length === 0 ? null : list(face.raises),
      guarantees: face.guarantees.length === 0 ? null : list(face.guarantees),
    },
    committed_files: list(texts?.committedFiles ?? []),
    poisoned_by: node?.heldBy?.[0] ?? null,
    has_test: node?.suite !== undefined,
    retry_count: Math.max(node?.retries ?? 0, node?.suiteRetries ?? 0),
    max_retries: node?.maxRetries ?? 3,
    suspension_reason: suspension(node, texts, max),
    last_failure:
      failure === undefined || node?.status === 'grounded' ? null : cut(failure, Math.max(max, 120)),
    tokens: texts?.facts?.tokens ?? 0,
    exports_preview:
      texts?.facts === null || texts === undefined ? null : cut(texts.facts.firstExportPreview, max),
    analyst_findings: findings(texts, max),
    chronicle: chronicle(texts, isOpen ? fidelity : 'line'),
  };
}

function suspension(node: NodeState | undefined, texts: NodeTexts | undefined, max: number): string | null {
  return node?.reason === undefined ? null : cut(`${node.reason}: ${texts?.suspensionDetail ?? ''}`, max);
}

function findings(texts: NodeTexts | undefined, max: number): BoardNode['analyst_findings'] {
  const last = texts?.findings.at(-1);
  if (texts === undefined || last === undefined) return null;
  return {
    scope: last.scope,
    confidence: last.confidence,
    summary: cut(last.findings.join('; '), max),
    count: texts.findings.length,
  };
}

function chronicle(texts: NodeTexts | undefined, fidelity: Fidelity): BoardNode['chronicle'] {
  const entries = fidelity === 'line' ? [] : (texts?.chronicle ?? []).slice(fidelity === 'full' ? -20 : -3);
  return entries.map((entry) => ({
    turn: entry.turn,
    action: entry.action,
    detail: cut(JSON.stringify(entry.metadata), textMax.short),
  }));
}
