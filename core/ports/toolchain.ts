/**
 * What set-up found on this machine: the programs and the image that adapters are wired with. Only facts; whoever
 * reads them decides nothing (design part 11).
 */

/** Where a Docker engine answers. */
export type DockerAddress =
  | { readonly socketPath: string; readonly version: string }
  | { readonly host: string; readonly port: number; readonly version: string };

export interface TemporalProgram {
  readonly path: string;
  readonly version: string;
  /** Lower-case hex of the program file. */
  readonly sha256: string;
  readonly bytes: number;
}

export interface SandboxImage {
  /** Names the image in the engine, for example `a7-rt/sandbox:9b1663ab9586`. */
  readonly tag: string;
  /** The part after the colon: 12 hex digits over the recipe's files and the processor architecture. */
  readonly recipeHash: string;
  /** Content digests of the engine's layers, lowest first; empty without an engine. */
  readonly layers: readonly string[];
  /** The same root file system unpacked for bubblewrap; null where bubblewrap cannot use it. */
  readonly rootfs: string | null;
}

export interface Toolchain {
  readonly version: 1;
  readonly temporal: TemporalProgram;
  readonly docker: DockerAddress | null;
  readonly bubblewrap: { readonly path: string } | null;
  readonly image: SandboxImage;
}
