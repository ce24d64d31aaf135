/** Whether the clean room has the runtimes that a plan asks for. What it has is asked there, not assumed. */
import type { GatePlan } from '../../schemas/gate-plan.ts';
import type { RepositoryFinding } from '../../schemas/repository-report.ts';
import type { RepositoryStepOf, RuntimeTool } from '../../schemas/repository-steps.ts';
import { repositoryFinding } from './finding.ts';

const COMMANDS: Readonly<Record<RuntimeTool, string>> = {
  python: 'python3 --version',
  node: 'node --version',
  go: 'go version',
  rust: 'rustc --version',
};

/** Programs that commands of the plan start by name. Shell lines and files of the repository are not looked into. */
export function programsOf(plan: GatePlan): string[] {
  const started = plan.steps.flatMap((step) => {
    const program = 'argv' in step ? step.argv[0] : undefined;
    return program === undefined || program.includes('/') ? [] : [program];
  });
  return [...new Set(started)].filter((name) => name !== 'sh').toSorted();
}

/** Starts of lines with which a missing program is told. */
const MISSING = 'missing-program ';

/** Arguments of `sh -c`: one line a tool, `name` and what it said, one a program that is not there. Always ends with 0. */
export function lookArgv(tools: readonly RuntimeTool[], programs: readonly string[]): string[] {
  const look = `for p in "$@"; do command -v "$p" >/dev/null || echo "${MISSING}$p"; done`;
  return [`${runtimeScript(tools)}\n${look}`, 'sh', ...programs];
}

/** A line a tool, `name` and what it said. */
function runtimeScript(tools: readonly RuntimeTool[]): string {
  return tools.map((tool) => `echo "${tool} $(${COMMANDS[tool]} 2>/dev/null | head -n 1)"`).join('\n');
}

/** Versions by tool, from what the script printed; null for a tool that is not there. */
export function readRuntimes(output: string): ReadonlyMap<string, string | null> {
  const versions = new Map<string, string | null>();
  for (const line of output.split('\n')) {
    const [tool = '', ...rest] = line.split(' ');
    if (tool in COMMANDS) versions.set(tool, /\d+(\.\d+){0,2}/.exec(rest.join(' '))?.[0] ?? null);
  }
  return versions;
}

/** One finding for each program that is not there. */
export function programFindings(output: string, image: string): RepositoryFinding[] {
  return output
    .split('\n')
    .filter((line) => line.startsWith(MISSING))
    .map((line) => {
      const name = line.slice(MISSING.length);
      const text = `The plan starts "${name}", which is not in image ${image}`;
      const nextStep =
        'Use a program of the image, ask for its runtime, or name its package under environment.dependencies.debian';
      return repositoryFinding('runtime_missing', 'L1', text, { nextStep });
    });
}

/** One finding for each runtime that is missing or of another version. */
export function runtimeFindings(
  plan: GatePlan,
  versions: ReadonlyMap<string, string | null>,
  image: string,
): RepositoryFinding[] {
  return plan.steps.flatMap((step) => {
    if (step.kind !== 'runtime') return [];
    const version = versions.get(step.tool) ?? null;
    return fits(step, version) ? [] : [missing(step, version, image)];
  });
}

function missing(
  { tool, version, source }: RepositoryStepOf<'runtime'>,
  found: string | null,
  image: string,
): RepositoryFinding {
  const wanted = version === null ? tool : `${tool} ${version}`;
  const has = found === null ? `no ${tool}` : `${tool} ${found}`;
  return repositoryFinding(
    'runtime_missing',
    'L1',
    `The plan asks for ${wanted} (${source.detail}), image ${image} has ${has}`,
    {
      expected: wanted,
      actual: has,
      nextStep:
        found === null
          ? 'Name its Debian package under environment.dependencies.debian'
          : `Ask for ${tool} ${found}, or name another Debian package of it under environment.dependencies.debian`,
    },
  );
}

function fits({ version }: RepositoryStepOf<'runtime'>, found: string | null): boolean {
  if (found === null) return false;
  if (version === null) return true;
  const isLeast = version.startsWith('>=');
  const wanted = (isLeast ? version.slice(2) : version).split('.').map(Number);
  const has = found.split('.').map(Number);
  for (const [index, part] of wanted.entries()) {
    const own = has[index] ?? 0;
    if (own !== part) return isLeast && own > part;
  }
  return true;
}
