/** The commands of work orders: `submit`, `orders`, `order …`, `promote`, `agents`. */
import { type Command, Option } from 'commander';
import { backendOption } from './backend-option.ts';
import { AGENT_NAMES } from '../schemas/order.ts';
import type { Add, CliParts, Finish } from './cli-parts.ts';
import type { JsonOption } from './commands/common.ts';
import type {
  AgentsOptions,
  IterationOptions,
  ReplayOptions,
  CancelOptions,
  WatchOptions,
} from './commands/orders.ts';
import type { PromoteOptions } from './commands/promote.ts';
import type { SubmitOptions } from './commands/order-asked.ts';
import { count, minutes, positive } from './numbers.ts';

/** Adds them. */
export function addOrderCommands(program: Command, command: Add, parts: CliParts, finish: Finish): void {
  addSubmit(command, parts, finish);
  command('orders', 'every order: state, agent, iteration, verdict, cost, age').action(
    async (options: JsonOption) =>
      finish(await (await import('./commands/orders.ts')).listOrders(parts, options)),
  );
  addOrderGroup(program, parts, finish);
  command(
    'promote <work>',
    'mark what passed in its repository: an order, or a session that began with init --from; refused for anything else',
  )
    .option('--branch <name>', 'a new branch, or one that still is at the base')
    .option('--tag <name>', 'a new tag')
    .option('--bundle <file>', 'a bundle that a clone of the repository fetches from')
    .option('--patch <file>', 'a patch for git apply')
    .option('--repo <folder>', 'where its repository lies now, if it was moved')
    .action(async (id: string, options: PromoteOptions) =>
      finish(await (await import('./commands/promote.ts')).promote(parts, id, options)),
    );
  command('agents', 'coding agents that orders can use, and which are installed here')
    .option('--install <name>', 'bring this one from the npm registry into the cache')
    .action(async (options: AgentsOptions) =>
      finish(await (await import('./commands/orders.ts')).agents(parts, options)),
    );
}

function addSubmit(command: Add, parts: CliParts, finish: Finish): void {
  const submit = command(
    'submit',
    'a task for any coding agent on any repository, until the clean room says PASS',
  )
    .option('--repo <path-or-url>', 'the repository; its work tree is never touched', '.')
    .requiredOption('--task <text>', 'what to do; @FILE reads a file, - reads standard input')
    .option('--base <revision>', 'branch or commit to begin from (default: what is checked out)')
    .option('--with-changes', 'begin from the uncommitted work, too');
  common(submit).action(async (options: SubmitOptions) =>
    finish(await (await import('./commands/orders.ts')).submit(parts, options)),
  );
  submit.addHelpText('after', SUBMIT_HELP);
}

/** Options of `submit` that `order retry` takes, too. */
function common(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--agent <name>',
        'who does it (default: claude-code, or command with --agent-command)',
      ).choices([...AGENT_NAMES]),
    )
    .option('--agent-command <text>', 'for "command": the shell command that runs in the room')
    .option('--agent-files <folder>', 'shown read-only to the agent at /opt/agent')
    .option('--model <name>', "alias of models.toml or the endpoint's name")
    .option('--base-url <url>', 'model endpoint')
    .option(
      '--gate <source>',
      'verify, ci, default, or a profile file outside of the repository (default: verify.yaml, then CI, then the language)',
    )
    .option('--max-iterations <count>', 'turns of agent and gate (default 5)', count)
    .option('--max-time <minutes>', 'running time of agent and gate together (default 60)', minutes)
    .option('--max-agent-time <minutes>', 'running time of one turn of the agent (default 30)', minutes)
    .option('--max-cost <usd>', 'cap of the order in dollars (default 2)', positive)
    .option('--max-tokens <count>', 'cap in tokens for models without a price', count)
    .option('--max-requests <count>', 'calls of the model in one iteration (default 200)', count)
    .option('--paths <glob...>', 'what the agent may change (default: all but what judges)')
    .option('--forbid <glob...>', 'what it may not change')
    .option('--allow-gate-edit <glob...>', 'files of the gate that this order may change')
    .option('--allow-network <host...>', 'hosts that the room may reach on port 443, through the forwarder')
    .addOption(backendOption())
    .option('--watch', 'serve the order here and follow it to its end');
}

function addOrderGroup(program: Command, parts: CliParts, finish: Finish): void {
  const order = program
    .command('order')
    .description('one order: show, logs, diff, report, watch, advise, cancel, retry, replay')
    .exitOverride();
  const command = (usage: string, description: string): Command =>
    order
      .command(usage)
      .description(description)
      .exitOverride()
      .option('--json', 'print one JSON document for programs');
  const iteration = ['--iteration <number>', 'only this iteration', count] as const;
  command('show <order>', 'state, iterations, budgets, artifacts').action(
    async (id: string, options: JsonOption) =>
      finish(await (await import('./commands/orders.ts')).show(parts, id, options)),
  );
  command('logs <order>', 'what the agent printed, and every command of the clean room')
    .option(...iteration)
    .action(async (id: string, options: IterationOptions) =>
      finish(await (await import('./commands/orders.ts')).logs(parts, id, options)),
    );
  command('diff <order>', 'the patch from the base')
    .option(...iteration)
    .action(async (id: string, options: IterationOptions) =>
      finish(await (await import('./commands/orders.ts')).diff(parts, id, options)),
    );
  command('report <order>', 'the verification report')
    .option(...iteration)
    .action(async (id: string, options: IterationOptions) =>
      finish(await (await import('./commands/orders.ts')).orderReport(parts, id, options)),
    );
  command('watch <order>', 'serve an order here and follow it to its end')
    .addOption(backendOption())
    .action(async (id: string, options: WatchOptions) =>
      finish(await (await import('./commands/orders.ts')).watch(parts, id, options)),
    );
  command('advise <order> <text...>', 'a word for the next iteration').action(
    async (id: string, words: string[], options: JsonOption) =>
      finish(await (await import('./commands/orders.ts')).advise(parts, id, words, options)),
  );
  command('cancel <order>', 'end an order; its artifacts stay')
    .option('--reason <text>', 'why', 'cancelled by a person')
    .action(async (id: string, options: CancelOptions) =>
      finish(await (await import('./commands/orders.ts')).cancel(parts, id, options)),
    );
  common(command('retry <order>', 'the same order as a new one, from the base as it is now'))
    .option('--task <text>', 'another task')
    .option('--base <revision>', 'another base')
    .action(async (id: string, options: SubmitOptions) =>
      finish(await (await import('./commands/orders.ts')).retry(parts, id, options)),
    );
  command('replay <order>', 'verify an order again from its artifacts alone')
    .option('--bundle', 'the argument is an order.bundle, from this machine or another')
    .action(async (id: string, options: ReplayOptions) =>
      finish(await (await import('./commands/orders.ts')).replay(parts, id, options)),
    );
}

const SUBMIT_HELP = `
Examples:
  a7-rt submit --repo . --task "Add a --json flag to report" --agent claude-code --watch
  a7-rt submit --repo https://host/team/app.git --task @task.md --agent pi --model local --base-url http://127.0.0.1:8080/v1
  a7-rt submit --task "Bump the version" --agent command --agent-command 'python3 /opt/agent/bump.py' --agent-files tools --watch

Exit codes:
  0  submitted; with --watch: SUCCEEDED
  1  with --watch: FAILED
  2  wrong use: no repository, no commit, an empty plan, a bad task, no model
  3  with --watch: cancelled, or stopped by a person
  4  this machine lacks something: the agent, the sandbox, the server`;
