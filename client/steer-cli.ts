/** Commands by which a person sees and steers: board, act, graph, completion. */
import { Argument, type Command, Option } from 'commander';
import type { Add, CliParts, Finish } from './cli-parts.ts';
import type { GraphOptions } from './commands/board.ts';
import type { JsonOption } from './commands/common.ts';
import type { Completable, Shell } from './commands/completion.ts';

export function addSteerCommands(program: Command, command: Add, parts: CliParts, finish: Finish): void {
  command('board <session>', 'what the manager sees, and every move that is legal now').action(
    async (dir: string, options: JsonOption) =>
      finish(await (await import('./commands/board.ts')).board(parts, dir, options)),
  );
  command(
    'act <session> <action...>',
    'make one of the nine moves yourself: DISPATCH NODE role=builder note="..."',
  )
    .option('--id <id>', 'an id of your own: the same id is taken once')
    .action(async (dir: string, words: string[], options: JsonOption & { id?: string }) =>
      finish(await (await import('./commands/board.ts')).act(parts, dir, words, options)),
    );
  command('graph <session>', 'the nodes and what each stands on, with their statuses')
    .addOption(
      new Option('--format <form>', 'text, mermaid or svg')
        .choices(['text', 'mermaid', 'svg'])
        .default('text'),
    )
    .option('--out <file>', 'write it there')
    .action(async (dir: string, options: GraphOptions) =>
      finish(await (await import('./commands/board.ts')).graph(parts, dir, options)),
    );
  program
    .command('completion')
    .description('a script that completes commands and flags: source <(a7-rt completion bash)')
    .addArgument(new Argument('<shell>').choices(['bash', 'zsh', 'fish']))
    .exitOverride()
    .action(async (shell: Shell) =>
      finish((await import('./commands/completion.ts')).completion(shell, completable(program))),
    );
}

function completable(command: Command): Completable {
  return {
    name: command.name(),
    flags: command.options.flatMap(({ long }) => (long === undefined ? [] : [long])),
    commands: command.commands.map(completable),
  };
}
