/** L0: words that no command may hold: in the plan's own commands, package scripts, Makefiles and shell scripts. */
import type { GatePlan } from '../../schemas/gate-plan.ts';
import type { RepositoryFinding } from '../../schemas/repository-report.ts';
import type { RepositoryStepOf } from '../../schemas/repository-steps.ts';
import type { JudgedFile } from './judged-file.ts';
import { repositoryFinding } from './finding.ts';
import { commandText } from './resolve-commands.ts';

/** Larger scripts are looked at up to here. */
const SCRIPT_CHARS_MAX = 1_000_000;

interface Line {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

/** Every line that holds a disallowed command as a word of its own. */
export function disallowedCommands(
  step: RepositoryStepOf<'disallowed_commands'>,
  plan: GatePlan,
  files: readonly JudgedFile[],
): RepositoryFinding[] {
  const lines = [...planLines(plan), ...files.flatMap(scriptLines)];
  return lines.flatMap(({ file, line, text }) => {
    const found = step.commands.find((command) => holdsCommand(text, command));
    if (found === undefined) return [];
    const message = `"${found}" is disallowed (${step.source.detail}), but ${file} runs it`;
    return [
      repositoryFinding('command_disallowed', 'L0', message, {
        place: { file, line },
        excerpt: text.trim().slice(0, 200),
      }),
    ];
  });
}

/** The command stands between characters that end words: `curl` is in `x|curl -s`, not in `curly` or `lib/curl.c`. */
export function holdsCommand(text: string, command: string): boolean {
  const wanted = command.trim().replace(/\s+/g, ' ');
  const line = text.replace(/\s+/g, ' ');
  if (wanted === '') return false;
  for (let at = line.indexOf(wanted); at >= 0; at = line.indexOf(wanted, at + 1)) {
    const before = line[at - 1];
    const after = line[at + wanted.length];
    // A path to the program is the program: /usr/bin/curl.
    const isStart = before === undefined || /[\s;&|(`"'$={}@!/]/.test(before);
    const isEnd = after === undefined || /[\s;&|)`"'<>}\\]/.test(after);
    if (isStart && isEnd) return true;
  }
  return false;
}

function planLines(plan: GatePlan): Line[] {
  return plan.steps.flatMap((step) => {
    if (!('argv' in step)) return [];
    const before = step.kind === 'test_command' ? (step.before ?? []) : [];
    const [file = 'the plan', line = '0'] = step.source.detail.split(/:(\d+)$/);
    return [...before, step.argv]
      .filter((argv) => argv.length > 0)
      .map((argv) => ({ file, line: Number(line), text: commandText(argv) }));
  });
}

function scriptLines(file: JudgedFile): Line[] {
  const name = file.path.slice(file.path.lastIndexOf('/') + 1);
  if (name === 'package.json') return packageScripts(file);
  const isScript =
    /\.(sh|bash|zsh|ksh|mk)$/.test(name) || /^(GNU)?[Mm]akefile$|^[jJ]ustfile$/.test(name) || isShell(file);
  if (!isScript) return [];
  return textOf(file)
    .split('\n')
    .flatMap((text, index) => (/^\s*#/.test(text) ? [] : [{ file: file.path, line: index + 1, text }]));
}

/** A file that begins with `#!` and a shell. */
function isShell(file: JudgedFile): boolean {
  const head = new TextDecoder().decode(file.bytes.subarray(0, 100)).split('\n', 1)[0] ?? '';
  return /^#!.*\b(sh|bash|zsh|dash|ksh)\b/.test(head);
}

/** The lines of `scripts`: other fields name packages, which is no running. */
function packageScripts(file: JudgedFile): Line[] {
  const text = textOf(file);
  let scripts: unknown;
  try {
    scripts = (JSON.parse(text) as { scripts?: unknown } | null)?.scripts;
  } catch {
    return [];
  }
  if (typeof scripts !== 'object' || scripts === null) return [];
  const lines = text.split('\n');
  return Object.entries(scripts).flatMap(([name, script]): Line[] => {
    if (typeof script !== 'string') return [];
    const line = lines.findIndex((each) => each.includes(`"${name}"`) && each.includes(':')) + 1;
    return [{ file: file.path, line, text: script }];
  });
}

function textOf(file: JudgedFile): string {
  return new TextDecoder().decode(file.bytes).slice(0, SCRIPT_CHARS_MAX);
}
