/** Whether the configured models are there at all: said in the first seconds of a run, instead of after a dozen calls. */
import { whySilent } from '../../adapters/model/reachable.ts';
import type { RunNotice } from '../../core/ports/services.ts';
import type { ResolvedConfig } from '../../schemas/config.ts';

/** Once for a connection, once for an answer. */
const ANSWER_MS = 2_400;

/** An endpoint that is not there is said at once; it may come while its calls are tried again. */
export async function tellAway(config: ResolvedConfig, watch: (notice: RunNotice) => void): Promise<void> {
  const models = Object.values(config.models).flatMap((model) => (model === null ? [] : [model]));
  for (const baseUrl of new Set(models.map((model) => model.baseUrl))) {
    const why = await whySilent(baseUrl, ANSWER_MS);
    const next = 'its calls are tried for about two minutes; check the endpoint, or give --base-url';
    if (why !== null)
      watch({ kind: 'said', text: `No model endpoint is reached at "${baseUrl}": ${why}; ${next}` });
  }
}
