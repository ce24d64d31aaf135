/** `model-server`: the scripted model of design part 10, until it is stopped. */
import { mkdir } from 'node:fs/promises';
import { startModelServer } from '../../adapters/model-server/server.ts';
import type { Result } from '../../core/ports/services.ts';
import { failed, messageOf } from './common.ts';
import { untilAborted } from './until-aborted.ts';

/** Serves a script until `stop`. */
export async function modelServer(
  script: string,
  port: number,
  record: string | null,
  stop: AbortSignal,
  ready: (url: string) => void,
): Promise<Result<null>> {
  if (record !== null) await mkdir(record, { recursive: true });
  try {
    const server = await startModelServer({
      script: { path: script },
      port,
      ...(record === null ? {} : { recordDir: record }),
    });
    ready(server.url);
    await untilAborted(stop);
    await server.close();
    return { ok: true, value: null };
  } catch (error) {
    return failed(2, messageOf(error), 'docs/model-script.md describes the format');
  }
}
