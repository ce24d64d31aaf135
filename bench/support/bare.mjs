// The named baseline of everything that Temporal takes: no-op activities of a bare workflow on the same server.
import { fileURLToPath } from 'node:url';
import { NativeConnection, Worker, bundleWorkflowCode } from '@temporalio/worker';

const QUEUE = 'bench-bare';
const QUIET = { trace() {}, debug() {}, info() {}, log() {}, warn() {}, error() {} };

/** A worker for bare workflows; `run(count)` gives the id of one that ran `count` activities to its end. */
export async function openBare(lab) {
  const workflowsPath = fileURLToPath(new URL('bare-workflow.mjs', import.meta.url));
  const workflowBundle = await bundleWorkflowCode({ workflowsPath, logger: QUIET });
  const connection = await NativeConnection.connect({ address: lab.place.address });
  const worker = await Worker.create({
    connection,
    namespace: lab.place.namespace,
    taskQueue: QUEUE,
    workflowBundle,
    activities: { noop: async () => undefined },
  });
  const running = worker.run();
  let started = 0;
  return {
    async run(count) {
      started += 1;
      const workflowId = `bench-bare-${started}`;
      await lab.client.workflow.execute('bareActivities', {
        workflowId,
        taskQueue: QUEUE,
        args: [count],
      });
      return workflowId;
    },
    async close() {
      worker.shutdown();
      await running;
      await connection.close();
    },
  };
}
