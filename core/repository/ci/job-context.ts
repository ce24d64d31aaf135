/** What is known while a job is read: as for a pull request of a fork, and on which system it runs. */
import { type CiContext, conditionHolds, expandedText, plainText } from './expressions.ts';
import { fieldsOf, type Reading } from './ingested.ts';
import type { Workflow } from './workflow.ts';

/** A branch that no condition names: what is judged is a change on its way. */
const CHANGE = 'a7-change';
/** A repository that is not this one. */
const FORK = 'a7-fork/repository';

/** Of the job itself, before its matrix and variables. */
export function baseContext(reading: Reading): CiContext {
  const context = withoutNeeds(reading);
  const { jobs } = fieldsOf(reading.workflow.value) as { readonly jobs?: unknown };
  // Where a job failed there is no verdict to give: those that ran were green.
  const results = Object.entries(fieldsOf(jobs)).map(([name, job]) => {
    const decided = conditionHolds(fieldsOf(job)['if'] ?? true, reading.workflow.evaluate, context);
    return [name, { result: decided.isKnown && !decided.holds ? 'skipped' : 'success' }] as const;
  });
  return { ...context, needs: Object.fromEntries(results) };
}

function withoutNeeds({ event, inputs, workflow }: Reading): CiContext {
  const isPull = event.startsWith('pull_request');
  const repository = repositoryNamed(workflow.value);
  return {
    github: {
      ...(repository === null ? {} : { repository, repository_owner: repository.replace(/\/.*$/u, '') }),
      event: eventOf(isPull),
      event_name: event,
      ref: `refs/heads/${CHANGE}`,
      ref_name: CHANGE,
      ref_type: 'branch',
      head_ref: CHANGE,
      workspace: '/work',
      server_url: '',
      actor: '',
      triggering_actor: '',
    },
    runner: { os: 'Linux', arch: 'X64', temp: '/tmp' },
    matrix: {},
    strategy: {},
    env: {},
    secrets: {},
    vars: {},
    inputs,
  };
}

/** What a change brings with it: no labels, no words that leave CI out. */
function eventOf(isPull: boolean): CiContext {
  const repo = isPull
    ? { full_name: FORK, fork: true, owner: { login: 'a7-fork' } }
    : { full_name: '', fork: false };
  return {
    action: isPull ? 'synchronize' : '',
    head_commit: { message: '' },
    inputs: {},
    pull_request: {
      draft: false,
      merged: false,
      title: '',
      body: '',
      labels: [],
      user: { login: '', type: 'User' },
      head: { ref: isPull ? CHANGE : '', label: '', repo },
    },
    repository: { fork: false },
  };
}

/** A workflow that asks for a repository asks whether it runs in its own, and not in a copy; null where it names several. */
function repositoryNamed(workflow: unknown): string | null {
  const text = JSON.stringify(workflow);
  const compared = [
    ...text.matchAll(/\bgithub\.(repository(?:_owner)?)\s*[!=]=\s*'([^']+)'/gu),
    ...[...text.matchAll(/'([^']+)'\s*[!=]=\s*github\.(repository(?:_owner)?)\b/gu)].map(
      ([all, name = '', of = '']) => [all, of, name] as const,
    ),
  ];
  const wholes = new Set(
    compared.flatMap(([, of, name = '']) => (of === 'repository' ? [name.toLowerCase()] : [])),
  );
  const owners = new Set(
    compared.flatMap(([, of, name = '']) => (of === 'repository' ? [] : [name.toLowerCase()])),
  );
  if (wholes.size > 1 || owners.size > 1) return null;
  const [owner = 'a7'] = owners;
  const [whole = `${owner}/repository`] = wholes;
  return whole;
}

/** What a job runs on; empty where only the CI service knows. */
export function labelOf(runsOn: unknown, { evaluate }: Workflow, context: CiContext): string {
  const labels = Array.isArray(runsOn)
    ? (runsOn as unknown[])
    : [fieldsOf(runsOn)['labels'] ?? fieldsOf(runsOn)['group'] ?? runsOn];
  return labels
    .flatMap((label) => {
      const decided = expandedText(plainText(label), evaluate, context);
      return decided.isKnown ? [String(decided.value)] : [];
    })
    .join(' ');
}

/** Windows or macOS; null for Linux, and what nobody knows. */
export function foreignSystem(label: string): string | null {
  return /(?:^|\s)(windows|macos)/iu.exec(label)?.[1] ?? null;
}
