/** Whether a Temporal server serves, and how long it keeps closed runs. */
import { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';

/** Ten years: the default of the development server is 24 hours (temporal.md part 8). */
const RETENTION = '3650d';
const PROBE_TIMEOUT_MS = 2_000;
const NAMESPACE = 'default';

/** True when the server answers and its namespace exists. */
export async function isServing(address: string): Promise<boolean> {
  try {
    return await withConnection(address, async (connection) => {
      await connection.workflowService.describeNamespace({ namespace: NAMESPACE });
      return true;
    });
  } catch {
    return false;
  }
}

/** Raises the namespace's retention. */
export async function keepHistory(address: string): Promise<void> {
  await withConnection(address, async (connection) => {
    await connection.workflowService.updateNamespace({
      namespace: NAMESPACE,
      config: { workflowExecutionRetentionTtl: msToTs(RETENTION) },
    });
  });
}

async function withConnection<T>(address: string, work: (connection: Connection) => Promise<T>): Promise<T> {
  const connection = await Connection.connect({ address, connectTimeout: PROBE_TIMEOUT_MS });
  try {
    return await connection.withDeadline(Date.now() + PROBE_TIMEOUT_MS, () => work(connection));
  } finally {
    await connection.close();
  }
}
