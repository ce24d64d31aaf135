// Globs of contracts: `*` within a name, `**` for folders; at the end `**` is everything below.

/** True if one of the globs matches the path. */
export function matchesAny(globs, path) {
  return globs.some((glob) => toRegExp(glob).test(path));
}

/** Globs of all that a commit of this node may write. */
export function ownGlobs(contract) {
  return [...contract.files, ...suiteGlobs(contract)];
}

export function suiteGlobs(contract) {
  return contract.tests === 'none' ? [] : contract.tests;
}

/** A file of the node that is no file of its suite. */
export function isCode(contract, path) {
  return matchesAny(contract.files, path) && !matchesAny(suiteGlobs(contract), path);
}

const known = new Map();

function toRegExp(glob) {
  const pattern = known.get(glob) ?? new RegExp(`^${patternOf(glob.split('/'))}$`, 'su');
  known.set(glob, pattern);
  return pattern;
}

function patternOf([segment, ...rest]) {
  if (segment === '**') return rest.length === 0 ? '.+' : `(?:[^/]+/)*${patternOf(rest)}`;
  const name = segment.replace(/[\\^$.|?+()[\]{}]/gu, '\\$&').replaceAll('*', '[^/]*');
  return rest.length === 0 ? name : `${name}/${patternOf(rest)}`;
}
