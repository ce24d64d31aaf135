// A work order on the toy repository, as a person would give one: refused, repaired, PASS, promoted, replayed, audited.
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createCommands, ending, shownPath } from './commands.mjs';
import { claimFolders, markFolder } from './folders.mjs';
import { CLI } from './options.mjs';

const ROOT = dirname(dirname(CLI));
const TOY = join(ROOT, 'examples', 'toy-order');
const TASK = 'Add total_with_discount(lines, percent) to invoice/total.py, with a test';

/** Exit code: 0 when the story went as it should. */
export async function demonstrateOrder(options, env, stops) {
  const { dir, home } = options;
  await claimFolders(options, env);
  mkdirSync(dir, { recursive: true });
  markFolder(dir);
  const repo = join(dir, 'invoice');
  cpSync(join(TOY, 'repo'), repo, { recursive: true });
  for (const args of [
    ['init', '--quiet', '--initial-branch=main'],
    ['add', '-A'],
    ['commit', '--quiet', '-m', 'The invoice program'],
  ])
    git(repo, args);
  say(
    `A repository of its own: ${shownPath(repo)}. The agent is a script that is wrong first; its room and its judge are real.`,
  );
  const commands = createCommands({ env, home, stops });
  if (!options.keep) stops.add('Temporal server', () => commands.quiet(['down']));
  await commands.show([
    ...['submit', '--repo', repo, '--task', TASK, '--agent', 'command'],
    ...['--agent-command', 'python3 /opt/agent/repair.py', '--agent-files', join(TOY, 'agents'), '--watch'],
  ]);
  await commands.show(['order', 'diff', 'last']);
  await commands.show(['promote', 'last', '--branch', 'discount']);
  say(`\n$ git log --oneline discount\n${git(repo, ['log', '--oneline', 'discount'])}`);
  await commands.show(['order', 'replay', 'last']);
  const [{ id }] = await commands.json(['orders']);
  const shown = await commands.json(['order', 'show', id]);
  const verdicts = shown.state.iterations.map(({ verdict }) => verdict).join(', ');
  say(`\nChecked once more without a7-rt: scripts/audit-session ${shownPath(shown.folder)}`);
  const audited = await ending(
    stopsRunning(stops, [join(ROOT, 'scripts', 'audit-session.mjs'), shown.folder, '--home', home]),
  );
  const isRight = verdicts === 'FAIL, PASS' && audited.code === 0;
  say(
    isRight
      ? '\nRefused, repaired, PASS, promoted.'
      : `\nNot as it should be: ${verdicts}, audit ${audited.code}`,
  );
  return isRight ? 0 : 1;
}

function stopsRunning(stops, argv) {
  const child = spawn(process.execPath, argv, { stdio: 'inherit' });
  stops.running(child);
  return child;
}

function git(cwd, args) {
  const who = {
    GIT_AUTHOR_NAME: 'demo',
    GIT_AUTHOR_EMAIL: 'demo@localhost',
    GIT_COMMITTER_NAME: 'demo',
    GIT_COMMITTER_EMAIL: 'demo@localhost',
  };
  const env = { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', ...who };
  return execFileSync('git', args, { cwd, env, encoding: 'utf8' }).trimEnd();
}

function say(line) {
  process.stdout.write(`${line}\n`);
}
