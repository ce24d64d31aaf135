/**
 * Which Python modules a tree holds, from its paths alone, and where a module that was loaded has its counterpart.
 * `src/shop/money.py` beside `src/shop/__init__.py` is `shop.money`; so it is wherever a copy of the package may lie.
 */

/** Folders whose modules no project hands out: what stands there is tests, examples or somebody else's. */
const NOT_HANDED_OUT =
  /(?:^|\/)(?:tests?|testing|docs?|examples?|samples?|benchmarks?|_?vendor(?:ed)?|third_party|node_modules|fixtures|site-packages|build|dist|\.[^/]+)(?:\/|$)/i;
const MODULE_FILE = /\.py$/u;

export interface TreeModules {
  /** Names that `import` finds at the top of one of the tree's source folders. */
  readonly tops: ReadonlySet<string>;
  /** The tree's file of a module; null where it has none. */
  fileOf(module: string): string | null;
  /** Whether the tree holds a package, with `__init__.py`, that this module is of. */
  hasPackageOf(module: string): boolean;
}

/** The modules of a tree with these paths. */
export function treeModules(paths: readonly string[]): TreeModules {
  const packages = new Set(
    paths.filter((path) => /(?:^|\/)__init__\.py$/u.test(path)).map((path) => folderOf(path)),
  );
  const files = new Map<string, string>();
  for (const path of paths) {
    if (!MODULE_FILE.test(path)) continue;
    const name = moduleOf(path, packages);
    if (name === null) continue;
    for (const each of namesOf(name)) if (!files.has(each)) files.set(each, path);
  }
  const tops = new Set([...files.keys()].filter((name) => !name.includes('.')));
  return {
    tops,
    fileOf: (module) => files.get(module) ?? null,
    hasPackageOf: (module) => ancestors(module).some((name) => files.get(name)?.endsWith('/__init__.py')),
  };
}

interface ModulePlace {
  readonly root: string;
  readonly module: string;
  readonly isPackage: boolean;
}

/** The folder that `import` starts from, and the module's name there. */
function moduleOf(path: string, packages: ReadonlySet<string>): ModulePlace | null {
  const isPackage = /(?:^|\/)__init__\.py$/u.test(path);
  const parts = [(path.split('/').at(-1) ?? '').replace(MODULE_FILE, '')];
  let root = folderOf(path);
  while (root !== '' && packages.has(root)) {
    parts.unshift(root.slice(root.lastIndexOf('/') + 1));
    root = folderOf(root);
  }
  if (isPackage) parts.pop();
  if (parts.length === 0 || NOT_HANDED_OUT.test(`${root}/`)) return null;
  const first = parts[0] ?? '';
  if (parts.length > 1 && NOT_HANDED_OUT.test(`${first}/`)) return null;
  return { root, module: parts.join('.'), isPackage: isPackage || parts.length > 1 };
}

/** Folders that modules of one file are usually imported from; a script anywhere else may share a package's name. */
const SOURCE_FOLDERS = new Set(['', 'src', 'lib', 'python']);

/** A namespace package has no `__init__.py`: `src/jaraco/text/` may be `text`, and is `jaraco.text` from `src` on. */
function namesOf({ root, module, isPackage }: ModulePlace): string[] {
  const names = isPackage || SOURCE_FOLDERS.has(root) ? [module] : [];
  const folders = root.split('/').filter((part) => /^[A-Za-z_]\w*$/u.test(part));
  for (let from = folders.length - 1; from >= 0; from -= 1)
    names.push([...folders.slice(from), module].join('.'));
  return names;
}

function ancestors(module: string): string[] {
  const parts = module.split('.');
  return parts.slice(0, -1).map((_, index) => parts.slice(0, index + 1).join('.'));
}

function folderOf(path: string): string {
  const at = path.lastIndexOf('/');
  return at < 0 ? '' : path.slice(0, at);
}
