/** `completion`: a script for the shell that completes commands and flags. It is made of the commands as they are. */
import type { ExitCode } from '../../core/ports/services.ts';

/** A command with its flags, and the commands below it. */
export interface Completable {
  readonly name: string;
  readonly flags: readonly string[];
  readonly commands: readonly Completable[];
}

export type Shell = 'bash' | 'zsh' | 'fish';

/** Prints the script: `source <(a7-rt completion bash)`. */
export function completion(shell: Shell, program: Completable): ExitCode {
  process.stdout.write(`${{ bash, zsh, fish }[shell](program)}\n`);
  return 0;
}

function rowsOf({ commands }: Completable): readonly (readonly [string, string])[] {
  return commands.flatMap((each) => [
    [each.name, [...each.commands.map(({ name }) => name), ...each.flags].join(' ')] as const,
    ...each.commands.map((below) => [`${each.name} ${below.name}`, below.flags.join(' ')] as const),
  ]);
}

function bash(program: Completable): string {
  const names = program.commands.map(({ name }) => name).join(' ');
  return [
    '_a7_rt() {',
    '  local word="${COMP_WORDS[COMP_CWORD]}" place="${COMP_WORDS[1]}" offered=""',
    `  if [ "$COMP_CWORD" -eq 1 ]; then COMPREPLY=($(compgen -W "${names}" -- "$word")); return; fi`,
    '  if [ "$COMP_CWORD" -gt 2 ]; then case "$place ${COMP_WORDS[2]}" in',
    ...program.commands
      .flatMap((each) => each.commands.map(({ name }) => `${each.name} ${name}`))
      .map((place) => `    "${place}") place="${place}";;`),
    '  esac; fi',
    '  case "$place" in',
    ...rowsOf(program).map(([place, offered]) => `    "${place}") offered="${offered}";;`),
    '  esac',
    '  COMPREPLY=($(compgen -W "$offered" -- "$word") $(compgen -f -- "$word"))',
    '}',
    'complete -o filenames -F _a7_rt a7-rt a7rt',
  ].join('\n');
}

/** zsh runs the script of bash. */
function zsh(program: Completable): string {
  return `autoload -U +X compinit && compinit -u\nautoload -U +X bashcompinit && bashcompinit\n${bash(program)}`;
}

function fish({ commands }: Completable): string {
  return commands
    .flatMap((each) => [
      `complete -c a7-rt -n __fish_use_subcommand -a ${each.name}`,
      ...each.commands.map(
        ({ name }) => `complete -c a7-rt -n '__fish_seen_subcommand_from ${each.name}' -a ${name}`,
      ),
      ...each.flags.map(
        (flag) =>
          `complete -c a7-rt -n '__fish_seen_subcommand_from ${each.name}' -l ${flag.replace(/^--/u, '')}`,
      ),
    ])
    .join('\n');
}
