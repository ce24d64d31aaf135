/**
 * From `verify.yaml`, or from nothing, to the one gate plan (design part 8).
 *  R1. Sources in order: the project's profile, then a CI workflow, then the language's default.
 *  R2. Each step carries where it came from; a default that the file overrides is gone.
 *  R3. What the file asks for and nobody can give becomes a step that refuses the plan: it is never left out in silence.
 */
import type { GatePlan } from '../../schemas/gate-plan.ts';
import type { PlanSource } from '../../schemas/gate-limits.ts';
import type { RepositoryStep } from '../../schemas/repository-steps.ts';
import type { DocumentPath } from '../../schemas/problems.ts';
import type { ProfileName, VerifyProfile } from '../../schemas/verify-profile.ts';
import { detectProfile } from './detect-profile.ts';
import type { ingestWorkflow } from './ci/ingest-workflow.ts';
import type { Accounted } from './ci/workflow.ts';
import { pythonPathVariables } from './python-path.ts';
import { blackBoxSteps, limitsOf, testStep } from './resolve-commands.ts';
import { defaultFileSteps, defaultRuntimes, defaultTests, sizes } from './resolve-defaults.ts';
import { toolchainVariables, withToolchains } from './toolchains.ts';

/** What a CI workflow gave, where there is no profile. */
export type IngestedPlan = ReturnType<typeof ingestWorkflow>;

/** A profile as it was read: its path in the repository and the line of each of its parts. */
export interface ReadProfile {
  readonly profile: VerifyProfile;
  readonly file: string;
  readonly lineOf: (path: DocumentPath) => number;
}

export interface ResolvedPlan {
  readonly plan: GatePlan;
  /** Null where neither file nor paths tell one. */
  readonly profile: ProfileName | null;
  /** Globs of paths that are not judged. */
  readonly leaveOut: readonly string[];
  /** What became of each step of the CI workflows; empty where a profile judges. */
  readonly account: readonly Accounted[];
}

/**
 * The plan of a repository whose files have these paths.
 * @param read null where there is no `verify.yaml`
 * @param runner a package that starts the tests of Node, where nothing else says how to
 */
export function resolveRepositoryPlan(
  read: ReadProfile | null,
  paths: readonly string[],
  ingested: IngestedPlan | null = null,
  runner: string | null = null,
): ResolvedPlan {
  const name = read === null ? detectProfile(paths) : (read.profile.profile ?? null);
  const builtIn: PlanSource = {
    kind: 'language_default',
    detail: read === null ? `${name ?? 'no'} profile, detected` : `${name ?? 'no'} profile`,
  };
  const context: Context = { read, name, builtIn, paths, runner };
  const isolation = read?.profile.policy.isolation;
  const steps = withToolchains(read === null ? defaultSteps(context, ingested) : profileSteps(context, read));
  return {
    profile: name,
    leaveOut: read?.profile.policy.leave_out ?? [],
    account: read === null ? (ingested?.account ?? []) : [],
    plan: {
      version: 1,
      language: null,
      sources: [
        ...(read === null ? [] : [{ kind: 'profile' as const, detail: read.file }]),
        ...(read === null && ingested !== null
          ? [{ kind: 'workflow' as const, detail: '.github/workflows' }]
          : []),
        ...(name === null ? [] : [builtIn]),
      ],
      environment: {
        timeZone: read?.profile.environment.time_zone ?? 'UTC',
        locale: 'C.UTF-8',
        hashSeeds: ['0', '1729'],
        variables: {
          ...toolchainVariables(steps),
          ...pythonPathVariables(read?.profile.environment.python_path, paths),
          ...read?.profile.environment.variables,
        },
      },
      wall: 'in_process',
      ...(isolation === undefined ? {} : { isolation }),
      steps,
    },
  };
}

interface Context {
  readonly read: ReadProfile | null;
  readonly name: ProfileName | null;
  readonly builtIn: PlanSource;
  readonly paths: readonly string[];
  readonly runner: string | null;
}

/** A CI workflow goes before the language's own runtime and test command; files are looked at in either case. */
function defaultSteps(
  { name, builtIn, paths, runner }: Context,
  ingested: IngestedPlan | null,
): RepositoryStep[] {
  const files = name === null ? [] : defaultFileSteps(name, builtIn, paths, new Set());
  if (ingested !== null) return [...files, ...ingested.steps];
  if (name === null) return [];
  return [
    ...files,
    ...defaultRuntimes(name, builtIn, paths, new Set()),
    ...defaultTests(name, builtIn, paths, limitsOf(null), runner),
  ];
}

function profileSteps(context: Context, read: ReadProfile): RepositoryStep[] {
  const { profile } = read;
  const source = (...path: DocumentPath): PlanSource => ({
    kind: 'profile',
    detail: `${read.file}:${String(read.lineOf(path))}`,
  });
  const limits = limitsOf(profile.policy);
  const { name, builtIn, paths } = context;
  const tests =
    profile.tests?.map((test, index) => testStep(test, source('tests', index), limits)) ??
    (name === null ? [] : defaultTests(name, builtIn, paths, limits));
  const written = contractSteps(profile, source);
  const given = new Set(written.map((step) => step.kind));
  const tools = Object.keys(profile.environment.runtimes);
  return [
    ...refusals(profile, source),
    ...written,
    ...(name === null ? [] : defaultFileSteps(name, builtIn, paths, given)),
    ...runtimeSteps(profile, source),
    ...(name === null ? [] : defaultRuntimes(name, builtIn, paths, new Set(tools))),
    ...dependencySteps(profile, source),
    ...setupSteps(profile, source),
    ...tests,
    ...blackBoxSteps('fixture', profile.fixtures, limits, (index) => source('fixtures', index)),
    ...blackBoxSteps('execution', profile.execution, limits, (index) => source('execution', index)),
  ];
}

type SourceOf = (...path: DocumentPath) => PlanSource;

function refusals({ policy }: VerifyProfile, source: SourceOf): RepositoryStep[] {
  if (policy.network === 'off') return [];
  const reason =
    'The plan asks for a network: the clean room has none. Put what is needed under environment.dependencies';
  return [{ kind: 'refused', level: 'L0', source: source('policy', 'network'), reason }];
}

function contractSteps({ contract, policy }: VerifyProfile, source: SourceOf): RepositoryStep[] {
  const at = (field: string, ...rest: DocumentPath): PlanSource => source('contract', field, ...rest);
  const { required_files: required, forbidden_globs: forbidden, max_file_bytes: fileBytes } = contract;
  const { max_binary_bytes: binaryBytes, binaries_allowed: allowed } = contract;
  const hasSizes = fileBytes !== undefined || binaryBytes !== undefined || allowed.length > 0;
  const sizeField = fileBytes === undefined ? 'max_binary_bytes' : 'max_file_bytes';
  return [
    ...(required.length === 0
      ? []
      : [
          {
            kind: 'required_files' as const,
            level: 'L0' as const,
            source: at('required_files'),
            globs: required,
          },
        ]),
    ...(forbidden.length === 0
      ? []
      : [
          {
            kind: 'forbidden_globs' as const,
            level: 'L0' as const,
            source: at('forbidden_globs'),
            globs: forbidden,
          },
        ]),
    ...contract.naming.map((rule, index) => ({
      kind: 'naming' as const,
      level: 'L0' as const,
      source: at('naming', index),
      globs: rule.files,
      style: rule.style ?? null,
      names: rule.names ?? [],
    })),
    ...(hasSizes
      ? [
          sizes(
            at(binaryBytes === undefined && fileBytes === undefined ? 'binaries_allowed' : sizeField),
            fileBytes,
            binaryBytes,
            allowed,
          ),
        ]
      : []),
    ...contract.schemas.map((rule, index) => ({
      kind: 'schema_files' as const,
      level: 'L0' as const,
      source: at('schemas', index),
      globs: rule.files,
      schemaPath: typeof rule.schema === 'string' ? rule.schema : null,
      schemaText: typeof rule.schema === 'string' ? null : JSON.stringify(rule.schema),
    })),
    ...(policy.disallowed_commands.length === 0
      ? []
      : [
          {
            kind: 'disallowed_commands' as const,
            level: 'L0' as const,
            source: source('policy', 'disallowed_commands'),
            commands: policy.disallowed_commands,
          },
        ]),
  ];
}

function runtimeSteps({ environment }: VerifyProfile, source: SourceOf): RepositoryStep[] {
  const { python, node, go, rust } = environment.runtimes;
  return Object.entries({ python, node, go, rust }).flatMap(([tool, version]): RepositoryStep[] =>
    version === undefined
      ? []
      : [
          {
            kind: 'runtime',
            level: 'L1',
            source: source('environment', 'runtimes', tool),
            tool: tool as 'python' | 'node' | 'go' | 'rust',
            version,
          },
        ],
  );
}

function dependencySteps({ environment }: VerifyProfile, source: SourceOf): RepositoryStep[] {
  const { go, rust, ...usual } = environment.dependencies;
  const locked = { ...(go.length === 0 ? {} : { go }), ...(rust.length === 0 ? {} : { rust }) };
  if ([...Object.values(usual), go, rust].flat().length === 0) return [];
  const at = source('environment', 'dependencies');
  return [{ kind: 'dependencies', level: 'L1', source: at, ...usual, ...locked }];
}

function setupSteps({ environment }: VerifyProfile, source: SourceOf): RepositoryStep[] {
  return environment.setup.map((step, index) => ({
    kind: 'setup',
    level: 'L1',
    source: source('environment', 'setup', index),
    name: step.name,
    argv: typeof step.run === 'string' ? ['sh', '-c', step.run] : step.run,
  }));
}
