/** Commands about verdicts and their sandbox: report, verify, challenge, sandbox. */
import { backendOption } from './backend-option.ts';
import type { Add, CliParts, Finish } from './cli-parts.ts';
import type { AttestOptions } from './commands/attest.ts';
import type { JsonOption } from './commands/common.ts';
import type { ChallengeOptions, SandboxOptions } from './commands/visit.ts';
import { positive } from './numbers.ts';

/** Adds them to the program. */
export function addVerdictCommands(command: Add, parts: CliParts, finish: Finish): void {
  command(
    'report [words...]',
    'show a verdict: [SESSION] and a node, dispatch, commit, snapshot or digest; alone, a list',
  )
    .usage('[options] [session] [node | dispatch | commit | snapshot | digest]')
    .addHelpText('after', REPORT_HELP)
    .action(async (words: string[], options: JsonOption) =>
      finish(await (await import('./commands/visit.ts')).report(parts, words, options)),
    );
  command(
    'verify <session> <name>',
    'run a recorded verdict (of a node, commit, snapshot, dispatch or digest) again, without the cache',
  ).action(async (dir: string, name: string, options: JsonOption) =>
    finish(await (await import('./commands/visit.ts')).verify(parts, dir, name, options)),
  );
  command(
    'attest <words...>',
    'print a PASS as a signed in-toto statement: SESSION and a commit or node, or order ID; or check one: verify FILE',
  )
    .usage('[options] <session> <commit | node>  or  order <id>  or  verify <file>')
    .option('--key <file>', "a key of your own: private to sign, public to verify (default: the home's)")
    .addHelpText('after', ATTEST_HELP)
    .action(async (words: string[], options: AttestOptions) =>
      finish(await (await import('./commands/attest.ts')).attest(parts, words, options)),
    );
  command('challenge <session> <node>', 'send your own cheat through the real gate of a node')
    .requiredOption('--with <path>', "a file for the node's code, or a folder laid out like the project")
    .option('--as-builder', 'print only what a builder would be told')
    .option('--reveal', 'show the hidden suite too: tests, messages, the whole report')
    .addHelpText('after', CHALLENGE_HELP)
    .action(async (dir: string, node: string, options: ChallengeOptions) =>
      finish(await (await import('./commands/visit.ts')).challenge(parts, dir, node, options)),
    );
  command('sandbox <command...>', "run a command in the gate's clean room: try to get out")
    .usage('[options] -- <command...>')
    .passThroughOptions()
    .option('--dir <path>', 'lay the regular files of this folder into /work (default: empty)')
    .option('--time <seconds>', 'time limit (default: the one of a gate)', positive)
    .addOption(backendOption())
    .addHelpText('after', SANDBOX_HELP)
    .action(async (words: string[], options: SandboxOptions) =>
      finish(await (await import('./commands/visit.ts')).sandbox(parts, words, options)),
    );
}

const REPORT_HELP = `
Examples:
  a7-rt report shop                       every verdict of the session
  a7-rt report shop price.money.b1        the last attempt of a dispatch
  a7-rt report shop price.money.b1/iteration-1
  a7-rt report HEAD --json                the stored report of a commit; the session is the current folder`;

const ATTEST_HELP = `
The envelope is DSSE, its payload an in-toto statement (test-result): git tree and commit, digests of gate plan, report and
suite, image, level, tier and isolation. Anybody can check it with in-toto or securesystemslib and the public key, which
lies in keys/own/ of the home.

Examples:
  a7-rt attest shop price.money > money.dsse.json
  a7-rt attest order last > order.dsse.json
  a7-rt attest verify money.dsse.json
  a7-rt attest verify money.dsse.json --key theirs.pub

Exit codes:
  0  signed, or signed by a key that is believed
  1  no PASS, the record contradicts itself, or the statement was changed or is of nobody known
  2  wrong use`;

const CHALLENGE_HELP = `
The files stand for all of the node's code. They are judged as a builder's are: same suite, tier, sandbox and limits.
Ledger, branch, budget and cache of the session stay as they are.

Exit codes:
  0  a wall held, or what you sent is the committed code itself
  1  it was not held: the verdict is PASS for code that is not the committed one
  2  wrong use
  4  the sandbox could not run: nothing is shown`;

const SANDBOX_HELP = `
No network, no files of the host, no standard input; everything is gone at the end.

Exit codes:
  that of the command; 124 when a limit ended it, 125 when the sandbox was lost, 128 + N for signal N.
  Before it starts: 2 for wrong use, 4 when there is no sandbox. --json tells them apart.`;
