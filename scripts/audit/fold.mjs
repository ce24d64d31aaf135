// The facts of a session from its events, computed anew: statuses, suites, dispatches, sealed stages, head.

import { changed, putAside } from './changes.mjs';
import { bindPoison, fall, freshNode, release, setStatus, victims } from './nodes.mjs';

const BUILDER = 'builder';

/** State after all lines. An event that names an unknown node is a finding, and has no effect. */
export function foldLedger(lines, found = null) {
  const state = emptyState();
  for (const line of lines) {
    const problem = apply(state, line);
    if (problem !== null) found?.fail('fold', `line ${line.seq}`, problem);
  }
  return state;
}

function emptyState() {
  return {
    seq: 0,
    headHash: null,
    project: null,
    contractsRef: null,
    stageOrder: [],
    stages: {},
    nodes: {},
    head: null,
    dispatches: 0,
    dispatched: {},
    openRoles: {},
    intents: {},
    runsOpened: 0,
    aside: {},
  };
}

function apply(state, line) {
  state.seq = line.seq;
  state.headHash = line.hash;
  const handler = HANDLERS[line.type];
  if (handler === undefined) return null;
  return handler(state, line.data, line) ?? null;
}

const HANDLERS = {
  seeded(state, data) {
    if (state.stageOrder.length > 0) return 'seeds a session twice';
    state.project = data.project;
    seedStages(state, data);
    for (const node of data.nodes) state.nodes[node.id] = freshNode(node);
    return null;
  },
  contract_changed(state, data) {
    seedStages(state, data);
    const changes = data.changes ?? {};
    for (const id of data.removed) {
      putAside(state, id, changes[id]);
      delete state.nodes[id];
    }
    for (const node of data.nodes) {
      const next = changed(state, node, changes[node.id]);
      putAside(state, node.id, changes[node.id]);
      state.nodes[node.id] = next;
    }
    bindPoison(state);
  },
  branch_settled(state, data) {
    state.head = data.head;
  },
  stage_reopened(state, data) {
    for (const id of data.stages) {
      if (state.stages[id] === undefined) return `opens the unknown stage "${id}" again`;
      state.stages[id].status = 'active';
      state.stages[id].sealedAt = null;
    }
    bindPoison(state);
    return null;
  },
  replaced(state, data) {
    state.dispatches += 1;
    return withNode(state, data.nodeId, (node) => {
      Object.assign(node, { status: 'near', reason: null, was: null, isRoot: false, heldBy: [] });
      for (const id of data.dependents) {
        const other = state.nodes[id];
        if (other?.status === 'grounded' || other?.status === 'provisional') setStatus(other, 'near');
      }
      bindPoison(state);
    });
  },
  run_opened(state, data) {
    state.head = data.head;
    state.runsOpened += 1;
  },
  dispatched(state, { record }) {
    state.dispatches += 1;
    state.openRoles[record.dispatchId] = record.role;
    if (record.role === 'analyst') return null;
    return withNode(state, record.nodeId, (node) => {
      if (node.status === 'suspended') setStatus(node, 'near');
      node.dispatches += 1;
      if (record.attempt > 0) node[record.role === BUILDER ? 'retries' : 'suiteRetries'] = record.attempt;
    });
  },
  dispatch_restarted(state, data) {
    if (data.why !== 'answered') return null;
    return withNode(state, data.nodeId, (node) => {
      if (node.status === 'suspended') setStatus(node, 'near');
    });
  },
  answered(state, data) {
    return withNode(state, data.nodeId, (node) => {
      if (node.status === 'suspended') setStatus(node, 'near');
    });
  },
  suspended(state, data) {
    return withNode(state, data.nodeId, (node) => {
      setStatus(node, 'suspended');
      node.reason = data.type;
    });
  },
  returned(state, { nodeId, dispatchId, result }) {
    if (result.status !== 'failed' || state.openRoles[dispatchId] === 'analyst') return null;
    return withNode(state, nodeId, (node) => {
      const isCode = state.openRoles[dispatchId] === BUILDER && result.suspect === 'code';
      node.refusedBy = isCode ? result.reportDigest : null;
    });
  },
  commit_intent(state, { intent }) {
    state.intents[intent.intentId] = intent;
  },
  commit_refused(state, data) {
    if (data.reason === 'head_moved') state.head = data.head;
  },
  committed(state, data) {
    return committed(state, data);
  },
  suite_released(state, data) {
    return withNode(state, data.nodeId, (node) => {
      node.suite = 0;
      node.retries = 0;
    });
  },
  assumption_verified(state, data) {
    return withNode(state, data.from, (node) => {
      node.unverified = node.unverified.filter((id) => id !== data.to);
    });
  },
  poisoned(state, data) {
    return withNode(state, data.root, (node) => {
      if (node.isRoot) return;
      fall(node);
      node.isRoot = true;
      for (const id of victims(state, data.root)) {
        fall(state.nodes[id]);
        state.nodes[id].heldBy.push(data.root);
      }
    });
  },
  verdict_withdrawn(state, data) {
    return withNode(state, data.nodeId, (node) => {
      if (node.refusedBy !== data.reportDigest) return;
      node.refusedBy = null;
      if (node.isRoot) HANDLERS.healed(state, { root: data.nodeId });
      node.retries = Math.max(0, node.retries - 1);
    });
  },
  healed(state, data) {
    return withNode(state, data.root, (node) => {
      node.isRoot = false;
      node.was = { status: 'near', reason: null };
      release(node);
      for (const id of victims(state, data.root)) {
        state.nodes[id].heldBy = state.nodes[id].heldBy.filter((holder) => holder !== data.root);
        release(state.nodes[id]);
      }
    });
  },
  sealed(state, data, line) {
    const stage = state.stages[data.stage];
    if (stage === undefined) return `seals the unknown stage "${data.stage}"`;
    stage.status = 'sealed';
    stage.sealedAt = line.at;
    return null;
  },
};

function committed(state, data) {
  const intent = state.intents[data.intentId];
  if (intent === undefined) return `commits "${data.intentId}" without an intent before it`;
  if (intent.nodeId !== data.nodeId || intent.kind !== data.kind)
    return `commits "${data.intentId}" otherwise than intended`;
  delete state.intents[data.intentId];
  state.head = data.head;
  return withNode(state, data.nodeId, (node) => {
    if (data.kind === 'suite') {
      node.suite = intent.suite;
      return;
    }
    node.files = [...data.facts.files];
    node.work = intent.tree;
    const status = data.kind === 'code' ? 'grounded' : 'provisional';
    if (node.status === 'poisoned') node.was = { status, reason: null };
    else setStatus(node, status);
  });
}

function seedStages(state, data) {
  state.contractsRef = data.contractsRef;
  state.stageOrder = data.stages.map((stage) => stage.id);
  for (const stage of data.stages) {
    const before = state.stages[stage.id];
    state.stages[stage.id] = {
      name: stage.name,
      status: before?.status ?? 'active',
      sealedAt: before?.sealedAt ?? null,
    };
  }
}

function withNode(state, id, change) {
  const node = state.nodes[id];
  if (node === undefined) return `names the unknown node "${id}"`;
  change(node);
  return null;
}
