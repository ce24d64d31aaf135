/** One step of a CI workflow: what of it the plan takes over, and why not. */
import type { PlanSource } from '../../schemas/gate-limits.ts';
import type { RepositoryStep, RuntimeTool } from '../../schemas/repository-steps.ts';
import { type KnownTest, knownTest } from './known-tests.ts';
import { limitsOf } from './resolve-commands.ts';

export interface IngestedStep {
  readonly outcome: 'KEPT' | 'REPLACED' | 'DROPPED' | 'REFUSED';
  readonly what: string;
  readonly why: string;
  readonly steps: readonly RepositoryStep[];
}

const RUNTIME_ACTIONS: Readonly<Record<string, readonly [RuntimeTool, string]>> = {
  'actions/setup-python': ['python', 'python-version'],
  'actions/setup-node': ['node', 'node-version'],
  'actions/setup-go': ['go', 'go-version'],
};

/** Actions that judge nothing: caches and reporters. */
const DROPPED_ACTIONS = [
  'actions/cache',
  'actions/upload-artifact',
  'actions/download-artifact',
  'codecov/codecov-action',
  'coverallsapp/github-action',
];

/** A step that uses an action. */
export function readUses(
  uses: string,
  given: Readonly<Record<string, unknown>>,
  source: PlanSource,
): IngestedStep {
  const [action = ''] = uses.split('@');
  if (action === 'actions/checkout')
    return { outcome: 'REPLACED', what: uses, why: 'by the snapshot', steps: [] };
  if (DROPPED_ACTIONS.includes(action))
    return { outcome: 'DROPPED', what: uses, why: 'it judges nothing', steps: [] };
  if (action === 'dtolnay/rust-toolchain') return rustToolchain(uses, source);
  const runtime = RUNTIME_ACTIONS[action];
  if (runtime === undefined)
    return {
      outcome: 'REFUSED',
      what: uses === '' ? 'step' : uses,
      why: 'this action is not known',
      steps: [],
    };
  const [tool, field] = runtime;
  const version = versionOf(given[field]);
  if (version === undefined)
    return { outcome: 'REFUSED', what: uses, why: `${field} must be a plain version like 3.11`, steps: [] };
  return runtimeStep(uses, tool, version, source);
}

/** The version is the action's own: `@stable`, `@1.63`. */
function rustToolchain(uses: string, source: PlanSource): IngestedStep {
  const wanted = uses.split('@')[1] ?? '';
  const version = wanted === 'stable' ? null : versionOf(wanted);
  if (version === undefined) return refused(uses, 'only "stable" or a plain version like 1.63 is understood');
  return runtimeStep(uses, 'rust', version, source);
}

function runtimeStep(
  uses: string,
  tool: RuntimeTool,
  version: string | null,
  source: PlanSource,
): IngestedStep {
  const step: RepositoryStep = { kind: 'runtime', level: 'L1', source, tool, version };
  return {
    outcome: 'REPLACED',
    what: uses,
    why: `by a look for ${tool} ${version ?? ''}`.trimEnd(),
    steps: [step],
  };
}

/** Null: any version; undefined: none that we understand. `20.x` is `20`. */
function versionOf(value: unknown): string | null | undefined {
  if (value === undefined) return null;
  const text =
    typeof value === 'number' || typeof value === 'string' ? String(value).replace(/(\.[x*])+$/, '') : '';
  return /^\d+(\.\d+){0,2}$/.test(text) ? text : undefined;
}

/** Words that fetch packages: the clean room has no network, and what they bring must be pinned. */
const INSTALLS =
  /^(python3? -m )?(pip3?|poetry|uv|pipenv|npm|yarn|pnpm|apt-get|apt|sudo|curl|wget|brew|gem|bundle)\b/;

const IN_THE_IMAGE = /^(python3? -m )?pip3? install (-U |--upgrade )?(pip|pytest)( (pip|pytest))*$/;

/** A step that runs commands: one part for each line of a plain script. */
export function readRun(script: string, name: string, source: PlanSource): IngestedStep[] {
  if (script.includes('${{')) return [refused(name, 'it holds an expression of the CI service')];
  const lines = script
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  const isPlain = lines.every(
    (line) => !/^(if|for|while|case|function|cd|export|set)\b|\\$|<<|[{}]$/.test(line),
  );
  // A script with a flow of its own is one command; lines of their own fail one by one.
  const commands = isPlain ? lines : [script.trim()];
  return commands.map((command) => readCommand(command, source));
}

function readCommand(command: string, source: PlanSource): IngestedStep {
  const test = knownTest(command);
  if (test !== null) return kept(command, 'its tests are counted', testStep(command, test, source));
  if (/^(npm|yarn|pnpm) (run )?test\b/.test(command))
    return refused(command, 'nothing shows that its tests ran; say runner or proof for it');
  if (IN_THE_IMAGE.test(command))
    return { outcome: 'REPLACED', what: command, why: 'the image has it', steps: [] };
  if (INSTALLS.test(command))
    return refused(command, 'it fetches packages; pin them under environment.dependencies');
  return kept(
    command,
    'as a check, by its exit code',
    testStep(command, { argv: ['sh', '-ec', withPython3(command)], count: { by: 'none' } }, source),
  );
}

/** The CI service links `python` to what it sets up; the clean room has `python3` only. */
function withPython3(command: string): string {
  return command.replaceAll(/(^|[;&|(]\s*|\n\s*)python(?=\s)/g, '$1python3');
}

function testStep(command: string, { argv, count }: KnownTest, source: PlanSource): RepositoryStep {
  return {
    kind: 'test_command',
    level: 'L1',
    source,
    name: command.slice(0, 60),
    argv: [...argv],
    count,
    minTests: 1,
    maxSkipped: 0,
    exitCode: 0,
    limits: limitsOf(null)(undefined),
  };
}

function kept(what: string, why: string, step: RepositoryStep): IngestedStep {
  return { outcome: 'KEPT', what, why, steps: [step] };
}

function refused(what: string, why: string): IngestedStep {
  return { outcome: 'REFUSED', what, why, steps: [] };
}
