// A process of its own: lets Temporal's SDK download its server program into a folder.
// usage: sdk-download.mjs FOLDER VERSION
// The server that the SDK starts afterwards is not needed: the parent looks only at the file that is left.
import { TestWorkflowEnvironment } from '@temporalio/testing';

const [downloadDir, version] = process.argv.slice(2);
try {
  const executable = { type: 'cached-download', downloadDir, version };
  const environment = await TestWorkflowEnvironment.createLocal({ server: { executable, ui: false } });
  await environment.teardown();
} catch (error) {
  process.stderr.write(`${String(error.message).split(': error sending')[0]}\n`);
  process.exitCode = 1;
}
