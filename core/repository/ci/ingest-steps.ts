/** A step of a CI workflow that runs commands: which of them the plan takes over, and why not. */
import type { PlanSource } from '../../../schemas/gate-limits.ts';
import type { RepositoryStep } from '../../../schemas/repository-steps.ts';
import { type KnownTest, knownTest } from '../known-tests.ts';
import { limitsOf } from '../resolve-commands.ts';
import type { IngestedStep } from './actions.ts';

/** Where and with what a script runs. */
export interface Surroundings {
  readonly source: PlanSource;
  /** Below the checkout; null: the checkout itself. */
  readonly folder: string | null;
  readonly variables: Readonly<Record<string, string>>;
  readonly shell: string;
  /** What a script of `package.json` stands for; null where there is none of that name. */
  readonly script: (name: string) => KnownTest | null;
}

/** Words that fetch packages: the clean room has no network, and what they bring must be pinned. */
const INSTALLS =
  /^(?:sudo\s+)?(?:(?:python3?|uv)\s+(?:-m\s+)?)?(?:(?:pip3?|pipx|pipenv|pdm|conda|mamba|brew|gem|bundle|choco|apk|dnf|yum)\s+(?:install|sync|add|update|upgrade|-r)|poetry\s+(?:install|config|lock|self)|uv\s+(?:sync|venv|tool install|python install|lock)|sync\b|venv\b|npm\s+(?:ci|i|install|rebuild)\b|yarn(?:\s+(?:install|--\S+))*\s*$|pnpm\s+(?:i|install)\b|bun\s+(?:i|install)\b|corepack\b|apt(?:-get)?\s+(?:-\S+\s+)*(?:update|install|upgrade)|go\s+(?:mod\s+(?:download|vendor|tidy)|get|install)\b|cargo\s+(?:install|fetch|binstall)\b|rustup\b|npx\s+playwright\s+install|composer\s+install)/u;
const FETCHES = /^(?:sudo\s+)?(?:curl|wget|git\s+clone|docker\s+pull)\b/u;
/** What only tells: no check is lost with it. */
const TELLS =
  /^(?:echo|printf|pwd|ls|env|printenv|uname|date|whoami|df|free|cat|which|true|:|git\s+(?:config|log|status|rev-parse|fetch)|(?:python3?|node|npm|yarn|pnpm|go|rustc|cargo|pip3?|uv|poetry|java|ruby|gcc|cmake|make|docker)\s+(?:-\w+\s+\w+\s+)?(?:--?version|-[vV]{1,2}|version|env|list|freeze|config\s+set\s+\S+\s+\S+))(?:\s|$)/u;
const IN_THE_IMAGE =
  /^(?:python3?\s+-m\s+)?pip3?\s+install\s+(?:-U\s+|--upgrade\s+)?(?:pip|pytest|wheel|setuptools|build)(?:\s+(?:pip|pytest|wheel|setuptools|build))*$/u;
const PASSES_ON = /\$\{?GITHUB_(?:ENV|OUTPUT|PATH)\b/u;
const STEP_SUMMARY = /\$\{?GITHUB_STEP_SUMMARY\b/u;
const ENGINES = /^(?:sudo\s+)?(?:docker|docker-compose|podman|kubectl|helm|terraform|minikube|kind)\b/u;

/** One part for each line of a plain script; a script with a flow of its own is one command. */
export function readRun(script: string, name: string, around: Surroundings): IngestedStep[] {
  if (/^(?:pwsh|powershell|cmd)\b/u.test(around.shell))
    return [refused(name, `its shell "${around.shell}" is not in the clean room`)];
  if (/^python/u.test(around.shell))
    return [kept(name, 'as a check, by its exit code', ['python3', '-c', script], around)];
  const lines = script
    .replaceAll(/\\\r?\n\s*/gu, ' ')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  if (lines.length === 0) return [{ outcome: 'DROPPED', what: name, why: 'it is empty', steps: [] }];
  const isPlain = lines.every(
    (line) =>
      !/^(?:if|for|while|until|case|function|cd|pushd|export|set|source|\.|shopt|trap|exit|return|[A-Za-z_]\w*=\S*$|\w+\s*\(\))(?:\s|$)|\\$|<<|[{}]$|^\[\[? |^(?:then|else|fi|do|done|esac)\b/u.test(
        line,
      ),
  );
  // `pip install x && pytest` are two commands, of which each is accounted for.
  const split = (line: string): string[] => {
    const parts = line.split(/\s+&&\s+/u);
    return parts.some((part) => INSTALLS.test(part)) ? parts : [line];
  };
  return isPlain
    ? lines.flatMap(split).map((line) => readCommand(line, around))
    : [readScript(lines, script.trim(), name, around)];
}

/** A flow of its own: what any of its lines cannot have, the whole cannot. */
function readScript(
  lines: readonly string[],
  script: string,
  name: string,
  around: Surroundings,
): IngestedStep {
  const commands = lines.map((line) => line.replace(/^(?:if|then|else|do|while|until)\s+(?:!\s*)?/u, ''));
  const fetching = commands.find((line) => FETCHES.test(line) || ENGINES.test(line));
  if (fetching !== undefined)
    return refused(
      name,
      `"${shortened(fetching)}" needs a network or an engine, which the clean room does not have`,
    );
  if (commands.some((line) => INSTALLS.test(line)) && !commands.some((line) => isTestLike(line)))
    return replaced(name);
  if (commands.some((line) => INSTALLS.test(line)))
    return refused(
      name,
      'it fetches packages and tests in one script; pin the packages (a7-rt gate init) and write the command under tests',
    );
  const [only] = commands.filter((line) => !/^(?:cd|set|export)\b/u.test(line) && !TELLS.test(line));
  if (only === undefined) return { outcome: 'DROPPED', what: name, why: 'it only tells', steps: [] };
  if (PASSES_ON.test(script)) return refused(name, 'it hands values on to later steps');
  return kept(name, 'as a check, by its exit code', shellOf(script, around), around);
}

function isTestLike(line: string): boolean {
  return /\b(?:test|tests|pytest|check|lint|verify|tox|nox|mypy|ruff|flake8|clippy|vet)\b/u.test(line);
}

function readCommand(command: string, around: Surroundings): IngestedStep {
  const test = knownTest(command) ?? scriptTest(command, around);
  if (test !== null && around.folder === null)
    return {
      outcome: 'KEPT',
      what: command,
      why: 'its tests are counted',
      steps: [testStep(command, withVariables(test, around), around)],
    };
  if (test !== null && test.argv.length > 0)
    return {
      outcome: 'KEPT',
      what: command,
      why: `its tests are counted, in "${around.folder ?? ''}"`,
      steps: [testStep(command, { ...test, argv: inFolder(test.argv, around) }, around)],
    };
  if (test !== null && test.count.by === 'reporter') {
    const paths = (test.count.paths.length === 0 ? ['.'] : test.count.paths).map((path) =>
      `${around.folder ?? '.'}/${path}`.replace(/\/\.$/u, ''),
    );
    return {
      outcome: 'KEPT',
      what: command,
      why: `its tests are counted, in "${around.folder ?? ''}"`,
      steps: [testStep(command, { argv: [], count: { ...test.count, paths } }, around)],
    };
  }
  if (IN_THE_IMAGE.test(command))
    return { outcome: 'REPLACED', what: command, why: 'the image has it', steps: [] };
  if (INSTALLS.test(command)) return replaced(command);
  if (FETCHES.test(command))
    return refused(command, 'it needs a network, which the clean room does not have');
  if (ENGINES.test(command))
    return refused(command, 'it needs an engine or a cluster, which the clean room does not have');
  if (PASSES_ON.test(command)) return refused(command, 'it hands values on to later steps');
  if (TELLS.test(command) || STEP_SUMMARY.test(command))
    return { outcome: 'DROPPED', what: command, why: 'it only tells', steps: [] };
  if (/^(?:npm|yarn|pnpm)\s+(?:run\s+)?test\b/u.test(command) || /^(?:npm|pnpm)\s+t$/u.test(command))
    return refused(command, 'nothing shows that its tests ran; say runner or proof for it');
  if (/^(?:tox|nox|hatch\s+(?:run|test))\b/u.test(command))
    return refused(command, 'it makes environments of its own; a7-rt gate init reads its settings');
  return kept(command, 'as a check, by its exit code', shellOf(command, around), around);
}

/** `npm test`, `npm run unit`: what the script of `package.json` stands for. */
function scriptTest(command: string, around: Surroundings): KnownTest | null {
  const name =
    /^(?:npm|yarn|pnpm)\s+(?:run(?:-script)?\s+)?(test(?::[\w-]+)?|t|unit|tests?-only|[\w:-]*test[\w:-]*)$/u.exec(
      command,
    )?.[1];
  return name === undefined ? null : around.script(name === 't' ? 'test' : name);
}

/** Our own runners know the plan's variables alone: others stand before the command. */
function withVariables(test: KnownTest, around: Surroundings): KnownTest {
  return test.argv.length === 0 ? test : { ...test, argv: inFolder(test.argv, around) };
}

function inFolder(argv: readonly string[], { folder, variables }: Surroundings): string[] {
  const given = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  if (folder === null) return given.length === 0 ? [...argv] : ['env', ...given, ...argv];
  return ['env', '-C', folder, ...given, ...argv];
}

function shellOf(script: string, around: Surroundings): string[] {
  const argv = /^bash/u.test(around.shell)
    ? ['bash', '--noprofile', '--norc', '-eo', 'pipefail', '-c', withPython3(script)]
    : ['sh', '-ec', withPython3(script)];
  return inFolder(argv, around);
}

/** The CI service links `python` to what it sets up; the clean room has `python3` only. */
function withPython3(command: string): string {
  return command.replaceAll(/(^|[;&|(]\s*|\n\s*)python(?=\s)/g, '$1python3');
}

function testStep(
  name: string,
  { argv, count }: KnownTest,
  { source, variables }: Pick<Surroundings, 'source' | 'variables'>,
): RepositoryStep {
  return {
    kind: 'test_command',
    level: 'L1',
    source,
    name: name.slice(0, 60),
    argv: [...argv],
    count,
    // A command of words has them before it; our own runners are started by us.
    ...(argv.length > 0 || Object.keys(variables).length === 0 ? {} : { variables: { ...variables } }),
    minTests: 1,
    maxSkipped: 0,
    exitCode: 0,
    limits: limitsOf(null)(undefined),
  };
}

function kept(what: string, why: string, argv: readonly string[], around: Surroundings): IngestedStep {
  return {
    outcome: 'KEPT',
    what,
    why,
    steps: [testStep(what, { argv, count: { by: 'none' } }, around)],
  };
}

/** What it fetches must be pinned: the plan says that once, as a part that refuses it until it is. */
function replaced(what: string): IngestedStep {
  return { outcome: 'REPLACED', what, why: UNPINNED, steps: [] };
}

/** The reason of every step that fetches packages; the plan is refused for it. */
export const UNPINNED = 'by packages of the plan: they must be pinned (a7-rt gate init)';

function refused(what: string, why: string): IngestedStep {
  return { outcome: 'REFUSED', what: shortened(what), why, steps: [] };
}

function shortened(text: string): string {
  const line = text.replaceAll(/\s+/gu, ' ');
  return line.length > 120 ? `${line.slice(0, 119)}…` : line;
}
