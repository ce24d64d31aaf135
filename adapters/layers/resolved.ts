/** What each registry's part of a layer is given and gives. */
import type { LayerPackage } from '../../schemas/layer.ts';
import type { Environment } from './client.ts';

export interface ResolveContext {
  /** A folder of this attempt alone, for archives and clients' files. */
  readonly work: string;
  /** Root of the layer: what lies here as `usr/x` is `/usr/x` in the room. */
  readonly files: string;
  readonly env: Environment;
  readonly signal: AbortSignal | undefined;
  /** Exactly these packages, resolved earlier; null: resolve now. */
  readonly locked: readonly LayerPackage[] | null;
}

export interface Resolved {
  readonly packages: readonly LayerPackage[];
  readonly notes: readonly string[];
}

/** Notes a layer keeps of one package. */
export const NOTES_MAX = 5;
