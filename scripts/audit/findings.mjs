// What the audit found: findings make it fail, notes do not, checks are the rows of the table.

/** `check` names the rule, `subject` the node, commit, line or path. */
export function createFindings() {
  const findings = [];
  const notes = [];
  const checks = [];
  return {
    findings,
    notes,
    checks,
    fail(check, subject, message) {
      findings.push({ check, subject: String(subject), message });
    },
    note(check, subject, message) {
      notes.push({ check, subject: String(subject), message });
    },
    /** Call when a check is done: it holds if nothing was found under its name. */
    done(check, detail) {
      const failed = findings.filter((finding) => finding.check === check).length;
      checks.push({ check, detail, failed });
    },
  };
}
