/** Commands that keep something running: worker, up, down, model-server. */
import type { ExitCode } from '../../core/ports/services.ts';
import type { CliParts } from '../cli-parts.ts';
import { type JsonOption, report, stopSignal } from './common.ts';

export interface ModelServerOptions extends JsonOption {
  readonly script: string;
  readonly port?: number;
  readonly record?: string;
}

export interface WorkerOptions extends JsonOption {
  readonly backend?: 'docker' | 'bubblewrap';
}

/** Serves a session's queues, or the orders of the home, until Ctrl-C. */
export async function worker(parts: CliParts, dir: string | null, options: WorkerOptions): Promise<ExitCode> {
  const services = await parts.loadServices();
  const backend = options.backend ?? null;
  const stop = stopSignal(() => process.exit(3));
  const result =
    dir === null
      ? await services.orders.serve(backend, say, stop.signal)
      : await services.worker(dir, backend, say, stop.signal);
  stop.dispose();
  const ended = result.ok ? { ok: true as const, value: { stopped: true } } : result;
  return report(ended, options, () => 'Worker stopped.');
}

/** Starts the server of this home. */
export async function up(parts: CliParts, options: JsonOption): Promise<ExitCode> {
  const services = await parts.loadServices();
  return report(
    await services.up(),
    options,
    ({ address, ui }) => `Temporal server ${address}\nPages at ${ui}`,
  );
}

/** Stops the server of this home. */
export async function down(parts: CliParts, options: JsonOption): Promise<ExitCode> {
  const services = await parts.loadServices();
  return report(await services.down(), options, ({ stopped }) =>
    stopped ? 'Stopped.' : 'Nothing was running.',
  );
}

/** Serves scripted answers until Ctrl-C. With `--json` the one document comes when it serves. */
export async function modelServer(parts: CliParts, options: ModelServerOptions): Promise<ExitCode> {
  const services = await parts.loadServices();
  const stop = stopSignal(() => process.exit(3));
  const ready = (url: string): void => {
    process.stdout.write(
      options.json === true
        ? `${JSON.stringify({ url })}\n`
        : `Scripted model server: ${url}\nUse it with OPENAI_BASE_URL=${url} OPENAI_API_KEY=scripted\n`,
    );
  };
  const result = await services.modelServer(
    options.script,
    options.port ?? 0,
    options.record ?? null,
    stop.signal,
    ready,
  );
  stop.dispose();
  return result.ok ? 0 : report(result, options, () => '');
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
