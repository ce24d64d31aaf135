/**
 * Third-party packages of the clean room: what a project asks for (`LayerSpec`), what that was resolved into
 * (`LayerLock`), and which runtimes an image has (gate.md parts 1 and 7). No registry's address is in any of them.
 */
import { z } from 'zod';
import { ContentRef } from './ids.ts';

/** `name==1.2.3`, also with extras: `name[extra]==1.2.3`. No range, wildcard, marker, URL or path. */
export const PYTHON_PIN =
  /^([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)(\[[A-Za-z0-9._-]+(?:,[A-Za-z0-9._-]+)*\])?==((?:\d+!)?\d+(?:\.\d+)*(?:(?:a|b|rc)\d+)?(?:\.?post\d+)?(?:\.?dev\d+)?(?:\+[a-z0-9]+(?:[._-][a-z0-9]+)*)?)$/;
/** `name@1.2.3` or `@scope/name@1.2.3`: all three numbers, so that it is no range. */
export const NODE_PIN =
  /^((?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*)@(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?)$/;
/** A Debian package by name, optionally `name=version`: the image's own release decides which version there is. */
export const DEBIAN_PIN = /^([a-z0-9][a-z0-9+.-]+)(?:=([0-9][0-9A-Za-z.+:~-]*))?$/;

/** `example.org/a/b@v1.2.3`: a module of Go in its canonical version, as `go.sum` has it. */
export const GO_PIN =
  /^([a-z0-9][a-z0-9.-]*\.[a-z]+(?:\/[A-Za-z0-9_][A-Za-z0-9._~-]*)*)@(v\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+incompatible)?)$/;
/** `name@1.2.3`: a crate of the Rust registry in its exact version, as `Cargo.lock` has it. */
export const CRATE_PIN =
  /^([A-Za-z][A-Za-z0-9_-]*)@(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?)$/;

export const LayerEcosystem = z.enum(['python', 'node', 'debian', 'go', 'rust']);
export type LayerEcosystem = z.infer<typeof LayerEcosystem>;

const PINS_MAX = 200;
/** Lock files of Go and Rust name all that is needed, by whatever. */
const LOCKED_PINS_MAX = 1000;

/** What a layer shall hold, each list sorted and without repeats. All lists empty: no layer. */
export const LayerSpec = z.strictObject({
  python: z
    .array(z.string().regex(PYTHON_PIN, 'must be an exact pin like "attrs==24.2.0"'))
    .max(PINS_MAX)
    .default([]),
  node: z.array(z.string().regex(NODE_PIN, 'must be an exact pin like "ms@2.1.3"')).max(PINS_MAX).default([]),
  debian: z
    .array(z.string().regex(DEBIAN_PIN, 'must be a Debian package like "golang-go"'))
    .max(PINS_MAX)
    .default([]),
  /** Absent where there are none: the text that a layer's hash is over stays what it was before there were such layers. */
  go: z
    .array(z.string().regex(GO_PIN, 'must be a module like "example.org/a@v1.2.3"'))
    .max(LOCKED_PINS_MAX)
    .optional(),
  rust: z
    .array(z.string().regex(CRATE_PIN, 'must be a crate like "libc@0.2.150"'))
    .max(LOCKED_PINS_MAX)
    .optional(),
});
export type LayerSpec = z.infer<typeof LayerSpec>;

/** One resolved package: asked for or needed by one that was. `sha256` is of the archive that was unpacked. */
export const LayerPackage = z.strictObject({
  ecosystem: LayerEcosystem,
  name: z.string().min(1),
  version: z.string().min(1),
  /** Archive's file name; for Node its place, for example `node_modules/ms`. */
  file: z.string().min(1),
  /** `sha256-` or `sha512-` and hex digits. */
  integrity: z.string().regex(/^sha(256-[0-9a-f]{64}|512-[0-9a-f]{128})$/),
  /** Of Node packages: what they need, by name, so that the same tree can be laid again. */
  needs: z.record(z.string(), z.string()).optional(),
  /** Of Python packages: the modules that it brings, by which code imports it. */
  imports: z.array(z.string()).optional(),
});
export type LayerPackage = z.infer<typeof LayerPackage>;

/** What a spec was resolved into, once; stored with the contracts that asked for it. */
export const LayerLock = z.strictObject({
  version: z.literal(1),
  spec: LayerSpec,
  /** Tag of the image below: its recipe's hash is part of it. */
  base: z.string().min(1),
  packages: z.array(LayerPackage),
  /** Things a person should know: left-out files, packages whose install scripts never ran. */
  notes: z.array(z.string()),
  /** Over spec, base and packages. It names the layer in cache, image tag and report. */
  hash: ContentRef,
});
export type LayerLock = z.infer<typeof LayerLock>;

/** Versions of what runs in an image, by program: `python`, `pytest`, `node`, `git`; with toolchain layers also `go`, `rustc`, `cargo`. */
export const ImageRuntimes = z.record(z.string(), z.string());
export type ImageRuntimes = z.infer<typeof ImageRuntimes>;

/** What a report says of the image that judged: gate.md part 7. */
export const ImageFacts = z.strictObject({
  runtimes: ImageRuntimes,
  /** Null: the plain image. */
  layer: z
    .strictObject({
      hash: ContentRef,
      /** `name version`, sorted. */
      packages: z.array(z.string()),
    })
    .nullable(),
});
export type ImageFacts = z.infer<typeof ImageFacts>;
