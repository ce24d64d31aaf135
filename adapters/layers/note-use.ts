/** Which layers are in use: whoever has made one takes away what nobody has used for long. */
import type Docker from 'dockerode';
import { layerImageTag } from '../../core/layers/layer-spec.ts';
import type { LayerOutcome } from '../../core/ports/layers.ts';
import { removeDockerLayer } from './docker-image.ts';
import { pruneStored, touchStored } from './store.ts';

/** The outcome, once its layer is noted as used. */
export async function noteUse(
  folder: string,
  docker: Docker | null,
  making: Promise<LayerOutcome>,
): Promise<LayerOutcome> {
  const outcome = await making;
  if (!outcome.ok) return outcome;
  const now = new Date();
  await touchStored(folder, outcome.lock.hash, now);
  const gone = outcome.isFresh ? await pruneStored(folder, now) : [];
  if (docker !== null)
    await Promise.all(gone.map((name) => removeDockerLayer(docker, layerImageTag(`sha256:${name}`))));
  return outcome;
}
