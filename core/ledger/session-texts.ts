/** Fold of texts: what each event adds to the document beside the decision state. It runs before the state is folded. */
import type { Tombstone } from '../../schemas/chronicle.ts';
import type { LedgerEvent, LedgerEventOf } from '../../schemas/ledger.ts';
import type { GateOutcome } from '../../schemas/stage.ts';
import { without } from '../stage/draft.ts';
import { victimsOf } from '../stage/poison.ts';
import { changeTexts, seedTexts } from './change-texts.ts';
import { chronicleEntry } from './chronicle.ts';
import { eachFailureOnce } from './retry-context.ts';
import {
  chronicleMax,
  findingsMax,
  graveyardMax,
  newest,
  recentEventsMax,
  retryContextMax,
  type DocDraft,
  type NodeTexts,
} from './session-doc.ts';

export function foldTexts(draft: DocDraft, event: LedgerEvent, at: string): void {
  const turn = draft.state.run?.turn ?? 0;
  const entry = chronicleEntry(draft.state, event, at);
  if (entry !== null) {
    const { nodeId } = entry;
    const texts = draft.nodes[nodeId];
    if (texts !== undefined) {
      draft.nodes[nodeId] = { ...texts, chronicle: newest([...texts.chronicle, entry.entry], chronicleMax) };
    }
    const recent = { turn, action: event.type, node_id: nodeId, timestamp: at };
    draft.recentEvents = newest([...draft.recentEvents, recent], recentEventsMax);
  }
  foldSessionTexts(draft, event, at);
  foldNodeTexts(draft, event, at);
}

function foldSessionTexts(draft: DocDraft, event: LedgerEvent, at: string): void {
  switch (event.type) {
    case 'seeded':
      draft.project = { ...event.data.project, createdAt: at };
      seedTexts(draft, event.data, at);
      return;
    case 'contract_changed':
      for (const id of event.data.removed) bury(draft, [id], 'removed', at);
      for (const node of event.data.nodes) {
        const isVoid = event.data.changes?.[node.id]?.voids !== 'nothing';
        if (isVoid && draft.nodes[node.id] !== undefined) bury(draft, [node.id], 'replaced', at);
      }
      changeTexts(draft, event.data, at);
      draft.nodes = without(draft.nodes, event.data.removed);
      draft.digests = without(draft.digests, event.data.removed);
      return;
    case 'stage_reopened':
      draft.sealed = without(draft.sealed, event.data.stages);
      return;
    case 'poisoned': {
      const { root, detail } = event.data;
      const why = detail.slice(0, 300);
      if (draft.state.nodes[root]?.root === true) return;
      bury(draft, [root], `poisoned: ${why}`, at);
      bury(draft, victimsOf(draft.state, root), `poisoned by ${root}`, at);
      return;
    }
    case 'healed':
      bury(
        draft,
        [event.data.root, ...victimsOf(draft.state, event.data.root)],
        `healed by ${event.data.root}`,
        at,
      );
      return;
    case 'plan_updated': {
      const { narrative, checklist, turn } = event.data;
      draft.planning = { narrative, checklist, updated_at: turn };
      return;
    }
    case 'sealed': {
      const { stage, summary, exportedInterfaces } = event.data;
      const full = draft.planning.narrative === '' ? summary : `${summary}\n\n${draft.planning.narrative}`;
      draft.sealed = { ...draft.sealed, [stage]: { sealedAt: at, summary: full, exportedInterfaces } };
      draft.planning = { narrative: '', checklist: [], updated_at: 0 };
      return;
    }
    case 'input_received':
      draft.inputTimes = { ...draft.inputTimes, [event.data.input.id]: at };
      return;
    case 'input_consumed':
      draft.inputTimes = without(draft.inputTimes, [event.data.id]);
      return;
    default:
      return;
  }
}

function foldNodeTexts(draft: DocDraft, event: LedgerEvent, at: string): void {
  switch (event.type) {
    case 'returned': {
      foldReturned(draft, event.data);
      return;
    }
    case 'committed': {
      foldCommitted(draft, event.data, at);
      return;
    }
    case 'suspended': {
      const { nodeId, detail, type } = event.data;
      patch(draft, nodeId, { suspensionDetail: detail });
      remember(draft, nodeId, `suspended ${type}: ${detail}`, []);
      return;
    }
    case 'poisoned': {
      remember(draft, event.data.root, event.data.detail, []);
      return;
    }
    case 'regated':
      patch(draft, event.data.nodeId, tierOf(event.data.outcome));
      if (event.data.outcome.verdict === 'PASS') return;
      remember(draft, event.data.nodeId, `gated again: ${event.data.outcome.verdict}`, []);
      return;
    case 'answered': {
      remember(draft, event.data.nodeId, `A person answered: ${event.data.text}`, []);
      return;
    }
    case 'suite_released': {
      patch(draft, event.data.nodeId, { exports: null, testContract: null });
      return;
    }
    case 'reviewed': {
      const { nodeId, dispatchId, findings } = event.data;
      patch(draft, nodeId, { review: { dispatchId, findings } });
      return;
    }
    case 'analyst_found': {
      const { nodeId, finding } = event.data;
      const findings = [
        ...(draft.nodes[nodeId]?.findings ?? []),
        { ...finding, node_id: nodeId, created_at: at },
      ];
      patch(draft, nodeId, { findings: newest(findings, findingsMax) });
      return;
    }
    case 'action':
      for (const id of clearedBy(event.data.action)) patch(draft, id, { findings: [] });
      return;
    case 'tagged': {
      patch(draft, event.data.tag.node_id, {
        tags: [...(draft.nodes[event.data.tag.node_id]?.tags ?? []), event.data.tag],
      });
      return;
    }
    default:
      return;
  }
}

function clearedBy(action: LedgerEventOf<'action'>['data']['action']): readonly string[] {
  return 'clear_findings' in action.parameters ? (action.parameters.clear_findings ?? []) : [];
}

function foldReturned(draft: DocDraft, data: LedgerEventOf<'returned'>['data']): void {
  const { nodeId, dispatchId, result } = data;
  const role = draft.state.open[dispatchId]?.record.role;
  if (role === 'analyst') return;
  if ('iterationsUsed' in result) {
    const iterations = [...(draft.nodes[nodeId]?.iterations ?? []), result.iterationsUsed];
    patch(draft, nodeId, { iterations: newest(iterations, chronicleMax) });
  }
  if (result.status === 'failed') {
    remember(draft, nodeId, result.reasons.join('; '), []);
    return;
  }
  if (result.status !== 'submitted') return;
  const { submission } = result;
  patch(draft, nodeId, {
    prNote: submission.prNote,
    pendingFiles: submission.files,
    ...tierOf(submission.gate),
    ...(role === 'test_author' && { testContract: submission.testContract, exports: submission.exports }),
  });
}

/** Of code that passed; what else a verdict is about leaves it as it was. */
function tierOf(gate: GateOutcome | null): Partial<NodeTexts> {
  return gate?.tier === undefined || gate.verdict !== 'PASS' ? {} : { tier: gate.tier };
}

function foldCommitted(draft: DocDraft, data: LedgerEventOf<'committed'>['data'], at: string): void {
  const { facts, kind, nodeId } = data;
  if (kind === 'suite') {
    patch(draft, nodeId, { pendingFiles: [] });
    return;
  }
  patch(draft, nodeId, {
    pendingFiles: [],
    committedFiles: facts.files,
    facts,
    factsAt: at,
    suspensionDetail: null,
  });
}

function remember(draft: DocDraft, nodeId: string, error: string, files: readonly string[]): void {
  const before = draft.nodes[nodeId]?.retryContext ?? [];
  const attempt = draft.state.nodes[nodeId]?.dispatches ?? 0;
  const item = { attempt, error, files_written: [...files] };
  patch(draft, nodeId, { retryContext: newest(eachFailureOnce([...before, item]), retryContextMax) });
}

function bury(draft: DocDraft, nodeIds: readonly string[], reason: string, timestamp: string): void {
  const stones = nodeIds.map((node_id): Tombstone => ({
    node_id,
    reason,
    scope: scopeOf(draft, node_id),
    timestamp,
  }));
  draft.graveyard = newest([...draft.graveyard, ...stones], graveyardMax);
}

/** A tombstone is global when it lies in another stage than the one that runs. */
function scopeOf(draft: DocDraft, nodeId: string): Tombstone['scope'] {
  return draft.state.nodes[nodeId]?.stage === draft.state.run?.stage ? 'local' : 'global';
}

function patch(draft: DocDraft, nodeId: string, fields: Partial<NodeTexts>): void {
  const texts = draft.nodes[nodeId];
  if (texts !== undefined) draft.nodes[nodeId] = { ...texts, ...fields };
}
