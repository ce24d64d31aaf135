// `npm run feedback`: repairs every wrong builder of test/feedback/cases from the fields of the feedback, with and without
// counterexamples, and prints the table. Exit code 1 if counterexamples make it worse.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'a7-feedback-'));
const table = join(folder, 'table.txt');
try {
  const jest = ['run', '-s', 'jest', '--', 'test/feedback/feedback.test.ts'];
  const { status } = spawnSync('npm', jest, {
    env: { ...process.env, A7_TEST_FEEDBACK: 'all', A7_TEST_FEEDBACK_TABLE: table },
    stdio: ['ignore', 2, 2],
  });
  process.stdout.write(readFileSync(table, 'utf8'));
  process.exitCode = status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
