/** The command line: parses, asks `Services`, renders. Loads nothing heavy before a command needs it. */
import { Command, CommanderError, Option } from 'commander';
import { backendOption } from './backend-option.ts';
import type { Add, CliParts, Finish } from './cli-parts.ts';
import { colors } from './render/colors.ts';
import { type JsonOption, report } from './commands/common.ts';
import { addChangeCommands } from './change-commands.ts';
import { groupCommands, nameHelp } from './command-help.ts';
import { addGateCommands } from './gate-cli.ts';
import { addOrderCommands } from './order-cli.ts';
import { addFirstDayCommands } from './first-day-cli.ts';
import type { LedgerOptions, NarrativeOptions, StatusOptions } from './commands/inspect.ts';
import type { HaltOptions, InputOptions } from './commands/message.ts';
import type { RunOptions } from './commands/run.ts';
import type { ModelServerOptions, WorkerOptions } from './commands/serve.ts';
import type { InitOptions, SeedOptions } from './commands/session.ts';
import { sessionPlaces, withSession } from './session-argument.ts';
import { addSteerCommands } from './steer-cli.ts';
import { addVerdictCommands } from './verdict-commands.ts';
import { count, positive } from './numbers.ts';
import { machineProblem } from './render/machine-problem.ts';
import { jsonText } from './render/plain.ts';

/** Runs one command and returns its exit code (that of its command for `sandbox`): 0 done, 1 the build failed, 2 wrong use, 3 a person is needed, 4 the machine lacks something. */
export async function main(argv: readonly string[], parts: CliParts): Promise<number> {
  let exitCode = 0;
  const program = createProgram(parts, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync([...withSession(argv, process.cwd(), sessionPlaces(program))], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : wrongUse(error, argv);
    const problem = machineProblem(error);
    if (problem === null) throw error;
    return report(problem, { json: argv.includes('--json') }, () => '');
  }
}

/** The parser has told people already; a program that asked for JSON gets it, too. */
function wrongUse({ message }: CommanderError, argv: readonly string[]): 2 {
  if (!argv.includes('--json')) return 2;
  const [said = '', ...more] = message.replace(/^error: /, '').split('\n');
  const suggestion = more.join(' ').replace(/^\((.*)\)$/, '$1');
  const problems = [{ message: said, ...(suggestion !== '' && { suggestion }) }];
  process.stdout.write(`${jsonText({ ok: false, exitCode: 2, problems, nextStep: 'a7-rt --help' })}\n`);
  return 2;
}

/** Every command with its arguments and flags. */
export function createProgram(parts: CliParts, finish: Finish): Command {
  const program = new Command('a7-rt')
    .description('A transactional build system for LLM coding agents: only verified work reaches git.')
    .version(parts.version)
    .exitOverride()
    .enablePositionalOptions()
    .configureOutput({
      outputError: (text, write) => write(text.replace(/^error: /, `${colors.red('error')} `)),
    })
    .addHelpText('after', AFTER_HELP);
  const command = (usage: string, description: string): Command =>
    program
      .command(usage)
      .description(description)
      .exitOverride()
      .option('--json', 'print one JSON document for programs');
  addFirstDayCommands(program, command, parts, finish);
  addSessionCommands(command, parts, finish);
  addSteerCommands(program, command, parts, finish);
  addChangeCommands(command, parts, finish);
  addVerdictCommands(command, parts, finish);
  addRunCommands(command, parts, finish);
  addServerCommands(command, parts, finish);
  addOrderCommands(program, command, parts, finish);
  addGateCommands(program, parts, finish);
  groupCommands(program);
  nameHelp(program, 'a7-rt');
  return program;
}

function addSessionCommands(command: Add, parts: CliParts, finish: Finish): void {
  command('init <session>', 'make a session folder with contracts that build as they are')
    .option('--name <name>', 'project name (default: the folder name)')
    .option(
      '--from <repository>',
      'begin with the files of a git repository, a folder or URL; it stays as it is',
    )
    .option('--base <revision>', 'with --from: this branch or commit (default: what is checked out)')
    .option('--leave-out <glob...>', 'with --from: begin without these paths')
    .option('--no-try', "with --from: do not run the repository's own tests once")
    .action(async (dir: string, options: InitOptions) =>
      finish(await (await import('./commands/session.ts')).init(parts, dir, options)),
    );
  command('seed <session>', 'read contracts.yaml into the ledger, checking every contract')
    .option('--plan', 'show what an edit adds, changes and removes and what that voids; change nothing')
    .option('--yes', 'agree that work of changed contracts is void, without being asked')
    .option('--adopt', 'give a copied folder an identity of its own')
    .action(async (dir: string, options: SeedOptions) =>
      finish(await (await import('./commands/session.ts')).seed(parts, dir, options)),
    );
  command('status <session>', 'stages, nodes, what moves, cost, and the page to watch')
    .option('--watch', 'show it again whenever it changes, until Ctrl-C')
    .action(async (dir: string, options: StatusOptions) =>
      finish(await (await import('./commands/inspect.ts')).status(parts, dir, options)),
    );
  command('why <session> <node>', 'why a node is where it is, and what would move it').action(
    async (dir: string, node: string, options: JsonOption) =>
      finish(await (await import('./commands/inspect.ts')).why(parts, dir, node, options)),
  );
  command('narrative <session>', 'the story of a session, from its ledger')
    .option('--node <id>', 'only this node')
    .action(async (dir: string, options: NarrativeOptions) =>
      finish(await (await import('./commands/inspect.ts')).narrative(parts, dir, options)),
    );
  command(
    'ledger <action> <session>',
    '"ledger verify SESSION" checks chain, fold and signatures, and every other copy of what the ledger tells',
  )
    .option('--key <key>', 'the only key to believe: its id, or a file with the public key')
    .action(async (action: string, dir: string, options: LedgerOptions) =>
      finish(await (await import('./commands/inspect.ts')).ledger(parts, action, dir, options)),
    );
}

function addRunCommands(command: Add, parts: CliParts, finish: Finish): void {
  command('run <session>', 'build until every stage is sealed; attaches when it is already running')
    .option('--stage-id <id>', 'build this stage only (default: all, in order)')
    .option('--node <id...>', 'build these nodes and what they need, then rest')
    .addOption(
      new Option('--manager <kind>', 'who decides where there is a choice').choices([
        'llm',
        'policy',
        'human',
      ]),
    )
    .option('--model <name>', "model of manager and agents: an alias of models.toml or the endpoint's name")
    .option('--subagent-model <name>', 'model of the agents, when it differs')
    .option('--base-url <url>', 'OpenAI-compatible endpoint (default: OPENAI_BASE_URL)')
    .option(
      '--builder-agent <name>',
      'a coding agent builds, in a room: claude-code, codex, native, "command:…"',
    )
    .option('--author-agent <name>', 'a coding agent writes the suites, in a room')
    .option('--max-cost <usd>', 'cap of a stage in dollars (default 2)', positive)
    .option('--max-tokens <count>', 'cap of a stage in tokens for models without a price', count)
    .option('--max-turns <count>', 'turns of the manager (default 25)', count)
    .option(
      '--drain-turn <count>',
      'from this turn on nothing new is started (default: 5 before the last)',
      count,
    )
    .option('--max-in-flight <count>', 'agents at once (default 4)', count)
    .option('--strict-turns', 'the manager takes forced moves too, and they count')
    .option('--require-wall', "refuse a verdict from the process that runs the builder's code")
    .addOption(backendOption())
    .option('--no-wait', 'end with exit code 3 where only a person can go on, instead of waiting')
    .option('--interactive', 'show the board when a move is due, and take what is typed here')
    .option('--fresh', 'forget the settings of the last run, which are the defaults of the next')
    .option('--adopt', 'give a copied folder an identity of its own')
    .action(async (dir: string, options: RunOptions) =>
      finish(await (await import('./commands/run.ts')).run(parts, dir, options)),
    );
  command('halt <session>', 'stop a moving stage cleanly; run goes on from there')
    .option('--reason <text>', 'why', 'halted by a person')
    .action(async (dir: string, options: HaltOptions) =>
      finish(await (await import('./commands/message.ts')).halt(parts, dir, options)),
    );
  command(
    'input <session> <text...>',
    'tell the manager something; /slash commands act: /halt, /poison NODE, /verify FROM TO; so do actions: REDISPATCH NODE role=test_author manager_note="..."',
  )
    .option('--node <id>', 'answer the question of this node')
    .option('--id <id>', 'an id of your own: the same id is taken once')
    .action(async (dir: string, words: string[], options: InputOptions) =>
      finish(await (await import('./commands/message.ts')).input(parts, dir, words, options)),
    );
  command(
    'worker [session]',
    'serve a session, or all orders of your home and the sessions in its folder "sessions", until Ctrl-C',
  )
    .addOption(backendOption())
    .action(async (dir: string | undefined, options: WorkerOptions) =>
      finish(await (await import('./commands/serve.ts')).worker(parts, dir ?? null, options)),
    );
}

function addServerCommands(command: Add, parts: CliParts, finish: Finish): void {
  command('up', 'start the Temporal server of your home, if it does not run').action(
    async (options: JsonOption) => finish(await (await import('./commands/serve.ts')).up(parts, options)),
  );
  command('down', 'stop the Temporal server of your home').action(async (options: JsonOption) =>
    finish(await (await import('./commands/serve.ts')).down(parts, options)),
  );
  command('model-server', 'serve scripted answers over the chat completions API on loopback')
    .requiredOption('--script <file>', 'YAML or JSON script (docs/model-script.md)')
    .option('--port <port>', 'port on 127.0.0.1 (default: any free one)', count)
    .option('--record <folder>', 'keep every request and answer here')
    .action(async (options: ModelServerOptions) =>
      finish(await (await import('./commands/serve.ts')).modelServer(parts, options)),
    );
  command('doctor [session]', 'check this machine, and a session if one is named').action(
    async (dir: string | undefined, options: JsonOption) =>
      finish(await (await import('./commands/inspect.ts')).doctor(parts, dir ?? null, options)),
  );
}

const AFTER_HELP = `
Examples:
  a7-rt setup && a7-rt init shop && a7-rt seed shop && a7-rt run shop
  a7-rt run shop --model gpt-5-mini --max-cost 5
  a7-rt run shop --node price.money
  a7-rt why shop price.money
  a7-rt input shop "prefer integers to decimals"
  cd shop && a7-rt status --watch       # inside a session it need not be named
  a7-rt board shop && a7-rt act shop DISPATCH price.money role=builder note="half to even"
  a7-rt report shop price.money && a7-rt verify shop HEAD
  a7-rt challenge shop price.money --with cheat.py
  a7-rt sandbox -- cat /etc/shadow
  a7-rt gate run --repo . --staged

Environment:
  OPENAI_API_KEY, OPENAI_BASE_URL   model endpoint
  A7_HOME                           server, keys, orders and your settings (default ~/.a7)
  TEMPORAL_ADDRESS                  use this Temporal server instead
  A7_TEMPORAL                       path of the temporal program

Exit codes:
  0  done
  1  the build failed, or a check found a difference
  2  wrong use: arguments, contracts, configuration or the session folder
  3  halted, at rest or waiting: a person is needed
  4  this machine lacks something: server, sandbox, disk space`;
