// One node of the audit's own fold: its first state, its status, and how failure spreads.

export function freshNode(seed) {
  return {
    stage: seed.stage,
    status: 'near',
    reason: null,
    was: null,
    isRoot: false,
    heldBy: [],
    structural: seed.structural,
    assumption: seed.assumption,
    unverified: seed.assumption,
    suite: 0,
    dispatches: 0,
    retries: 0,
    suiteRetries: 0,
    files: null,
    work: null,
  };
}

export function setStatus(node, status) {
  node.status = status;
  node.reason = null;
}

export function fall(node) {
  if (node.status === 'poisoned') return;
  node.was = { status: node.status, reason: node.reason };
  setStatus(node, 'poisoned');
}

export function release(node) {
  if (node.status !== 'poisoned' || node.isRoot || node.heldBy.length > 0) return;
  node.status = node.was?.status ?? 'near';
  node.reason = node.was?.reason ?? null;
  node.was = null;
}

/** Every node is held by exactly the roots that it depends on now. */
export function bindPoison(state) {
  const roots = Object.keys(state.nodes).filter((id) => state.nodes[id].isRoot);
  const fallen = new Map(roots.map((root) => [root, new Set(victims(state, root))]));
  for (const [id, node] of Object.entries(state.nodes)) {
    const holders = roots.filter((root) => fallen.get(root).has(id));
    if (holders.length > 0) fall(node);
    node.heldBy = holders;
    release(node);
  }
}

/** Everything that depends on `root`, by structure or assumption, in stages that are not sealed. */
export function victims(state, root) {
  const reached = new Set([root]);
  for (let grown = true; grown;) {
    grown = false;
    for (const [id, node] of Object.entries(state.nodes)) {
      if (reached.has(id) || ![...node.structural, ...node.assumption].some((dep) => reached.has(dep)))
        continue;
      reached.add(id);
      grown = true;
    }
  }
  reached.delete(root);
  return [...reached].filter((id) => state.stages[state.nodes[id].stage]?.status !== 'sealed');
}
