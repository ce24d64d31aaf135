/** What a profile adds where the plan's file says nothing. */
import type { PlanSource } from '../../schemas/gate-limits.ts';
import type { RepositoryStep } from '../../schemas/repository-steps.ts';
import type { ProfileName } from '../../schemas/verify-profile.ts';
import { languagesOf } from './detect-profile.ts';
import { BINARY_BYTES_MAX, FILE_BYTES_MAX, LANGUAGE_DEFAULTS, SECRET_GLOBS } from './profiles.ts';
import type { Limits } from './resolve-commands.ts';

/** Sizes that files may have. */
export function sizes(
  source: PlanSource,
  fileBytesMax = FILE_BYTES_MAX,
  binaryBytesMax = BINARY_BYTES_MAX,
  binariesAllowed: readonly string[] = [],
): RepositoryStep {
  return {
    kind: 'file_sizes',
    level: 'L0',
    source,
    fileBytesMax,
    binaryBytesMax,
    binariesAllowed: [...binariesAllowed],
  };
}

/** Secrets stay forbidden beside what the file forbids; sizes that it gives replace the default. */
export function defaultFileSteps(
  name: ProfileName,
  source: PlanSource,
  paths: readonly string[],
  given: ReadonlySet<string>,
): RepositoryStep[] {
  const own = languagesOf(name, paths).flatMap((language) => [
    ...LANGUAGE_DEFAULTS[language].forbidden,
    ...installedGlobs(language, paths),
  ]);
  const globs = [...SECRET_GLOBS, ...own];
  return [
    { kind: 'forbidden_globs', level: 'L0', source, globs },
    ...(given.has('file_sizes') ? [] : [sizes(source)]),
  ];
}

/** `packages/a/node_modules/**` beside `packages/a/package.json`; a tree of packages that tests read is data. */
function installedGlobs(
  language: ReturnType<typeof languagesOf>[number],
  paths: readonly string[],
): string[] {
  const { installedBeside } = LANGUAGE_DEFAULTS[language];
  if (installedBeside === undefined) return [];
  const { manifest, folder } = installedBeside;
  const homes = paths
    .filter((path) => path.endsWith(`/${manifest}`) && !OF_TESTS.test(path) && !path.includes(`${folder}/`))
    .map((path) => path.slice(0, -manifest.length));
  const used = homes.filter((home) => paths.some((path) => path.startsWith(`${home}${folder}/`)));
  return used.filter((home) => !/[*[\]?{}]/u.test(home)).map((home) => `${home}${folder}/**`);
}

const OF_TESTS = /(?:^|\/)(?:tests?|__tests__|spec|fixtures?|__fixtures__|testdata|examples?)\//u;

/** The languages' runtimes in any version, but for those that the file names. */
export function defaultRuntimes(
  name: ProfileName,
  source: PlanSource,
  paths: readonly string[],
  given: ReadonlySet<string>,
): RepositoryStep[] {
  return languagesOf(name, paths)
    .map((language) => LANGUAGE_DEFAULTS[language].tool)
    .filter((tool) => !given.has(tool))
    .map((tool) => ({ kind: 'runtime', level: 'L1', source, tool, version: null }));
}

/** The languages' usual test commands. @param runner a package that starts the tests of Node; null: Node itself */
export function defaultTests(
  name: ProfileName,
  source: PlanSource,
  paths: readonly string[],
  limits: Limits,
  runner: string | null = null,
): RepositoryStep[] {
  return languagesOf(name, paths).map((language) => {
    if (language === 'node' && runner !== null) {
      const reason = `"npm test" starts ${runner}, a package that no plan pins: a7-rt gate init writes a verify.yaml with it`;
      return { kind: 'refused', level: 'L0', source, reason };
    }
    const { test, timeoutSeconds } = LANGUAGE_DEFAULTS[language];
    return {
      kind: 'test_command',
      level: 'L1',
      source,
      name: test.name,
      argv: [...test.argv],
      count: test.count,
      minTests: 1,
      maxSkipped: 0,
      exitCode: 0,
      limits: limits(undefined, timeoutSeconds),
    };
  });
}
