// Projects of independent one-function nodes, and the answers that build them.

/** `contracts.yaml` text of nodes `bench.n1` … `bench.nN` in one pure stage; `burnMs` is processor time of each test. */
export function contractsText(count) {
  return JSON.stringify({
    version: 1,
    project: { name: 'bench', language: 'python', requires: [] },
    stages: [{ id: 'core', kind: 'pure' }],
    nodes: nodeIds(count).map((id) => ({
      id,
      stage: 'core',
      description: `${nameOf(id)}() -> int: the answer`,
      interface: { exports: [exportOf(id)] },
    })),
  });
}

/** Ids of the nodes. */
export function nodeIds(count) {
  return Array.from({ length: count }, (_, index) => `bench.n${index + 1}`);
}

/** One message of the author or the builder that writes its file and submits it. */
export function honestAnswer({ role, node }, { burnMs = 0, delayMs = 0 } = {}) {
  const name = nameOf(node);
  const path = role === 'builder' ? `bench/${name}.py` : `tests/bench_${name}/test_${name}.py`;
  const content = role === 'builder' ? codeOf(name) : suiteOf(name, burnMs);
  return {
    delayMs,
    toolCalls: [
      ['write_file', { path, content }],
      ['submit_pr', submission(node, role, path)],
    ],
  };
}

function submission(node, role, path) {
  const covers = role === 'builder' ? {} : { covers: [{ clause: 'E1', tests: ['test_answer'] }] };
  return { status: 'grounded', files: [path], interface: { exports: [exportOf(node)] }, ...covers };
}

function exportOf(node) {
  return `def ${nameOf(node)}() -> int: ...`;
}

function nameOf(node) {
  return node.split('.')[1];
}

function codeOf(name) {
  return `def ${name}() -> int:\n    return 41\n`;
}

/** Red at once on every stub; on the code it burns processor time first. */
function suiteOf(name, burnMs) {
  const burn =
    burnMs === 0
      ? ''
      : `    end = time.process_time() + ${burnMs / 1000}\n    while time.process_time() < end:\n        pass\n`;
  return `import time\n\nfrom bench.${name} import ${name}\n\n\ndef test_answer():\n    assert ${name}() == 41\n${burn}`;
}
