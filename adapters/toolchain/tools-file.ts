/** The document `<cache>/tools.json`: written by scripts/setup.mjs, read here and nowhere else. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { Toolchain } from '../../core/ports/toolchain.ts';

const engineVersion = z.string().min(1);
const sha256Hex = z.string().regex(/^[0-9a-f]{64}$/);

/** Shape of tools.json. */
export const ToolsFile: z.ZodType<Toolchain> = z.strictObject({
  version: z.literal(1),
  temporal: z.strictObject({
    path: z.string().min(1),
    version: z.string().min(1),
    sha256: sha256Hex,
    bytes: z.int().positive(),
  }),
  docker: z
    .union([
      z.strictObject({ socketPath: z.string().min(1), version: engineVersion }),
      z.strictObject({ host: z.string().min(1), port: z.int().min(1).max(65_535), version: engineVersion }),
    ])
    .nullable(),
  bubblewrap: z.strictObject({ path: z.string().min(1) }).nullable(),
  image: z.strictObject({
    tag: z.string().regex(/^[a-z0-9./-]+:[0-9a-f]{12}$/),
    recipeHash: z.string().regex(/^[0-9a-f]{12}$/),
    layers: z.array(z.string().regex(/^sha256:[0-9a-f]{64}$/)),
    rootfs: z.string().min(1).nullable(),
  }),
});

/** Environment variables as `process.env` holds them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Folder of programs and images: `A7_CACHE`, else `$XDG_CACHE_HOME/a7-rt`, else `~/.cache/a7-rt`.
 * The rule of scripts/setup/cache.mjs; a test compares the two.
 */
export function cacheFolder(env: Environment = process.env): string {
  if (env['A7_CACHE']) return env['A7_CACHE'];
  return join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'a7-rt');
}
