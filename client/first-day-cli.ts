/** Commands of the first day: what the machine and the configuration need before the first run. */
import type { Command } from 'commander';
import type { JsonOption } from './commands/common.ts';
import type { DraftOptions } from './commands/draft.ts';
import type { ConfigOptions, ModelsOptions } from './commands/config.ts';
import type { Add, CliParts, Finish } from './cli-parts.ts';
import { count, positive } from './numbers.ts';

export function addFirstDayCommands(program: Command, command: Add, parts: CliParts, finish: Finish): void {
  program
    .command('setup')
    .description(
      'fetch what a run needs: Temporal server, sandbox and its image; quick when nothing is missing',
    )
    .option('--check', 'change nothing; say what is missing and exit 1 if anything is')
    .option('--quiet', 'say only what is changed or missing')
    .exitOverride()
    .action(async (options: { readonly check?: boolean; readonly quiet?: boolean }) => {
      const flags = (['check', 'quiet'] as const).filter((name) => options[name] === true);
      finish(await parts.setUp(flags.map((name) => `--${name}`)));
    });
  command(
    'lint-contracts [path]',
    'what in a contracts file or session will cost attempts; calls no model',
  ).action(async (path: string | undefined, options: JsonOption) =>
    finish(await (await import('./commands/lint.ts')).lintContracts(parts, path ?? '.', options)),
  );
  command('models [session]', 'aliases and endpoints; with --check what a model can do')
    .option(
      '--check [name]',
      'ask a model for tool calls in three ways, and keep the best in models.toml (default: the configured ones)',
    )
    .action(async (dir: string | undefined, options: ModelsOptions) =>
      finish(await (await import('./commands/config.ts')).models(parts, dir ?? null, options)),
    );
  command('config [session]', 'every setting with its value and who sets it; or make the files that do')
    .option('--models', 'the aliases of models.toml')
    .option('--providers', 'the endpoints, and whether a key is there')
    .option('--validate', 'only say what is wrong; exit code 2 if anything is')
    .option('--init', 'make .a7/config.toml and .a7/models.toml, here or in the named folder')
    .option('--with-key <key>', 'write .a7/key (mode 600); "-" reads it from standard input')
    .action(async (dir: string | undefined, options: ConfigOptions) =>
      finish(await (await import('./commands/config.ts')).config(parts, dir ?? null, options)),
    );
  program
    .command('contract')
    .description('contracts from prose: draft')
    .exitOverride()
    .command('draft <session>')
    .description('let the model write contracts.yaml from a text; shown before it is written')
    .requiredOption('--from <file>', 'the text, such as SPEC.md')
    .option('--model <name>', 'model that writes (default: that of the agents)')
    .option('--max-cost <usd>', 'cap of all answers in dollars (default: that of a stage, 2)', positive)
    .option('--max-tokens <count>', 'the same in tokens for models without a price', count)
    .option('--yes', 'write it without being asked')
    .option('--json', 'print one JSON document for programs')
    .exitOverride()
    .action(async (dir: string, options: DraftOptions) =>
      finish(await (await import('./commands/draft.ts')).contractDraft(parts, dir, options)),
    );
}
