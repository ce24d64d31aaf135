// The last line of every test run: plain counts, for people and for CI. And the failed files, for scripts/test.mjs.
import { writeFileSync } from 'node:fs';

export default class SummaryReporter {
  onRunComplete(_contexts, results) {
    const { numPassedTests, numFailedTests, numPendingTests, numRuntimeErrorTestSuites } = results;
    const path = process.env.A7_TEST_FAILED_FILES;
    if (path !== undefined) writeFileSync(path, JSON.stringify(failedFiles(results)));
    const parts = [`${numPassedTests} passed`, `${numFailedTests} failed`];
    if (numPendingTests > 0) parts.push(`${numPendingTests} skipped`);
    if (numRuntimeErrorTestSuites > 0) parts.push(`${numRuntimeErrorTestSuites} files did not load`);
    // jest adds its own summary after every reporter; this line comes after that.
    process.once('exit', () => process.stderr.write(`${parts.join(', ')}\n`));
  }
}

function failedFiles({ testResults }) {
  return testResults
    .filter((file) => file.numFailingTests > 0 || file.testExecError)
    .map((file) => file.testFilePath);
}
