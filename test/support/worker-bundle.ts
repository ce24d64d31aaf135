/** The workflow bundle of the sources, made once a test run, and a worker's quiet runtime. */
import { access, rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleWorkflowCode, DefaultLogger, Runtime } from '@temporalio/worker';
import { withLock } from '../../adapters/store/lock.ts';

export const WORKFLOWS_PATH = join(import.meta.dirname, '../../workflows/index.ts');
const BUNDLE_WAIT_MS = 120_000;

const quiet = new DefaultLogger('ERROR', () => undefined);

/** Path of the bundle. Test files share it by the home that global set-up made. */
export async function workflowBundle(): Promise<string> {
  const codePath = join(process.env['A7_HOME'] ?? tmpdir(), `workflow-bundle-${String(process.ppid)}.js`);
  return withLock(
    codePath,
    async () => {
      const there = await access(codePath).then(
        () => true,
        () => false,
      );
      if (there) return codePath;
      const { code } = await bundleWorkflowCode({ workflowsPath: WORKFLOWS_PATH, logger: quiet });
      await writeFile(`${codePath}.tmp`, code);
      await rename(`${codePath}.tmp`, codePath);
      return codePath;
    },
    BUNDLE_WAIT_MS,
  );
}

/** The SDK says nothing on the terminal. Call once a test file, before the first worker. */
export function quietWorkers(): void {
  Runtime.install({
    logger: quiet,
    telemetryOptions: { logging: { forward: {}, filter: 'ERROR' } },
    shutdownSignals: [],
  });
}
