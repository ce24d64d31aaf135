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

/** A script that prints one line a tool, `name` and what it said, and always ends with 0. */
export function runtimeScript(tools: readonly RuntimeTool[]): string {
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
      nextStep: 'Ask for a version that the image has, or use an image that has it',
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
