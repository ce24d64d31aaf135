/** A step of a CI workflow that runs commands: which of them the plan takes over, and why not. */
import { type KnownTest, knownTest } from '../known-tests.ts';
import type { IngestedStep } from './actions.ts';
import { cargoLacks } from './cargo-command.ts';
import { type CommandKind, commandKind, isFlow, withoutStarters } from './command-kind.ts';
import { ofCheckout } from './frame.ts';
import { constantOf, HANDED_ON, OF_PROGRAMS } from './handed-on.ts';
import { kept, refused, replaced, shortened, testStep } from './ingested-step.ts';
import { inFolder, shellOf, type Surroundings } from './room-shell.ts';
import { heldCommands, plainCommands, type ShellCommand } from './shell-commands.ts';

const IN_THE_IMAGE =
  /^(?:python3?\s+-m\s+)?pip3?\s+install\s+(?:-U\s+|--upgrade\s+)?(?:pip|pytest|wheel|setuptools|build)(?:\s+(?:pip|pytest|wheel|setuptools|build))*$/u;
/** Variables and programs of later steps: who uses them does not say so. */
const PASSES_ON = /\$\{?GITHUB_(?:ENV|PATH)\b/u;
/** What fails inside is not heard: `echo` ends with 0. */
const ONLY_HANDS_ON = /^(?:echo|printf)\s[\s\S]*>>\s*["']?\$\{?GITHUB_(?:OUTPUT|STATE)\}?["']?$/u;
/** What a command prints goes on a page besides: without that it is the same check. */
const PRINTED_TOO =
  /\s*(?:\d?&?>{1,2}\s*["']?\$\{?GITHUB_STEP_SUMMARY\}?["']?|(?:2>&1\s*)?\|\s*tee\s+(?:-a\s+)?[^\s;&|]+|2>&1(?=\s*$))/gu;
const SHELLS = /^(?:$|bash\b|sh\b|\/(?:usr\/)?bin\/(?:ba)?sh\b)/u;

/** One part for each command of a plain script; a script with a flow of its own is one command. */
export function readRun(script: string, name: string, around: Surroundings): IngestedStep[] {
  if (/^python/u.test(around.shell))
    return [kept(name, 'as a check, by its exit code', ['python3', '-c', script], around)];
  if (!SHELLS.test(around.shell))
    return [refused(name, `its shell "${around.shell}" is not in the clean room`, heldCommands(script))];
  const commands = plainCommands(script);
  if (commands === null) return [readScript(script.trim(), name, around)];
  if (commands.length === 0) return [{ outcome: 'DROPPED', what: name, why: 'it is empty', steps: [] }];
  let here = around;
  const results: IngestedStep[] = [];
  for (const command of commands) {
    const next = moved(command.text, here);
    // A folder or a variable that only the shell knows: the rest is one script.
    if (next === null) return [readScript(script.trim(), name, around)];
    if (next === here) results.push(...readCommand(command, here));
    here = next;
  }
  return results.length === 0
    ? [{ outcome: 'DROPPED', what: name, why: 'it only sets up a shell', steps: [] }]
    : results;
}

/** `cd`, `export` and `set` change what comes after them; null where only a shell can tell how. */
function moved(command: string, around: Surroundings): Surroundings | null {
  if (/^set\s+[-+][a-z]*(?:\s+(?:-o\s+)?pipefail|\s+[-+]\w+)*$/u.test(command)) return { ...around };
  const [, folder] = /^cd\s+(?:\.\/)?["']?([\w][\w./-]*|\.|\.\.)["']?$/u.exec(command) ?? [];
  if (folder !== undefined) return inside(folder, around);
  const [, name, value] =
    /^(?:export\s+)?([A-Za-z_]\w*)=(?:"([^"$`\\]*)"|'[^']*'|[^\s"'$`\\]*)$/u.exec(command) ?? [];
  if (name === undefined)
    return /^(?:cd|export|set|[A-Za-z_]\w*=\S*$)(?:\s|$)/u.test(command) ? null : around;
  const text = value ?? command.slice(command.indexOf('=') + 1).replace(/^'|'$/gu, '');
  return { ...around, variables: { ...around.variables, [name]: text } };
}

function inside(folder: string, around: Surroundings): Surroundings | null {
  const parts = [...(around.folder?.split('/') ?? []), ...folder.split('/')].filter((part) => part !== '.');
  const path: string[] = [];
  for (const part of parts) {
    if (part !== '..') path.push(part);
    else if (path.pop() === undefined) return null;
  }
  return { ...around, folder: ofCheckout(path.join('/'), around.checkout ?? null) };
}

/** A flow of its own: what any of its commands cannot have, the whole cannot. */
function readScript(script: string, name: string, around: Surroundings): IngestedStep {
  const held = heldCommands(script);
  const kinds = held.map((command) => (isFlow(command) ? 'tells' : commandKind(command)));
  const first = (kind: CommandKind): string | undefined => held[kinds.indexOf(kind)];
  const fetching = first('fetches') ?? first('engine');
  if (fetching !== undefined) return refused(name, `"${shortened(fetching)}" ${NEEDS_NETWORK}`, held);
  if (kinds.includes('asks_git')) return refused(name, ASKS_GIT, held);
  const lacking = held.map((command) => cargoLacks(withoutStarters(command))).find((why) => why !== null);
  if (lacking !== undefined) return refused(name, lacking, held);
  if (PASSES_ON.test(script)) return refused(name, 'it hands values on to later steps', held);
  if (kinds.includes('installs')) {
    return kinds.includes('other')
      ? refused(
          name,
          'it fetches packages and does more in one script; pin the packages (a7-rt gate init) and write the command under tests',
          held,
        )
      : replaced(name);
  }
  const ends = held.filter((command) => FAILS.test(command));
  if (ends.length > 0 && ends.length === held.length) return refused(name, 'it fails wherever it runs', []);
  // What may end with a failure of its own judges, whatever else it only tells.
  if (ends.length === 0 && kinds.every((kind) => kind === 'tells'))
    return { outcome: 'DROPPED', what: `${name} (${held.join('; ')})`, why: 'it only tells', steps: [] };
  return kept(name, 'as a check, by its exit code', shellOf(script, around), around);
}

const NEEDS_NETWORK = 'needs a network or an engine, which the clean room does not have';
const ASKS_GIT = "it asks for the repository's history or index, which the clean room does not have";

function readCommand({ text, parts, isLenient }: ShellCommand, around: Surroundings): IngestedStep[] {
  if (isLenient)
    return [
      {
        outcome: 'DROPPED',
        what: text,
        why: 'CI goes on where it fails (|| true): it judges nothing',
        steps: [],
      },
    ];
  const kinds = parts.map((part) => commandKind(part));
  const command = text.replaceAll(PRINTED_TOO, '').replace(/^sudo\s+(?:-\w+\s+)*/u, '');
  if (parts.length === 1 || command !== text) {
    const test = asTest(command, around);
    if (test !== null) return [test];
  }
  if (IN_THE_IMAGE.test(command))
    return [{ outcome: 'REPLACED', what: text, why: 'the image has it', steps: [] }];
  if (constantOf(text) !== null) return [{ outcome: 'REPLACED', what: text, why: HANDED_ON, steps: [] }];
  if (OF_PROGRAMS.test(text))
    return [
      { outcome: 'REPLACED', what: text, why: 'programs of packages are found in the room', steps: [] },
    ];
  if (PASSES_ON.test(text)) return [refused(text, 'it hands values on to later steps', [])];
  if (ONLY_HANDS_ON.test(text) && parts.length === 1)
    return [
      {
        outcome: 'DROPPED',
        what: text,
        why: 'it only hands on a value; each use is told by itself',
        steps: [],
      },
    ];
  if (kinds.includes('fetches') || kinds.includes('engine')) return [refused(text, NEEDS_NETWORK, [])];
  const isNone = kinds.every((kind) => kind === 'installs' || kind === 'tells');
  const lacking = cargoLacks(withoutStarters(command));
  if (lacking !== null) return [refused(text, lacking, [])];
  if (isNone && kinds.includes('installs')) return [replaced(text)];
  if (isNone) return [{ outcome: 'DROPPED', what: text, why: 'it only tells', steps: [] }];
  if (kinds.includes('asks_git')) return [refused(text, ASKS_GIT, [])];
  const bare = withoutStarters(command);
  if (/^(?:npm|yarn|pnpm)\s+(?:run\s+)?test\b/u.test(bare) || /^(?:npm|pnpm)\s+t$/u.test(bare))
    return [refused(text, 'nothing shows that its tests ran; say runner or proof for it', [])];
  if (MAKES_ENVIRONMENTS.test(bare))
    return [refused(text, 'it makes environments of its own; a7-rt gate init reads its settings', [])];
  if (RUNS_SCRIPT.test(bare))
    return [refused(text, 'it starts a script of pyproject.toml; write its command under tests', [])];
  if (/^(?:pre-commit|prek)\b/u.test(bare))
    return [refused(text, 'its hooks are fetched; write the checks with their own commands', [])];
  if (FAILS.test(bare)) return [refused(text, 'it fails wherever it runs', [])];
  return [kept(text, 'as a check, by its exit code', shellOf(command, around), around)];
}

/** Ends a script red by itself. */
const FAILS = /^(?:exit\s+(?!0\b)\S+|false)$/u;
const MAKES_ENVIRONMENTS =
  /^(?:(?:python3?\s+-m\s+|uvx?\s+(?:(?:tool\s+)?run\s+)?(?:--\S+\s+(?:\S+\s+)?)*|pipx\s+run\s+)?(?:tox|nox)|hatch\s+(?:run|test|fmt|env)|pdm\s+test|rye\s+test)\b/u;
/** `pdm run lint`: a name that stands in pyproject.toml, with a program that the room does not have. */
const RUNS_SCRIPT = /^(?:pdm|rye|poe|poetry\s+poe)\s+(?:run\s+)?[\w:-]+$/u;

/** A test command that can be counted; words before it that set variables are the room's. */
function asTest(command: string, around: Surroundings): IngestedStep | null {
  const [, set = '', rest = command] =
    /^((?:(?:env\s+)?[A-Za-z_]\w*=[^\s"'$`]*\s+)+)(.*)$/u.exec(command) ?? [];
  const own = [...set.matchAll(/([A-Za-z_]\w*)=(\S*)/gu)].map(([, name = '', value = '']) => [name, value]);
  const here = {
    ...around,
    variables: { ...around.variables, ...(Object.fromEntries(own) as Record<string, string>) },
  };
  const test = knownTest(rest) ?? scriptTest(rest, here);
  if (test === null) return null;
  const { folder } = here;
  const step = (why: string, found: KnownTest): IngestedStep => ({
    outcome: 'KEPT',
    what: command,
    why,
    steps: [testStep(command, found, here)],
  });
  if (folder === null) return step('its tests are counted', withVariables(test, here));
  const why = `its tests are counted, in "${folder}"`;
  if (test.argv.length > 0) return step(why, { ...test, argv: inFolder(test.argv, here) });
  if (test.count.by !== 'reporter') return null;
  const paths = (test.count.paths.length === 0 ? ['.'] : test.count.paths).map((path) =>
    `${folder}/${path}`.replace(/\/\.$/u, ''),
  );
  return step(why, { argv: [], count: { ...test.count, paths } });
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
