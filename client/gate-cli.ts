/** The command family `a7-rt gate`: what the work of a repository must pass, and whether it does. */
import { type Command, Option } from 'commander';
import { backendOption } from './backend-option.ts';
import type { ExitCode } from '../core/ports/services.ts';
import { ProfileName } from '../schemas/verify-profile.ts';
import type { CliParts } from './cli-parts.ts';
import type { GateInitOptions, GateOptions, GateRunOptions } from './commands/gate.ts';

type Finish = (code: ExitCode) => void;

/** Adds `gate init`, `show`, `check` and `run`. */
export function addGateCommands(program: Command, parts: CliParts, finish: Finish): void {
  const gate = program
    .command('gate')
    .description('judge any git repository in the clean room: init, show, check, run')
    .exitOverride()
    .addHelpText('after', GATE_HELP);
  const command = (name: string, description: string): Command =>
    gate
      .command(name)
      .description(description)
      .exitOverride()
      .option('--repo <folder>', 'the repository', '.')
      .option('--json', 'print one JSON document for programs');
  command('init', 'write a commented verify.yaml that works as it is')
    .addOption(
      new Option('--profile <name>', 'whose defaults (default: what the files show)').choices(
        ProfileName.options,
      ),
    )
    .option('--no-try', 'write the plan without running it once for its numbers')
    .action(async (options: GateInitOptions) =>
      finish(await (await import('./commands/gate.ts')).gateInit(parts, options)),
    );
  command('show', 'each part of the gate plan, and where it came from').action(async (options: GateOptions) =>
    finish(await (await import('./commands/gate.ts')).gateShow(parts, options)),
  );
  command('check', 'check file, globs, commands, isolation and runtimes; runs nothing of the repository')
    .addOption(backendOption())
    .action(async (options: GateRunOptions) =>
      finish(await (await import('./commands/gate.ts')).gateCheck(parts, options)),
    );
  command(
    'run',
    'judge the work tree (tracked files and new ones that are not ignored), the index or a commit',
  )
    .addOption(new Option('--staged', 'judge what is staged').conflicts('commit'))
    .option('--commit <revision>', 'judge this commit')
    .option('--accept-plan', 'a changed verify.yaml judges alone (else the one before it judges too)')
    .option('--install-hook', 'write a pre-commit hook that judges what is staged; judges nothing now')
    .addOption(backendOption())
    .action(async (options: GateRunOptions) =>
      finish(await (await import('./commands/gate.ts')).gateRun(parts, options)),
    );
}

const GATE_HELP = `
Examples:
  a7-rt gate init --repo . && a7-rt gate check && a7-rt gate run
  a7-rt gate run --staged
  a7-rt gate run --commit HEAD~1 --json
  a7-rt gate run --install-hook

Environment:
  A7_HOME          reports go to gate-runs/ there (default ~/.a7)
  A7_ACCEPT_PLAN   1: as --accept-plan, for a commit hook

Exit codes:
  0  PASS
  1  FAIL
  2  wrong use: no repository, no such commit, a verify.yaml that cannot be read
  3  INVALID: no verdict, a person must look (nothing ran, tests skipped, an empty plan, a file that cannot be judged)
  4  INVALID: this machine cannot judge it (no sandbox, a runtime or package that the image lacks)`;
