/**
 * What a snapshot hands out under names of its own: Python modules and Node packages. A plan that lays a package over one of
 * them would have a copy judged, and the tree could hold anything: it is refused, and never advised.
 */
import type { LaidPackage } from '../ports/repository-gate.ts';
import type { SandboxFile } from '../ports/sandbox.ts';
import type { Pins } from '../layers/layer-spec.ts';
import { GO_PIN, NODE_PIN, PYTHON_PIN } from '../../schemas/layer.ts';
import { NamedManifest } from '../../schemas/package-files.ts';
import type { RepositoryFinding } from '../../schemas/repository-report.ts';
import { repositoryFinding } from './finding.ts';
import { goModuleOf } from '../layers/go-modules.ts';
import type { GoModules } from './judge-go.ts';
import type { RustPackages } from './judge-rust.ts';
import { type TreeModules, treeModules } from './tree-modules.ts';
import { quoted } from '../text/typed.ts';

export interface OwnCode {
  readonly modules: TreeModules;
  /** Folder of each `package.json` that has a name, by that name; the first of two is kept. */
  readonly nodePackages: ReadonlyMap<string, string>;
  readonly goModules: GoModules;
  readonly rustPackages: RustPackages;
  /** Folder that `import name` needs on its path, `.` for the top; null where the tree has no such module. */
  folderOfModule(name: string): string | null;
  /** Whether that folder has the module of this dotted name. */
  holdsModule(name: string): boolean;
}

const MANIFEST_BYTES_MAX = 1024 * 1024;
const NOT_OWN = /(?:^|\/)(?:node_modules|fixtures?|testdata|templates?|vendor)\//u;

/** Of these files. */
export function ownCode(files: readonly SandboxFile[]): OwnCode {
  const paths = files.map((file) => file.path);
  return {
    modules: treeModules(paths),
    nodePackages: nodePackagesOf(files),
    goModules: goModulesOf(files),
    rustPackages: rustPackagesOf(files),
    folderOfModule: (name) => folderOfModule(name, paths),
    holdsModule: (name) => {
      const path = `/${name.replaceAll('.', '/')}`;
      return paths.some((each) => `/${each}`.includes(`${path}/`) || `/${each}`.endsWith(`${path}.py`));
    },
  };
}

function nodePackagesOf(files: readonly SandboxFile[]): Map<string, string> {
  const found = new Map<string, string>();
  const manifests = files
    .filter(({ path, bytes }) => /(?:^|\/)package\.json$/u.test(path) && bytes.length <= MANIFEST_BYTES_MAX)
    .toSorted((a, b) => a.path.length - b.path.length);
  for (const { path, bytes } of manifests) {
    const { name } = NamedManifest.parse(jsonOf(new TextDecoder().decode(bytes)));
    const folder = path === 'package.json' ? '.' : path.slice(0, -'/package.json'.length);
    if (name !== undefined && !NOT_OWN.test(`${folder}/`) && !found.has(name)) found.set(name, folder);
  }
  return found;
}

/** Of two folders that declare one module, the one whose path is the end of the module's is its own, else the first. */
function goModulesOf(files: readonly SandboxFile[]): GoModules {
  const found = new Map<string, string>();
  for (const { path, bytes } of files.toSorted((a, b) => a.path.length - b.path.length)) {
    if (!/(?:^|\/)go\.mod$/u.test(path) || NOT_OWN.test(path)) continue;
    const name = goModuleOf(new TextDecoder().decode(bytes));
    const folder = path === 'go.mod' ? '.' : path.slice(0, -'/go.mod'.length);
    const isNamedSo = name !== null && `/${name}`.endsWith(`/${folder}`) && found.get(name) !== '.';
    if (name !== null && (isNamedSo || !found.has(name))) found.set(name, folder);
  }
  return found;
}

/** The first of two that are named alike is kept. */
function rustPackagesOf(files: readonly SandboxFile[]): RustPackages {
  const found = new Map<string, string>();
  for (const { path, bytes } of files.toSorted((a, b) => a.path.length - b.path.length)) {
    if (!/(?:^|\/)Cargo\.toml$/u.test(path) || NOT_OWN.test(path)) continue;
    const [, own = ''] = `\n${new TextDecoder().decode(bytes)}`.split(/\n\s*\[package\]\s*(?:#.*)?\n/u);
    const [fields = ''] = own.split(/\n\s*\[/u);
    const name = /^\s*name\s*=\s*["']([\w-]+)["']/mu.exec(fields)?.[1];
    const folder = path === 'Cargo.toml' ? '.' : path.slice(0, -'/Cargo.toml'.length);
    if (name !== undefined && !found.has(name)) found.set(name, folder);
  }
  return found;
}

function folderOfModule(name: string, paths: readonly string[]): string | null {
  const folders = paths.flatMap((path) => {
    const at = `/${path}`.search(new RegExp(`/${name}(?:\\.py$|/(?:.*/)?[^/]*\\.py$)`, 'u'));
    return at < 0 ? [] : [at === 0 ? '.' : path.slice(0, at - 1)];
  });
  return folders.toSorted((a, b) => a.length - b.length)[0] ?? null;
}

/** One finding for each package that a plan names and that would stand for code of the tree. */
export function packagesOverTree(
  pins: Pins,
  laid: readonly LaidPackage[],
  own: OwnCode,
  from: string,
): RepositoryFinding[] {
  const python = (pins.python ?? []).flatMap((pin) => {
    const name = normal(PYTHON_PIN.exec(pin)?.[1] ?? '');
    const brought = laid.find((each) => each.ecosystem === 'python' && normal(each.name) === name);
    const module = (brought?.imports ?? [name.replaceAll('-', '_')]).find((each) =>
      own.modules.tops.has(each),
    );
    return module === undefined ? [] : [over(pin, `module "${module}"`, own.modules.fileOf(module), from)];
  });
  const node = (pins.node ?? []).flatMap((pin) => {
    const name = NODE_PIN.exec(pin)?.[1] ?? '';
    const folder = own.nodePackages.get(name);
    return folder === undefined ? [] : [over(pin, `package "${name}"`, `${folder}/package.json`, from)];
  });
  const go = (pins.go ?? []).flatMap((pin) => {
    const name = GO_PIN.exec(pin)?.[1] ?? '';
    const folder = own.goModules.get(name);
    return folder === undefined ? [] : [over(pin, `module "${name}"`, `${folder}/go.mod`, from)];
  });
  return [...python, ...node, ...go];
}

function over(pin: string, what: string, path: string | null, from: string): RepositoryFinding {
  const text = `The plan lays "${pin}" over the ${what} of this repository (${from}): the tests would judge the registry's copy`;
  return repositoryFinding('package_over_tree', 'L1', text, {
    place: path === null ? null : { file: path.replace(/^\.\//u, ''), line: 0 },
    nextStep: `Take "${pin}" out of environment.dependencies: the tests are to load this repository's own`,
  });
}

/**
 * Lines of a shell that let Node find the repository's own packages before any copy of them in a layer, as a workspace does.
 * @param laid names of all Node packages in the layer
 */
export function ownPackageLinks(own: OwnCode, laid: ReadonlySet<string>, checkout: string): string[] {
  return [...own.nodePackages]
    .filter(([name, folder]) => (folder !== '.' || laid.has(name)) && isPlainName(name))
    .flatMap(([name, folder]) => {
      const place = `${checkout}/node_modules/${name}`;
      const target = folder === '.' ? checkout : `${checkout}/${folder}`;
      return [`mkdir -p '${place.slice(0, place.lastIndexOf('/'))}'`, `ln -sfn ${quoted(target)} '${place}'`];
    });
}

function isPlainName(name: string): boolean {
  return /^(?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*$/iu.test(name);
}

function normal(name: string): string {
  return name.toLowerCase().replace(/[-_.]+/gu, '-');
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
