/** The project's own `verify.yaml` at seed: read, resolved and frozen with the contracts, or refused with its line. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { treeOfCommit } from '../../activities/shared/trees.ts';
import { parseVerifyProfile } from '../../adapters/contracts/verify-profile.ts';
import { sourceFolders } from '../../core/repository/python-path.ts';
import { resolveRepositoryPlan } from '../../core/repository/resolve-plan.ts';
import { pinProblem } from '../../core/layers/layer-spec.ts';
import { allDependencies } from '../../core/repository/toolchains.ts';
import { planFindings } from '../../core/repository/verdict.ts';
import { errorCode } from '../../core/text/error-text.ts';
import type { Failed } from '../../core/ports/services.ts';
import type { Session } from '../../core/ports/session.ts';
import type { Project } from '../../schemas/contract.ts';
import type { Language } from '../../schemas/ids.ts';
import { LayerSpec } from '../../schemas/layer.ts';
import type { ProjectPlan } from '../../schemas/stored-book.ts';
import { PROFILE_PATHS } from '../../schemas/verify-profile.ts';
import { failed, failedWith } from './common.ts';

/** The plan; null where the project has none. */
export interface SeedPlanRead {
  readonly project: ProjectPlan | null;
  /** What its commands need in the image. */
  readonly spec: LayerSpec | null;
}

/** A path by which a language shows, for the defaults of the profile `polyglot`. */
const SIGNS: Readonly<Record<Language, string>> = {
  python: 'main.py',
  javascript: 'package.json',
  typescript: 'package.json',
  go: 'go.mod',
  rust: 'Cargo.toml',
};

/** Beside the contracts, else at the top of `content/`; there each of the two names. */
export async function seedPlan(session: Session, project: Project): Promise<SeedPlanRead | Failed> {
  const places = ['', 'content/'].flatMap((folder) => PROFILE_PATHS.map((name) => `${folder}${name}`));
  for (const file of places) {
    const text = await readOrNull(join(session.dir, file));
    if (text !== null) return await resolved(session.dir, file, text, await signsOf(session, project));
  }
  return { project: null, spec: null };
}

/** By these paths its environment is found: a repository imports from the folders that it imported from when it was tried. */
async function signsOf(session: Session, { language, scaffold }: Project): Promise<readonly string[]> {
  if (scaffold === undefined) return [SIGNS[language]];
  const tree = await treeOfCommit(session, await session.content.head());
  const paths = (await session.trees.listTree(tree)).map(({ path }) => path);
  return [SIGNS[language], ...sourceFolders(paths).map((folder) => `${folder}/main.py`)];
}

async function resolved(
  sessionDir: string,
  file: string,
  text: string,
  signs: readonly string[],
): Promise<SeedPlanRead | Failed> {
  const loaded = parseVerifyProfile(text, file);
  if (!loaded.ok) {
    const problems = loaded.problems.map(({ line, column, message, suggestion }) => ({
      place: `${file}:${String(line)}:${String(column)}`,
      message,
      ...(suggestion === undefined ? {} : { suggestion }),
    }));
    return failedWith(2, problems, `edit ${file}`);
  }
  const { plan, leaveOut } = resolveRepositoryPlan(loaded.read, signs);
  // Nodes have suites of their own: a plan of rules for files alone is enough here.
  const findings = planFindings(plan).filter((found) => found.code !== 'plan_empty' || found.level === 'L0');
  const [first] = findings;
  if (first !== undefined) return failed(2, `Cannot seed: ${first.text}`, first.nextStep ?? `edit ${file}`);
  const { from: _from, ...lists } = allDependencies(plan.steps);
  const spec = LayerSpec.safeParse(lists);
  if (!spec.success) {
    const [issue] = spec.error.issues;
    return failed(
      2,
      `Cannot seed: ${file}: a dependency ${issue?.message ?? 'is no exact pin'}`,
      `edit ${file}`,
    );
  }
  const runner = spec.data.python.map((pin) => pinProblem('python', pin)).find((each) => each !== null);
  if (runner !== undefined)
    return failed(2, `Cannot seed: ${file}: ${runner.reason}`, `edit ${file}: ${runner.suggestion}`);
  const steps = await Promise.all(plan.steps.map((step) => withSchemaText(sessionDir, step)));
  return { project: { file, plan: { ...plan, steps }, leaveOut: [...leaveOut] }, spec: spec.data };
}

type Step = ProjectPlan['plan']['steps'][number];

/** A schema that lies in the project is frozen with the plan: no node can change what describes it. */
async function withSchemaText(sessionDir: string, step: Step): Promise<Step> {
  if (step.kind !== 'schema_files' || step.schemaPath === null) return step;
  const text = await readOrNull(join(sessionDir, 'content', step.schemaPath));
  return text === null ? step : { ...step, schemaText: text };
}

async function readOrNull(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EISDIR'].includes(errorCode(error) ?? '')) return null;
    throw error;
  }
}
