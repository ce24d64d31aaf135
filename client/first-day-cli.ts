/** Commands of the first day: what the machine and the configuration need before the first run. */
import type { Command } from 'commander';
import type { CliParts, Finish } from './cli.ts';

export function addFirstDayCommands(program: Command, parts: CliParts, finish: Finish): void {
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
}
