/** Annotations that cannot both be true. Everything beyond plain builtin types is left to the suite (gate.md part 11: unusual honest code). */

/** Groups of builtin types; types of one group may stand for each other. */
const GROUPS: Readonly<Record<string, string>> = {
  int: 'number',
  float: 'number',
  complex: 'number',
  bool: 'number',
  str: 'text',
  bytes: 'bytes',
  None: 'nothing',
  dict: 'mapping',
  list: 'list',
  set: 'set',
  tuple: 'tuple',
  number: 'number',
  bigint: 'bigint',
  string: 'text',
  boolean: 'boolean',
};

/** True when both are plain builtin types of different groups. Missing annotations never clash. */
export function annotationsClash(declared: string | null, found: string | null): boolean {
  const left = group(declared);
  const right = group(found);
  return left !== null && right !== null && left !== right;
}

function group(annotation: string | null): string | null {
  if (annotation === null) return null;
  const plain = annotation
    .trim()
    .replace(/^(['"])(.*)\1$/u, '$2')
    .replace(/^(typing|builtins)\./u, '')
    .replace(/^(dict|list|set|tuple|Dict|List|Set|Tuple)\[.*\]$/su, (_whole, name: string) =>
      name.toLowerCase(),
    );
  return Object.hasOwn(GROUPS, plain) ? (GROUPS[plain] ?? null) : null;
}
