/**
 * The pins port: exact versions for what a project asks for in ranges, as its registry's own client chooses them. No code
 * of any package runs, and nobody is told a registry's address.
 */
export interface WantedPackages {
  /** `name[extra]>=1.2`, without markers. */
  readonly python: readonly string[];
  /** Version ranges by name. */
  readonly node: Readonly<Record<string, string>>;
}

export interface FoundVersions {
  /** `name==1.2.3`, with all that they need. */
  readonly python: readonly string[];
  /** `name@1.2.3`: those that were asked for. */
  readonly node: readonly string[];
  /** What could not be had, each with the reason. */
  readonly missing: readonly string[];
}

/** Chooses versions; what cannot be had is left out and told. */
export type ChooseVersions = (wanted: WantedPackages) => Promise<FoundVersions>;
