// The last line of every test run: plain counts, for people and for CI.
export default class SummaryReporter {
  onRunComplete(_contexts, results) {
    const { numPassedTests, numFailedTests, numPendingTests, numRuntimeErrorTestSuites } = results;
    const parts = [`${numPassedTests} passed`, `${numFailedTests} failed`];
    if (numPendingTests > 0) parts.push(`${numPendingTests} skipped`);
    if (numRuntimeErrorTestSuites > 0) parts.push(`${numRuntimeErrorTestSuites} files did not load`);
    // jest adds its own summary after every reporter; this line comes after that.
    process.once('exit', () => process.stderr.write(`${parts.join(', ')}\n`));
  }
}
