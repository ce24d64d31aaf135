/** `gate check`: the plan's file, globs and commands, and whether this machine can carry it out. Runs nothing of the repository. */
import { checkEnvironment } from '../../../activities/repository/check-environment.ts';
import { documentTools } from '../../../adapters/contracts/document-tools.ts';
import { isolationProblem } from '../../../core/gate/isolation.ts';
import { defaultText } from '../../../core/repository/describe-plan.ts';
import { contractFindings } from '../../../core/repository/contract-checks.ts';
import { programsOf } from '../../../core/repository/judge-runtimes.ts';
import { ownCode } from '../../../core/repository/own-code.ts';
import { planFindings } from '../../../core/repository/verdict.ts';
import type { GateCheckReport } from '../../../core/ports/gate-services.ts';
import type { Check, Result } from '../../../core/ports/services.ts';
import type { GatePlan } from '../../../schemas/gate-plan.ts';
import type { RepositoryFinding } from '../../../schemas/repository-report.ts';
import type { Machine } from '../../machine.ts';
import type { Surroundings } from '../common.ts';
import { openHomeMachine } from '../home-machine.ts';
import { planOf, planText, withRepository } from './plan-of.ts';
import { repositoryParts } from './parts.ts';
import { counted } from '../../../core/text/plural.ts';

/** Every check; the exit code is 2 for the file, 3 for a plan that proves nothing, 4 for this machine. */
export async function gateCheck(
  around: Surroundings,
  repo: string,
  backend: 'docker' | 'bubblewrap' | null,
): Promise<Result<GateCheckReport>> {
  return withRepository(repo, around.env, async (repository) => {
    const listing = await repository.list({ kind: 'work_tree', revision: null });
    const found = await planText(listing);
    const resolved = await planOf(repository.root, found, listing);
    if (!resolved.ok) return resolved;
    const { plan } = resolved.value;
    const file = found === null ? `no verify.yaml: ${defaultText(resolved.value)}` : `${found.file} parses`;
    const written: Check[] = [passed('file', file), ...planChecks(plan), ...schemaChecks(plan)];
    if (written.some((check) => !check.ok)) return value(written, 3);
    const machine = await openHomeMachine(around, backend);
    if ('ok' in machine)
      return value(
        [
          ...written,
          broken('sandbox', machine.problems[0]?.message ?? '', machine.nextStep ?? 'a7-rt doctor'),
        ],
        4,
      );
    try {
      return value([...written, ...(await machineChecks(machine, plan))], 4);
    } finally {
      await machine.sandbox.close();
    }
  });
}

/** Globs, inputs, refusals and proofs: what the plan itself gets wrong. */
function planChecks(plan: GatePlan): Check[] {
  const findings = planFindings(plan);
  const commands = plan.steps.filter((step) => 'argv' in step).length;
  return findings.length === 0
    ? [
        passed(
          'plan',
          `${counted(plan.steps.length, 'part')}, ${counted(commands, 'command')}; it shows that tests run`,
        ),
      ]
    : findings.map((found) => fromFinding('plan', found));
}

/** Schemas that are written out are tried; those in files are read when the repository is judged. */
function schemaChecks(plan: GatePlan): Check[] {
  const steps = plan.steps.filter((step) => step.kind === 'schema_files' && step.schemaText !== null);
  return contractFindings({ ...plan, steps }, [], documentTools)
    .filter((found) => found.code === 'schema_unusable')
    .map((found) => fromFinding('schema', found));
}

async function machineChecks(machine: Machine, plan: GatePlan): Promise<Check[]> {
  const { proof } = machine;
  const weak = isolationProblem(plan.isolation, { backend: proof.backend, level: proof.level });
  const isolation =
    weak === null
      ? passed('isolation', `${proof.backend} proved "${proof.level}"`)
      : broken('isolation', weak, 'a7-rt doctor');
  const rooms = {
    parts: repositoryParts(machine),
    request: {
      subject: { kind: 'work_tree' as const, tree: '', commit: null, planFrom: '' },
      files: [],
      refused: [],
      plan,
      image: machine.image,
      stepKey: `check-${String(process.pid)}-${String(Date.now())}`,
      owner: 'gate-check',
      notes: [],
    },
    image: machine.image,
    files: [],
    setup: [],
    own: ownCode([]),
    links: [],
    hasPackages: false,
    signal: undefined,
    used: { count: 0 },
  };
  const prepared = await checkEnvironment(rooms);
  const missing = prepared.run.findings.map((found) => fromFinding('runtimes', found));
  const runtimes = plan.steps.filter((step) => step.kind === 'runtime').map((step) => step.tool);
  if (missing.length > 0) return [isolation, ...missing];
  const there = passed(
    'runtimes',
    runtimes.length === 0 ? 'none asked for' : `${runtimes.join(', ')} as asked for`,
  );
  const programs = programsOf(plan).join(', ');
  const found = programs === '' ? [] : [passed('programs', `in the image: ${programs}`)];
  return [isolation, there, ...found];
}

function fromFinding(name: string, { text, nextStep }: RepositoryFinding): Check {
  return broken(name, text, nextStep ?? 'edit verify.yaml');
}

function passed(name: string, detail: string): Check {
  return { name, ok: true, detail, nextStep: null };
}

function broken(name: string, detail: string, nextStep: string): Check {
  return { name, ok: false, detail, nextStep };
}

function value(checks: readonly Check[], code: 3 | 4): Result<GateCheckReport> {
  return { ok: true, value: { checks, exitCode: checks.every((check) => check.ok) ? 0 : code } };
}
