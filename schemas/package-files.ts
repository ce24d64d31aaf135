/** What is read of a repository's own package files; anything else in them is left alone. */
import { z } from 'zod';

const Versions = z.record(z.string(), z.string()).catch({});

/** `package.json`. */
export const PackageManifest = z
  .looseObject({ dependencies: Versions, devDependencies: Versions })
  .partial()
  .catch({});

/** `package.json`, with all that tells of its tests. */
export const TestManifest = z
  .looseObject({
    name: z.string().nullable().default(null).catch(null),
    scripts: Versions.default({}),
    dependencies: Versions.default({}),
    devDependencies: Versions.default({}),
    optionalDependencies: Versions.default({}),
    peerDependencies: Versions.default({}),
  })
  .catch({
    name: null,
    scripts: {},
    dependencies: {},
    devDependencies: {},
    optionalDependencies: {},
    peerDependencies: {},
  });

/** Its name alone. */
export const NamedManifest = z
  .looseObject({ name: z.string().min(1).max(214).optional().catch(undefined) })
  .catch({});

/** `package-lock.json` from its second version on. */
export const PackageLock = z
  .looseObject({
    packages: z.record(z.string(), z.looseObject({ version: z.string().optional() })).catch({}),
  })
  .catch({ packages: {} });

const Crate = z.object({
  id: z.string(),
  name: z.string(),
  /** Null: a folder. */
  source: z.string().nullable(),
  manifest_path: z.string(),
  dependencies: z.array(
    z.object({
      name: z.string(),
      source: z.string().nullable(),
      kind: z.string().nullable(),
      rename: z.string().nullish(),
      path: z.string().optional(),
    }),
  ),
});

/** `cargo metadata`, as far as it tells from where each crate is taken. */
export const CargoMetadata = z.object({
  packages: z.array(Crate),
  workspace_members: z.array(z.string()),
  workspace_default_members: z.array(z.string()).optional(),
  /** Null where only the members were asked for. */
  resolve: z
    .object({
      nodes: z.array(
        z.object({
          id: z.string(),
          deps: z.array(
            z.object({
              name: z.string(),
              pkg: z.string(),
              dep_kinds: z.array(z.object({ kind: z.string().nullable() })),
            }),
          ),
        }),
      ),
    })
    .nullable(),
});
export type CargoMetadata = z.infer<typeof CargoMetadata>;
