/**
 * `gate init`: what the repository says of its own tests becomes a plan, its packages are pinned, and the plan is tried once in
 * the clean room, so that the numbers in it are what was seen. Writes two files; what it could not take over stands in the plan.
 */
import { lstat, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { profileTemplate, VERIFY_SCHEMA_PATH } from '../../../core/repository/template.ts';
import { type CiChecks, ciChecks } from '../../../core/repository/understand/ci-checks.ts';
import { normalName } from '../../../core/repository/understand/requirement.ts';
import type { UnderstoodProject } from '../../../core/repository/understand/understood.ts';
import type { ExactPins } from '../../../core/repository/exact-pins.ts';
import type { GateInitReport } from '../../../core/ports/gate-services.ts';
import type { Result } from '../../../core/ports/services.ts';
import { PROFILE_PATHS, type ProfileName, verifyJsonSchema } from '../../../schemas/verify-profile.ts';
import { type Surroundings, failed } from '../common.ts';
import { chosenPins } from './init-pins.ts';
import { chosenProfile, projectOf } from './init-project.ts';
import { tried } from './init-try.ts';
import { ingested, withRepository } from './plan-of.ts';
import { typed } from '../../../core/text/typed.ts';

/** @param profile null: what the repository's files show. @param isTried whether the plan is run once */
export async function gateInit(
  around: Surroundings,
  repo: string,
  profile: ProfileName | null,
  isTried: boolean,
): Promise<Result<GateInitReport>> {
  return withRepository(repo, around.env, async (repository) => {
    for (const path of PROFILE_PATHS) {
      if ((await lstat(join(repository.root, path)).catch(() => null)) !== null)
        return failed(
          2,
          `Cannot write a gate plan: "${path}" exists`,
          typed`Edit it; a7-rt gate check --repo ${repo} checks it`,
        );
    }
    const listing = await repository.list({ kind: 'work_tree', revision: null });
    const paths = listing.entries.map((entry) => entry.path);
    const chosen = profile ?? chosenProfile(paths);
    if (chosen === null && paths.some((path) => path.endsWith('.go')))
      return failed(
        2,
        'Cannot choose a profile: the sources of Go here are of no module (there is no go.mod)',
        typed`go mod init MODULE_PATH && go mod tidy, in the folder that shall be the module; then a7-rt gate init --repo ${repo}`,
      );
    if (chosen === null) {
      return failed(
        2,
        'Cannot choose a profile: the repository shows no language',
        typed`a7-rt gate init --repo ${repo} --profile PROFILE, which is python, node, go, rust or polyglot`,
      );
    }
    const project = withCi(await projectOf(listing, chosen, paths), ciChecks(await ingested(listing)));
    const found = await chosenPins(around, repository.root, project);
    const [file] = PROFILE_PATHS;
    const place = join(repository.root, file);
    const whole = { ...project, notes: [...project.notes, ...found.missing] };
    let last: UnderstoodProject = whole;
    const write = async (pins: ExactPins, understood: UnderstoodProject): Promise<void> => {
      last = understood;
      await writeFile(place, profileTemplate(chosen, paths, pins, understood));
    };
    await writeFile(place, profileTemplate(chosen, paths, found.pins, whole), { flag: 'wx' });
    const created = await writeSchema(repository.root, file);
    const trial = isTried ? await tried(around, repo, whole, found, write) : null;
    return { ok: true, value: { created, notes: last.notes, trial } };
  });
}

/** The project's own word goes first; CI adds checks, and the packages that they start. */
function withCi(project: UnderstoodProject, { checks, python, notes }: CiChecks): UnderstoodProject {
  const { wanted } = project;
  const named = new Set([...wanted.python, ...project.others.keys()].map((each) => normalName(nameIn(each))));
  const tools = python.filter((name) => !named.has(name) && project.ownNames.python !== name);
  const declared = python.flatMap((name) => project.others.get(name) ?? []);
  return {
    ...project,
    checks,
    wanted: { ...wanted, python: [...wanted.python, ...tools, ...declared] },
    notes: [...project.notes, ...notes],
  };
}

function nameIn(requirement: string): string {
  return /^[\w.-]+/u.exec(requirement)?.[0] ?? '';
}

async function writeSchema(root: string, file: string): Promise<readonly string[]> {
  const path = join(root, VERIFY_SCHEMA_PATH);
  await mkdir(dirname(path), { recursive: true });
  const isNew = await writeFile(path, `${JSON.stringify(verifyJsonSchema(), null, 2)}\n`, { flag: 'wx' })
    .then(() => true)
    .catch(() => false);
  return isNew ? [file, VERIFY_SCHEMA_PATH] : [file];
}
