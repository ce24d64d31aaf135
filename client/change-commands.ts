/** Commands by which a person changes what was built: stage, stage-reset, replace; and makes it whole again: restore. */
import type { Add, CliParts, Finish } from './cli-parts.ts';
import type { ReplaceOptions, ResetOptions, RestoreOptions } from './commands/change.ts';
import type { JsonOption } from './commands/common.ts';

/** Adds them to the program. */
export function addChangeCommands(command: Add, parts: CliParts, finish: Finish): void {
  command('stage <session> [id]', 'stages with their nodes and what is built on them').action(
    async (dir: string, id: string | undefined, options: JsonOption) =>
      finish(await (await import('./commands/change.ts')).stage(parts, dir, id ?? null, options)),
  );
  command('stage-reset <session> <id>', 'open a sealed stage again, with the stages that are built on it')
    .option('--reason <text>', 'why', 'opened by a person')
    .action(async (dir: string, id: string, options: ResetOptions) =>
      finish(await (await import('./commands/change.ts')).stageReset(parts, dir, id, options)),
    );
  command('restore <session>', 'make parts of a session again that are gone or damaged, from what is there')
    .option('--cut', 'end the ledger before a line that cannot be read; the file as it was is kept aside')
    .action(async (dir: string, options: RestoreOptions) =>
      finish(await (await import('./commands/change.ts')).restore(parts, dir, options)),
    );
  command('replace <session> <node>', "make your own files the work of a node, judged like a builder's")
    .requiredOption('--file <path>', "a file for the node's code, or a folder laid out like the project")
    .action(async (dir: string, node: string, options: ReplaceOptions) =>
      finish(await (await import('./commands/change.ts')).replace(parts, dir, node, options)),
    );
}
