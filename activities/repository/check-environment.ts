/** Before L1: the packages that the plan pins become an image, and the runtimes and programs that it asks for are looked for in it. */
import { repositoryFinding } from '../../core/repository/finding.ts';
import {
  lookArgv,
  programFindings,
  programsOf,
  readRuntimes,
  runtimeFindings,
} from '../../core/repository/judge-runtimes.ts';
import { limitsOf } from '../../core/repository/resolve-commands.ts';
import { ownPackageLinks, packagesOverTree } from '../../core/repository/own-code.ts';
import { CHECKOUT } from '../../core/repository/python-path.ts';
import { allDependencies } from '../../core/repository/toolchains.ts';
import type { LevelRun } from './level-run.ts';
import { type RepositoryRooms, runOrder } from './room.ts';

const LOOK_SECONDS = 30;

/** The rooms to go on with, and what is missing. */
export async function checkEnvironment(
  rooms: RepositoryRooms,
): Promise<{ readonly rooms: RepositoryRooms; readonly run: LevelRun }> {
  const { plan } = rooms.request;
  const asked = allDependencies(plan.steps);
  const layered = asked.from.length === 0 ? rooms : await withDependencies(rooms, asked);
  if ('run' in layered) return { rooms, run: layered.run };
  return { rooms: layered, run: await lookForRuntimes(layered) };
}

async function withDependencies(
  rooms: RepositoryRooms,
  { from, ...spec }: ReturnType<typeof allDependencies>,
): Promise<RepositoryRooms | { readonly run: LevelRun }> {
  const resolved = await rooms.parts.resolveLayer(spec);
  if ('image' in resolved) {
    const { image, packages } = resolved;
    const over = packagesOverTree(spec, packages, rooms.own, from.join(', '));
    if (over.length > 0) return { run: { findings: over, commands: [], artifacts: [] } };
    const node = new Set(packages.filter(({ ecosystem }) => ecosystem === 'node').map(({ name }) => name));
    const links = ownPackageLinks(rooms.own, node, CHECKOUT);
    const hasPackages = packages.some(({ ecosystem }) => ecosystem !== 'debian');
    return { ...rooms, image, links, hasPackages };
  }
  const text = `The plan's dependencies (${from.join(', ')}) cannot be had: ${resolved.problem}`;
  return {
    run: {
      findings: [repositoryFinding('dependencies_unresolved', 'L1', text)],
      commands: [],
      artifacts: [],
    },
  };
}

async function lookForRuntimes(rooms: RepositoryRooms): Promise<LevelRun> {
  const { plan } = rooms.request;
  const tools = plan.steps.flatMap((step) => (step.kind === 'runtime' ? [step.tool] : []));
  const programs = programsOf(plan);
  if (tools.length + programs.length === 0) return { findings: [], commands: [], artifacts: [] };
  const words = [...new Set([...tools, ...programs])].join(', ');
  const end = await runOrder(
    { ...rooms, files: [] },
    {
      level: 'L1',
      name: 'runtimes',
      argv: ['sh', '-c', ...lookArgv([...new Set(tools)], programs)],
      shown: `look for ${words}`,
      stdin: '',
      inputs: [],
      limits: limitsOf(null)(LOOK_SECONDS),
      collectWork: false,
      withSetup: false,
    },
  );
  const { outcome, stdout } = end.result;
  const findings =
    outcome.kind === 'exited'
      ? [
          ...runtimeFindings(plan, readRuntimes(stdout.text), rooms.image),
          ...programFindings(stdout.text, rooms.image),
        ]
      : [
          repositoryFinding(
            'platform_lost',
            'L1',
            `Cannot look for runtimes: the room was ${outcome.kind.replaceAll('_', ' ')}`,
          ),
        ];
  return { findings, commands: [], artifacts: [end.artifact] };
}
