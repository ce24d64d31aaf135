// Types of packages.mjs, as far as tests use it.

export interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  readonly optional?: boolean;
  readonly devOptional?: boolean;
  readonly peer?: boolean;
}

export function lockMatches(
  wanted: Readonly<Record<string, LockedPackage>>,
  present: Readonly<Record<string, LockedPackage>>,
): boolean;
