/**
 * The pins port: exact versions for what a project asks for in ranges, as its registry's own client chooses them. No code
 * of any package runs, and nobody is told a registry's address.
 */
export interface WantedPackages {
  /** `name[extra]>=1.2`, without markers. */
  readonly python: readonly string[];
  /** Version ranges by name. */
  readonly node: Readonly<Record<string, string>>;
  /** Files of the repository that say it, by path: `go.mod`, `go.sum`, `go.work`. */
  readonly go?: ReadonlyMap<string, string>;
  /** `Cargo.toml`, `Cargo.lock`, and each source of Rust, empty: where one lies tells of a crate's parts. */
  readonly rust?: ReadonlyMap<string, string>;
}

export interface FoundVersions {
  /** `name==1.2.3`, with all that they need. */
  readonly python: readonly string[];
  /** `name@1.2.3`: those that were asked for. */
  readonly node: readonly string[];
  /** `example.org/a@v1.2.3`, with the compiler where the image's is too old. */
  readonly go: readonly string[];
  /** `name@1.2.3`. */
  readonly rust: readonly string[];
  /** What could not be had, each with the reason. */
  readonly missing: readonly string[];
}

/** Chooses versions; what cannot be had is left out and told. */
export type ChooseVersions = (wanted: WantedPackages) => Promise<FoundVersions>;
