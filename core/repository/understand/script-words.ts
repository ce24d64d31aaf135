/** The words of a line in a script. */

/** Started before the real program, without changing what is tested. */
const WRAPPERS = new Set([
  'nyc',
  'c8',
  'npx',
  'cross-env',
  'time',
  'dotenv',
  'istanbul',
  'cover',
  'env',
  'exec',
  'yarn',
  'pnpm',
]);

/** The words without what is only started before the real program. */
export function withoutWrappers(words: readonly string[]): string[] {
  let rest = [...words];
  for (;;) {
    const [first = '', second = ''] = rest;
    if (/^[A-Za-z_]\w*=/u.test(first)) rest = rest.slice(1);
    else if (first === 'npx' || WRAPPERS.has(first)) {
      rest = rest.slice(1);
      while (rest[0]?.startsWith('-') === true) {
        // `c8 --include index.js mocha`: the value goes with its option.
        const takesValue =
          /^(?:--include|--exclude|-x|-n|--reporter|-r|--check-coverage=?|--extension|-o|-e)$/u.test(rest[0]);
        rest = rest.slice(takesValue && rest[0] !== '--check-coverage' ? 2 : 1);
      }
    } else if (first === 'tap' && second === 'run') rest = [first, ...rest.slice(2)];
    else return rest;
  }
}

/** Words of a line; quotes hold one together. */
export function wordsOf(command: string): string[] {
  return [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/gu)].map(([, a, b, c]) => a ?? b ?? c ?? '');
}
