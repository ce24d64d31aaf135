// The result as a table for people or one JSON document for programs.

export function renderJson(result) {
  return JSON.stringify({ ok: result.findings.length === 0, ...result }, null, 2);
}

export function renderTable(result) {
  const checks = result.checks.map(({ check, detail, failed }) => [
    failed === 0 ? 'ok' : 'FAIL',
    check,
    detail,
  ]);
  const commits = result.commits.map((row) => [
    row.commit.slice(0, 10),
    row.node,
    String(row.tests),
    row.green ? 'green' : 'RED',
    String(row.red.empty ?? '-'),
    String(row.red.hollow ?? '-'),
  ]);
  const { git, node, python, isolation } = result.tools;
  return [
    `Audit of ${result.session}`,
    `${git}; node ${node ?? 'missing'}; python ${python ?? 'missing'}; room: ${isolation}`,
    '',
    table(['', 'CHECK', ''], checks),
    '',
    ...(commits.length === 0
      ? []
      : [table(['COMMIT', 'NODE', 'TESTS', 'THERE', 'RED ON EMPTY', 'RED ON HOLLOW'], commits), '']),
    ...result.notes.map((note) => `note  ${note.check}: ${note.subject} ${note.message}`),
    ...result.findings.map((finding) => `FAIL  ${finding.check}: ${finding.subject} ${finding.message}`),
    lastLine(result),
  ].join('\n');
}

function lastLine({ findings, suitesLeftOut }) {
  if (findings.length > 0) return findings.length === 1 ? '1 finding.' : `${findings.length} findings.`;
  return suitesLeftOut ? 'All checks hold; the suites were left out.' : 'All checks hold.';
}

function table(head, rows) {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column].length)));
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
