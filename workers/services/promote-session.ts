/** `promote SESSION`: what a session built goes back into the repository that it began as, one commit a node. Only by this command. */
import { join, resolve } from 'node:path';
import { commitsOntoBase } from '../../adapters/git/onto-base.ts';
import { findSource, type FoundRepository, SourceProblem } from '../../adapters/git/order-source.ts';
import { type Origin, readOrigin } from '../../adapters/store/origin.ts';
import { sessionPaths } from '../../adapters/store/session.ts';
import { homeFolder } from '../../adapters/temporal/home.ts';
import { eventOf } from '../../core/ledger/lines.ts';
import type { PromoteTo } from '../../core/ports/order-services.ts';
import type { Failed, PromotedReport, Result } from '../../core/ports/services.ts';
import type { Session } from '../../core/ports/session.ts';
import { type Surroundings, failed, findToRead, messageOf } from './common.ts';
import { markCommit } from './mark-commit.ts';
import { withSession } from './open-session.ts';
import { branchState } from './record/branch-state.ts';
import { typed } from '../../core/text/typed.ts';

/** @param repo where the repository lies now, when it was moved */
export async function promoteSession(
  around: Surroundings,
  dir: string,
  to: PromoteTo,
  repo: string | null,
): Promise<Result<PromotedReport>> {
  const found = await findToRead(dir);
  if (!found.ok) return found;
  const origin = await readOrigin(found.value.dir).catch(messageOf);
  if (origin === null || typeof origin === 'string') return noOrigin(dir, origin);
  const done = await withSession(
    found.value.dir,
    async (session) => {
      try {
        return await mark({ around, dir, session, origin, repo: repo ?? origin.at }, to);
      } catch (error) {
        if (error instanceof SourceProblem)
          return failed(2, error.message, typed`a7-rt promote ${dir} --repo DIR names where it lies now`);
        throw error;
      }
    },
    around.env,
  );
  return done.ok ? done.value : done;
}

function noOrigin(dir: string, problem: string | null): Failed {
  return problem === null
    ? failed(
        2,
        `Cannot promote session "${dir}": it did not begin as a repository`,
        `git -C DIR fetch ${dir}/content main takes its branch into any repository`,
      )
    : failed(
        2,
        `Cannot promote session "${dir}": .a7/from.json cannot be read: ${problem}`,
        'Put .a7/from.json back from a backup',
      );
}

interface Asked {
  readonly around: Surroundings;
  readonly dir: string;
  readonly session: Session;
  readonly origin: Origin;
  readonly repo: string;
}

async function mark(
  { around, dir, session, origin, repo }: Asked,
  to: PromoteTo,
): Promise<Result<PromotedReport>> {
  const head = await session.content.head();
  const problem = await unfinished(session, dir, head);
  if (problem !== null) return problem;
  if (head === null || head === origin.root)
    return failed(3, `Cannot promote session "${dir}": nothing was built yet`, typed`a7-rt run ${dir}`);
  const { store } = sessionPaths(session.dir);
  const base = origin.commit;
  const repository = (): Promise<FoundRepository> =>
    findSource(repo, join(homeFolder(around.env), 'sources'), around.env, {
      verb: 'promote to',
      flag: '--repo',
    });
  const kept = await session.trees.readRef('refs/a7/from/base');
  const baseTree = kept ?? (await session.trees.importCommit((await repository()).gitDir, base));
  const content = join(session.contentDir, '.git');
  const onto = { content, store, trees: session.trees, root: origin.root, head, base, baseTree };
  const made = await commitsOntoBase(onto);
  if (made.status === 'refused') {
    const { commit, refusal } = made;
    return failed(
      3,
      `Cannot promote session "${dir}": commit ${commit.slice(0, 12)} cannot be laid over the repository: "${refusal.path}" ${refusal.rule}`,
      `git -C ${dir}/content show ${commit.slice(0, 12)}`,
    );
  }
  const name = session.dir.split('/').at(-1) ?? 'session';
  const done = await markCommit(
    {
      around,
      what: `session ${dir}`,
      command: typed`a7-rt promote ${dir}`,
      anew: typed`a7-rt init NEW-FOLDER --from ${origin.at}`,
      branch: `a7-${name.replaceAll(/[^\w.-]+/gu, '-')}`,
      store,
      repository,
      base,
      commits: made.commits,
      patch: () => session.trees.patch(baseTree, made.tree),
    },
    to,
  );
  if (done !== null) return done;
  const isThere = to.kind === 'branch' || to.kind === 'tag';
  return {
    ok: true,
    value: {
      kind: to.kind,
      name: isThere ? to.name : resolve(to.name),
      at: isThere ? repo : null,
      base,
      commit: made.commits.at(-1) ?? base,
      commits: made.commits.length,
      branch: origin.branch,
    },
  };
}

/** Null: every stage is sealed, and the branch is what the last seal judged. */
async function unfinished(session: Session, dir: string, head: string | null): Promise<Failed | null> {
  const { state } = await session.doc();
  const open = state.stageOrder.filter((id) => state.stages[id]?.status !== 'sealed');
  if (state.stageOrder.length === 0 || open.length > 0) {
    const stages = open.length === 0 ? 'nothing is seeded' : `stage ${open.join(', ')} is not sealed`;
    return failed(
      3,
      `Cannot promote session "${dir}": ${stages}, so its suites and the repository's own tests have not judged the whole`,
      typed`a7-rt run ${dir}`,
    );
  }
  const changed = await branchState(session, dir);
  if (changed !== null)
    return failed(2, `Cannot promote session "${dir}": ${changed.message}`, changed.nextStep);
  const read = await session.ledger.read();
  const seals = read.kind === 'read' ? read.lines.filter(({ type }) => type === 'sealed') : [];
  const last = seals.at(-1);
  const event = last === undefined ? null : eventOf(last);
  if (event?.type !== 'sealed' || event.data.head === head) return null;
  return failed(
    3,
    `Cannot promote session "${dir}": content/ was committed to after the last seal, which judged ${event.data.head?.slice(0, 12) ?? 'nothing'}`,
    typed`a7-rt stage-reset ${dir} ${event.data.stage}; then a7-rt run ${dir}`,
  );
}
