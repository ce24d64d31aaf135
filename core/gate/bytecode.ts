/**
 * Compiled Python of a tree. An interpreter takes `__pycache__/shop.cpython-311.pyc` in the place of `shop.py` without looking at the source, where
 * the file says so: what is judged would be another thing than what people read. So no room is given any of it, and Python compiles anew.
 */

const CACHED = /(?:^|\/)__pycache__\/[^/]*$/iu;
const COMPILED = /\.py[co]$/iu;

/** True for what Python would take for a source beside it. */
export function isCachedBytecode(path: string): boolean {
  return CACHED.test(path) && COMPILED.test(path);
}

/** True for any compiled Python: a node has nothing of it. In a repository `tests/data/old.pyc` may be what its tests read. */
export function isBytecode(path: string): boolean {
  return COMPILED.test(path);
}
