// Types of find-docker.mjs.

/** Where an engine may answer. Exactly one of `socketPath`, `host` with `port`, or `url` with `unusable` is set. */
export interface DockerCandidate {
  /** Where the address was read: `DOCKER_HOST`, `docker context "name"` or `known socket`. */
  readonly source: string;
  readonly socketPath?: string;
  readonly host?: string;
  readonly port?: number;
  readonly url?: string;
  /** Why an address of this kind cannot be used. */
  readonly unusable?: string;
}

export interface EngineVersion {
  readonly version: string;
  /** As the engine says it, for example `amd64`. */
  readonly arch: string;
  readonly apiVersion: string;
}

export type FoundDocker = DockerCandidate & EngineVersion;

/** An address that did not answer. */
export interface TriedDocker {
  readonly source: string;
  readonly at: string;
  readonly reason: string;
}

export interface FindDockerOptions {
  /** Default `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Default the user's home folder. */
  readonly home?: string;
}

export function dockerCandidates(options?: FindDockerOptions): readonly DockerCandidate[];
export function findDocker(
  options?: FindDockerOptions,
): Promise<{ readonly found: FoundDocker | null; readonly tried: readonly TriedDocker[] }>;
export function pingDocker(
  candidate: Omit<DockerCandidate, 'source'>,
): Promise<
  { readonly ok: true; readonly engine: EngineVersion } | { readonly ok: false; readonly reason: string }
>;
export function describeDocker(candidate: Omit<DockerCandidate, 'source'>): string;
export function dockerOptions(
  candidate: Omit<DockerCandidate, 'source'>,
):
  | { readonly socketPath: string }
  | { readonly host: string; readonly port: number; readonly protocol: 'http' };
