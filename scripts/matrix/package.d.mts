// Types of package.mjs, as far as tests use it.

export interface PackedPackage {
  readonly path: string;
  readonly bytes: number;
  readonly unpackedBytes: number;
  readonly files: readonly string[];
}

export function packPackage(folder: string): Promise<PackedPackage>;
export function layPackage(tarball: string, folder: string): Promise<void>;
