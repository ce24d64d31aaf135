/** A package that the clean room does not have: which one, and where it is named so that it has it. */
import type { RepositoryFinding } from '../../schemas/repository-report.ts';
import type { OwnCode } from './own-code.ts';

/** How such a step begins: nothing that is written into a tree can help. */
const LACK = 'The clean room has no';
const NAME = String.raw`((?:@[\w.-]+/)?[A-Za-z0-9_][\w.-]*)`;
/** How Node says it for `import` and for `require`; a relative or absolute path is no package. */
const NODE = new RegExp(String.raw`Cannot find (?:package|module) '${NAME}(?:/[^']*)?'`, 'u');
const PYTHON = /No module named '?([A-Za-z_]\w*)((?:\.\w+)*)/u;

/** Names that projects give to parts of their own tests, and that nobody should fetch from a registry. */
const OF_A_PROJECT =
  /^(?:_*tests?(?:ing|s|suite|lib|_.*)?|.*_tests?|conftest|(?:test_?)?(?:helpers?|utils?|support|common|fixtures?|data)|docs?|examples?|benchmarks?|scripts?|tools?)$/u;

/**
 * What to do about a finding whose text names a missing package; null where it names none. Code of the tree itself is never
 * to be added as a package: the tests would judge the registry's copy.
 */
export function missingPackageStep(text: string, own: OwnCode): string | null {
  const node = NODE.exec(text)?.[1];
  if (node !== undefined && own.nodePackages.has(node))
    return `"${node}" is this repository's own package: what its package.json names as its entry is not there; build it in environment.setup of verify.yaml`;
  if (node !== undefined)
    return `${LACK} package "${node}": add it with its exact version under environment.dependencies.node of verify.yaml, as "${node}@VERSION"`;
  const [, python, below = ''] = PYTHON.exec(text) ?? [];
  const folder = python === undefined ? null : own.folderOfModule(python);
  if (python !== undefined && folder !== null && below !== '' && !own.holdsModule(python + below))
    return `"${python}" is this repository's own, and "${python}${below}" is not in the tree: where a build writes it, and .gitignore leaves it out, write it in environment.setup of verify.yaml`;
  if (python !== undefined && folder !== null)
    return `"${python}" is this repository's own module, in "${folder}": name that folder under environment.python_path of verify.yaml`;
  if (python !== undefined && OF_A_PROJECT.test(python))
    return `Nothing here is called "${python}": by its name it is a folder of the project that this copy lacks (archives of releases often leave out what tests need); judge the whole repository, or the tests that do without it ("paths")`;
  if (python !== undefined)
    return `${LACK} Python module "${python}": add the package that it is from with its exact version under environment.dependencies.python of verify.yaml, as "NAME==VERSION"`;
  return OTHERWISE.find(([said]) => said.test(text))?.[1] ?? null;
}

/** What other tools say where something is not there. */
const OTHERWISE: readonly (readonly [RegExp, string])[] = [
  [
    /cannot import name '\w+' from '[\w.]+' \(unknown location\)/u,
    'That folder has no __init__.py in this copy (archives of releases often leave out what tests need): judge the whole repository, or the tests that do without it ("paths")',
  ],
  [
    /unsupported locale setting/u,
    'The clean room has the locales C.UTF-8, de_DE.UTF-8 and tr_TR.UTF-8 alone: let these tests take one of them, or judge the tests that do without ("paths")',
  ],
  [
    /fixture '\w+' not found/u,
    'A plugin brings that fixture ("benchmark" is of pytest-benchmark, "mocker" of pytest-mock): add it with its exact version under environment.dependencies.python, as "NAME==VERSION"',
  ],
  [
    /go\.mod file not found|cannot find main module/u,
    'These sources are of no module: "go mod init MODULE_PATH" and "go mod tidy" make them one, once; then a7-rt gate init',
  ],
  [
    /module lookup disabled by GOPROXY=off|cannot find module providing package|no required module provides package|cannot query module due to -mod=vendor/u,
    'The clean room has no network: name the module under environment.dependencies.go, as "example.org/a@v1.2.3" (a7-rt gate init names all of go.mod), or commit the folder of "go mod vendor"',
  ],
  [
    /invalid go version|module requires Go 1|note: module requires Go|go\.mod requires go >=|package (?:slices|maps|cmp|log\/slog|iter|math\/rand\/v2|testing\/synctest) is not in (?:GOROOT|std)/u,
    'The module asks for a newer Go than the image has: name one under environment.dependencies.go, as "golang.org/toolchain@v0.0.1-go1.22.12.linux-amd64"',
  ],
  [
    /no matching package named|you(?:'re| are| may).{0,40}offline|failed to (?:get|load source for dependency)|can't find crate for/u,
    'The clean room has no network: name the crate under environment.dependencies.rust, as "name@1.2.3" (a7-rt gate init names all of Cargo.lock), or commit the folder of "cargo vendor" with .cargo/config.toml',
  ],
  [
    /requires rustc \d|feature `edition2024` is required|lock file version `?4`? (?:requires|was found)|cannot be built because it requires rustc/u,
    "The crate asks for a newer Rust than the image has: name a Debian package of it under environment.dependencies.debian, or judge a version that builds with the image's Rust",
  ],
  [
    /unrecognized arguments?:|unknown (?:config )?option|Unknown config option/u,
    'The settings of the runner name options that nothing here knows: add the plugin that brings them under environment.dependencies, with its exact version',
  ],
  [
    /No test files found|No tests found|no file matches|Cannot find module '\/work\/tests?[/.'][^']*/u,
    'The files that the tests are said to be in are not there (archives of releases often leave them out): correct "paths" in verify.yaml, or judge the whole repository',
  ],
];

/** What a finding says that the clean room lacks; null where it lacks nothing. */
export function lackOf({ code, nextStep, text }: RepositoryFinding): string | null {
  if (code === 'dependencies_unresolved' || code === 'runtime_missing') return nextStep ?? text;
  return nextStep?.startsWith(LACK) === true ? nextStep : null;
}

/** Python modules that a text says are missing. */
export function missingModules(text: string): string[] {
  return [...text.matchAll(new RegExp(PYTHON, 'gu'))].map(([, name = '']) => name);
}

/** The findings, with that as the next step of those that have none. */
export function withMissingPackages(
  findings: readonly RepositoryFinding[],
  own: OwnCode,
): RepositoryFinding[] {
  return findings.map((found) =>
    found.nextStep === null && found.excerpt !== null
      ? { ...found, nextStep: missingPackageStep(found.excerpt, own) }
      : found,
  );
}
