// Types of cache.mjs, as far as tests use it.

export function cacheFolder(env?: Readonly<Record<string, string | undefined>>): string;
