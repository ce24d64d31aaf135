/**
 * Where a node's files lie by default and how its module is imported (gate.md part 1). For `auth.jwt`:
 *
 * | language | files | tests | main file |
 * | python | auth/jwt.py, auth/jwt/** | tests/auth_jwt/** | auth/jwt.py |
 * | javascript, typescript | the same with .js, .ts | tests/auth_jwt/** | auth/jwt.js |
 * | go | auth/jwt/** | tests/auth_jwt/** | auth/jwt/jwt.go |
 * | rust | src/auth/jwt.rs, src/auth/jwt/** | tests/auth_jwt/**, tests/auth_jwt.rs | src/auth/jwt.rs |
 *
 * JavaScript is `.js` under a scaffold `package.json` with `"type": "module"`.
 */
import type { Language } from '../../schemas/ids.ts';
import type { ResolvedContract } from '../../schemas/contract.ts';
import { matchesAnyGlob } from '../globs.ts';

const ENDINGS: Readonly<Record<Language, readonly string[]>> = {
  python: ['.py'],
  javascript: ['.js', '.mjs'],
  typescript: ['.ts', '.mts'],
  go: ['.go'],
  rust: ['.rs'],
};

export interface Layout {
  readonly files: readonly string[];
  readonly tests: readonly string[];
  readonly contentFile: string;
}

/** Default files, tests and main file of a node id. `sourceRoot`: the folder that all modules lie below. */
export function defaultLayout(language: Language, nodeId: string, sourceRoot?: string): Layout {
  const path = `${sourceRoot === undefined ? '' : `${sourceRoot}/`}${nodeId.replaceAll('.', '/')}`;
  const flat = nodeId.replaceAll('.', '_');
  const tests = [`tests/${flat}/**`];
  switch (language) {
    case 'python':
      return { files: [`${path}.py`, `${path}/**`], tests, contentFile: `${path}.py` };
    case 'javascript':
      return { files: [`${path}.js`, `${path}/**`], tests, contentFile: `${path}.js` };
    case 'typescript':
      return { files: [`${path}.ts`, `${path}/**`], tests, contentFile: `${path}.ts` };
    case 'go':
      return { files: [`${path}/**`], tests, contentFile: `${path}/${lastPart(nodeId)}.go` };
    case 'rust':
      return {
        files: [`src/${path}.rs`, `src/${path}/**`],
        tests: [...tests, `tests/${flat}.rs`],
        contentFile: `src/${path}.rs`,
      };
  }
}

/**
 * Main file among files that a contract names itself: the first path without wildcard that has an ending of the
 * language, else the default one if it is owned, else `__init__.py` of a Python folder named like the node, else
 * `<folder of the first glob>/<last word of the id>`. Null if none fits.
 */
export function contentFileOf(
  language: Language,
  nodeId: string,
  files: readonly string[],
  sourceRoot?: string,
): string | null {
  const endings = ENDINGS[language];
  const literal = files.find(
    (glob) => !glob.includes('*') && endings.some((ending) => glob.endsWith(ending)),
  );
  if (literal !== undefined) return literal;
  const folder = folderOfGlob(files[0] ?? '');
  const inFirst = `${folder}${lastPart(nodeId)}${endings[0] ?? ''}`;
  const isPackage = language === 'python' && `/${folder}`.endsWith(`/${lastPart(nodeId)}/`);
  const ofPackage = isPackage ? [`${folder}__init__.py`] : [];
  const candidates = [defaultLayout(language, nodeId, sourceRoot).contentFile, ...ofPackage, inFirst];
  return candidates.find((path) => matchesAnyGlob(files, path)) ?? null;
}

/** Where a node's suite may begin: `tests/auth_jwt/test_jwt.py`, or a path that the contract names itself. */
export function firstTestFile(
  { language, id: nodeId, contentFile }: Pick<ResolvedContract, 'language' | 'id' | 'contentFile'>,
  tests: readonly string[],
): string {
  const literal = tests.find((glob) => !glob.includes('*'));
  if (literal !== undefined) return literal;
  const name = lastPart(nodeId);
  const ending = ENDINGS[language][0] ?? '';
  const folder = folderOfGlob(tests[0] ?? '');
  if (language === 'python') return `${folder}test_${name}${ending}`;
  return language === 'javascript' || language === 'typescript'
    ? `${folder}${name}.test${isModuleByName(contentFile) ? `.m${ending.slice(1)}` : ending}`
    : `${folder}${name}_test${ending}`;
}

/** `.mjs` and `.mts` say of which module system they are: beside them `.js` may be of another, and a suite imports. */
function isModuleByName(path: string): boolean {
  return /\.m[jt]s$/u.test(path);
}

/**
 * Parts of the dotted or slashed module name of a file: `auth/jwt.py` is auth, jwt; `auth/__init__.py` is auth; so is
 * `src/auth/__init__.py` where `src` is the source root.
 */
export function modulePathOf(language: Language, contentFile: string, sourceRoot?: string): string[] {
  const parts = belowRoot(contentFile, sourceRoot)
    .replace(/\.[a-z]+$/, '')
    .split('/');
  if (language === 'python' && parts.at(-1) === '__init__') return parts.slice(0, -1);
  if (language === 'go') return parts.slice(0, -1);
  return parts;
}

/** The path as it lies below the source root; others as they are. */
export function belowRoot(path: string, sourceRoot: string | undefined): string {
  return sourceRoot !== undefined && path.startsWith(`${sourceRoot}/`)
    ? path.slice(sourceRoot.length + 1)
    : path;
}

/** `../../auth/jwt.js` as written in a file of folder `fromFolder` (no trailing slash, empty for the root). */
export function relativeSpecifier(fromFolder: string, target: string): string {
  const from = fromFolder === '' ? [] : fromFolder.split('/');
  const to = target.split('/');
  let shared = 0;
  while (shared < from.length && shared < to.length - 1 && from[shared] === to[shared]) shared += 1;
  const up = from.slice(shared).map(() => '..');
  return [...(up.length === 0 ? ['.'] : up), ...to.slice(shared)].join('/');
}

/** `a/b/` of `a/b/*.py`, empty for `*.py`. */
function folderOfGlob(glob: string): string {
  const fixed = glob.split('*')[0] ?? '';
  return fixed.slice(0, fixed.lastIndexOf('/') + 1);
}

function lastPart(nodeId: string): string {
  return nodeId.slice(nodeId.lastIndexOf('.') + 1);
}
