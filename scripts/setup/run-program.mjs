// Runs programs with a time limit; never through a shell.
import { spawn } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const TAIL_MAX_CHARS = 4000;

/**
 * Runs a program to its end. Never rejects: a program that is missing, fails or outlives `timeoutMs` gives ok false.
 * `stdout` and `stderr` are whole, `output` is the last 4,000 characters of both together, or why there is none. With
 * `wholeGroup` the limit and the end of this process end what the program started, too.
 */
export function runProgram(
  command,
  args,
  { timeoutMs = 60_000, cwd, env = process.env, wholeGroup = false } = {},
) {
  return new Promise((resolve) => {
    const stdio = ['ignore', 'pipe', 'pipe'];
    const child = spawn(command, args, { cwd, env, stdio, detached: wholeGroup });
    let stdout = '';
    let stderr = '';
    let output = '';
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      if (wholeGroup) killGroup(child.pid);
      else child.kill('SIGKILL');
      // A grandchild that holds the pipes would keep 'close' away for as long as it likes.
      child.stdout.destroy();
      child.stderr.destroy();
    }, timeoutMs);
    const keep = (text) => {
      output = (output + text).slice(-TAIL_MAX_CHARS);
    };
    child.stdout.setEncoding('utf8').on('data', (text) => {
      stdout += text;
      keep(text);
    });
    child.stderr.setEncoding('utf8').on('data', (text) => {
      stderr += text;
      keep(text);
    });
    const endGroup = () => killGroup(child.pid);
    if (wholeGroup) process.once('exit', endGroup);
    const finish = (code, note) => {
      clearTimeout(timer);
      process.off('exit', endGroup);
      const late = timedOut ? `it took longer than ${timeoutMs / 1000} s` : '';
      resolve({
        ok: code === 0 && !timedOut,
        stdout,
        stderr: note || late || stderr,
        output: (note || late || output).trim(),
      });
    };
    child.once('error', (error) => finish(null, error.message));
    child.once('close', (code) => finish(code, ''));
  });
}

function killGroup(leader) {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // It ended in this moment.
  }
}

/** Runs npm with short waits between its tries, so that a machine without a network is told so in seconds. */
export function runNpm(args, options) {
  const patience = ['--fetch-retries=2', '--fetch-retry-mintimeout=500', '--fetch-retry-maxtimeout=3000'];
  return runProgram('npm', [...args, ...patience], options);
}

/** npm explains itself in the line after its error code and closes with the path of a log. */
export function npmErrorLine(stderr) {
  const lines = stderr.split('\n').filter((line) => /^npm error (?!code|A complete log)\S/.test(line));
  return lines[0]?.replace('npm error ', '') ?? lastLine(stderr);
}

/** Absolute path of a program on PATH or in the folders of system programs, else null. */
export function findProgram(name, env = process.env) {
  const folders = [...(env.PATH ?? '').split(delimiter), '/usr/local/sbin', '/usr/sbin', '/sbin'];
  for (const folder of folders) {
    const path = join(folder, name);
    if (folder.startsWith('/') && isExecutable(path)) return path;
  }
  return null;
}

/** The last line of a program's output that says something; Node ends its own failures with its version. */
export function lastLine(text) {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !/^Node\.js v\d/.test(line));
  return lines.pop()?.trim() ?? 'it said nothing';
}

/** True for a regular file that this process may execute. */
export function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
