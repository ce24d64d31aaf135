/** The plan of one state of a repository, and the plan of the commit before it where the two differ. */
import { relative } from 'node:path';
import { parseVerifyProfile } from '../../../adapters/contracts/verify-profile.ts';
import { openUserRepository, RepositoryProblem } from '../../../adapters/git/user-repository.ts';
import { ingestWorkflow, isGate, unreadWorkflow } from '../../../core/repository/ci/ingest-workflow.ts';
import {
  type IngestedPlan,
  type ResolvedPlan,
  resolveRepositoryPlan,
} from '../../../core/repository/resolve-plan.ts';
import type { LocalFiles } from '../../../core/repository/ci/workflow.ts';
import { pinnedRunner, scriptTests } from '../../../core/repository/understand/script-tests.ts';
import { TestManifest } from '../../../schemas/package-files.ts';
import type { LocatedProblem } from '../../../core/text/located-problem.ts';
import type { Failed, Result } from '../../../core/ports/services.ts';
import type { Listing, UserRepository } from '../../../core/ports/user-repository.ts';
import { PROFILE_PATHS } from '../../../schemas/verify-profile.ts';
import { failed, failedWith } from '../common.ts';
import { typed } from '../../../core/text/typed.ts';

const PLAN_BYTES_MAX = 1024 * 1024;

/** Text of the plan's file; null where a state has none. */
export interface PlanText {
  readonly file: string;
  readonly text: string;
}

/** Opens a repository for one piece of work. */
export async function withRepository<T>(
  dir: string,
  env: Readonly<Record<string, string | undefined>>,
  work: (repository: UserRepository) => Promise<Result<T>>,
): Promise<Result<T>> {
  let repository: UserRepository;
  try {
    repository = await openUserRepository(dir, env);
  } catch (error) {
    if (error instanceof RepositoryProblem)
      return failed(2, error.message, 'Name a git repository: --repo FOLDER');
    throw error;
  }
  try {
    return await work(repository);
  } catch (error) {
    if (error instanceof RepositoryProblem) return failed(2, error.message, typed`git -C ${dir} log`);
    throw error;
  } finally {
    await repository.close();
  }
}

/** The first plan file of a state. */
export async function planText(listing: Listing): Promise<PlanText | null> {
  for (const file of PROFILE_PATHS) {
    const entry = listing.entries.find((each) => each.path === file);
    if (entry === undefined || entry.kind === 'symlink') continue;
    const bytes = await listing.read(entry, PLAN_BYTES_MAX);
    if (bytes !== null) return { file, text: Buffer.from(bytes).toString('utf8') };
  }
  return null;
}

/** The plan that a text comes to, or the language's default without one. */
export async function planOf(
  root: string,
  found: PlanText | null,
  listing: Listing,
): Promise<Result<ResolvedPlan>> {
  const paths = listing.entries.map((entry) => entry.path);
  if (found === null)
    return {
      ok: true,
      value: resolveRepositoryPlan(null, paths, await ingested(listing), await runnerOf(listing)),
    };
  const loaded = parseVerifyProfile(found.text, found.file);
  if (!loaded.ok) return planProblems(root, found.file, loaded.problems);
  return { ok: true, value: resolveRepositoryPlan(loaded.read, paths) };
}

/** What the CI workflows of a state come to; null where none runs for changes. */
export async function ingested(listing: Listing): Promise<IngestedPlan | null> {
  const parts: IngestedPlan[] = [];
  let judges = false;
  for (const entry of listing.entries) {
    if (!/^\.github\/workflows\/[^/]+\.ya?ml$/.test(entry.path)) continue;
    const part = await ingestedFile(listing, entry);
    judges ||= part.judges;
    parts.push(part);
  }
  if (!judges) return null;
  return { steps: parts.flatMap((part) => part.steps), account: parts.flatMap((part) => part.account) };
}

/** One workflow; what is not read, and what does not run for changes, has its row in the account, too. */
async function ingestedFile(
  listing: Listing,
  entry: Listing['entries'][number],
): Promise<IngestedPlan & { readonly judges: boolean }> {
  const bytes =
    entry.kind === 'symlink' ? null : await listing.read(entry, PLAN_BYTES_MAX).catch(nullWhereTooLarge);
  if (bytes === null)
    return {
      ...unreadWorkflow(entry.path, `it is a link, or larger than ${String(PLAN_BYTES_MAX)} bytes`),
      judges: true,
    };
  const { readWorkflow } = await import('../../../adapters/workflows/read-workflow.ts');
  const workflow = readWorkflow(Buffer.from(bytes).toString('utf8'), entry.path);
  if (isGate(workflow)) return { ...ingestWorkflow(workflow, await localFiles(listing)), judges: true };
  const why = 'it does not run for pushes to branches or pull requests';
  return {
    steps: [],
    account: [{ outcome: 'DROPPED', what: entry.path, why, from: entry.path }],
    judges: false,
  };
}

function nullWhereTooLarge(error: unknown): null {
  if (error instanceof RangeError) return null;
  throw error;
}

/** A package that starts the tests of Node here; null where Node itself does, or nothing says so. */
export async function runnerOf(listing: Listing): Promise<string | null> {
  const entry = listing.entries.find(({ path }) => path === 'package.json');
  if (entry === undefined || entry.kind === 'symlink') return null;
  const bytes = await listing.read(entry, PLAN_BYTES_MAX).catch(nullWhereTooLarge);
  if (bytes === null) return null;
  const manifest = TestManifest.parse(jsonOf(Buffer.from(bytes).toString('utf8')));
  return pinnedRunner(
    manifest,
    listing.entries.map(({ path }) => path),
  );
}

/** What a workflow may use of its own repository: composite actions, other workflows, scripts of `package.json`. */
async function localFiles(listing: Listing): Promise<LocalFiles> {
  const { readAction, readWorkflow } = await import('../../../adapters/workflows/read-workflow.ts');
  const texts = new Map<string, string>();
  for (const entry of listing.entries) {
    if (!LOCAL.test(entry.path) || entry.kind === 'symlink') continue;
    const bytes = await listing.read(entry, PLAN_BYTES_MAX);
    if (bytes !== null) texts.set(entry.path, Buffer.from(bytes).toString('utf8'));
  }
  const manifest = TestManifest.parse(jsonOf(texts.get('package.json') ?? '{}'));
  const paths = listing.entries.map((entry) => entry.path);
  return {
    read: (path) => {
      const text = texts.get(path);
      if (text === undefined) return null;
      return path.startsWith('.github/workflows/') ? readWorkflow(text, path) : readAction(text, path);
    },
    script: (name) => scriptTests(manifest, name, paths),
  };
}

const LOCAL = /^(?:package\.json|\.github\/workflows\/[^/]+\.ya?ml|(?:.*\/)?action\.ya?ml)$/u;

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

function planProblems(root: string, file: string, problems: readonly LocatedProblem[]): Failed {
  const shown = relative(process.cwd(), `${root}/${file}`) || file;
  return failedWith(
    2,
    problems.map(({ line, column, message, suggestion }) => ({
      place: `${shown}:${String(line)}:${String(column)}`,
      message,
      ...(suggestion === undefined ? {} : { suggestion }),
    })),
    `edit ${shown}`,
  );
}
