/**
 * The layers port: third-party packages become a read-only part of the clean room's image (gate.md part 1).
 *
 * Contract of the adapter:
 *  L3. Resolving reads registries with the user's own clients and settings, and runs no code of any package.
 *  L4. A layer is found again by its hash; a damaged copy in the cache is noticed and made anew.
 *  L5. What is told to anybody names packages and rules, never a registry's address or a credential.
 *  L6. The sandbox that judges keeps having no network.
 */
import type { ChooseVersions } from './pins.ts';
import type { ImageFacts, LayerEcosystem, LayerLock, LayerSpec } from '../../schemas/layer.ts';

/** Why a layer cannot be had. `pin` is the entry of the spec that it is about, null if no single one is. */
export interface LayerProblem {
  readonly kind:
    | 'unknown_package'
    | 'unknown_version'
    | 'no_usable_file'
    | 'conflict'
    | 'offline'
    | 'no_client'
    | 'refused'
    | 'changed';
  readonly ecosystem: LayerEcosystem | null;
  readonly pin: string | null;
  /** One line: action, rule, value. */
  readonly message: string;
  /** What to do next. */
  readonly suggestion: string;
}

/** An image that can be given to the sandbox now. */
export interface LayeredImage {
  /** Image tag for `SandboxRequest.image` and `VerifyBase.image`. */
  readonly image: string;
  readonly lock: LayerLock;
  /** True: registries were asked now; false: everything was in the cache. */
  readonly isFresh: boolean;
  /** Of the unpacked layer. */
  readonly bytes: number;
  readonly files: number;
}

export type LayerOutcome =
  ({ readonly ok: true } & LayeredImage) | { readonly ok: false; readonly problem: LayerProblem };

export interface LayersPort {
  /**
   * The image of base and layer, resolved now or found in the cache. `spec` must not be empty.
   * With `lock`, exactly its versions; on the base that it names, exactly its bytes.
   */
  ensure(
    wanted: { readonly spec: LayerSpec } | { readonly lock: LayerLock },
    options?: { readonly signal?: AbortSignal },
  ): Promise<LayerOutcome>;
  /** Exact versions for ranges, as the registries' clients choose them for the image below. Lays nothing. */
  readonly choose: ChooseVersions;
  /** What runs in an image and which layer it has: asked once, in the sandbox. @throws when the sandbox was lost. */
  facts(image: string): Promise<ImageFacts>;
}
