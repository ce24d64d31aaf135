// Plain git in a clean environment: no user or system settings, no hooks, no replace objects, no filters.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';

const OUTPUT_MAX_BYTES = 512 * 1024 * 1024;

/** Output of one git call as bytes. @throws with git's own words. */
export async function git(gitDir, args, input = null) {
  const { code, stdout, stderr } = await run(['--git-dir', gitDir, ...args], input);
  if (code === 0) return stdout;
  throw new Error(`git ${args[0]} failed with ${code}: ${stderr.toString('utf8').trim().slice(0, 500)}`);
}

export async function gitText(gitDir, args) {
  return (await git(gitDir, args)).toString('utf8');
}

/** Exit code and both outputs; never throws for a git that says no. */
export function tryGit(gitDir, args) {
  return run(['--git-dir', gitDir, ...args], null);
}

/** Every file of a tree: mode, object id and path. */
export async function listTree(gitDir, tree) {
  const text = (await git(gitDir, ['ls-tree', '-r', '-z', '--full-tree', tree])).toString('utf8');
  return text
    .split('\0')
    .filter((row) => row !== '')
    .map((row) => {
      const tab = row.indexOf('\t');
      const [mode, type, oid] = row.slice(0, tab).split(' ');
      return { mode, type, oid, path: row.slice(tab + 1) };
    });
}

/** Raw bytes of blobs by id, in one git process. */
export async function readBlobs(gitDir, oids) {
  const wanted = [...new Set(oids)];
  const blobs = new Map();
  if (wanted.length === 0) return blobs;
  const bytes = await git(gitDir, ['cat-file', '--batch'], `${wanted.join('\n')}\n`);
  let at = 0;
  for (const oid of wanted) {
    const end = bytes.indexOf(10, at);
    const size = Number(/^[0-9a-f]{40} blob (\d+)$/u.exec(bytes.toString('latin1', at, end))?.[1] ?? NaN);
    if (Number.isNaN(size)) throw new Error(`git has no blob ${oid}`);
    blobs.set(oid, bytes.subarray(end + 1, end + 1 + size));
    at = end + 2 + size;
  }
  return blobs;
}

/** Id of an object by its type and bytes. */
export function objectId(type, bytes) {
  return createHash('sha1').update(`${type} ${bytes.length}\0`).update(bytes).digest('hex');
}

function run(args, input) {
  const env = {
    PATH: process.env.PATH,
    HOME: '/nonexistent',
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
  };
  return new Promise((resolve, reject) => {
    const child = spawn('git', ['-c', 'core.hooksPath=/dev/null', '-c', 'safe.directory=*', ...args], {
      env,
    });
    const outputs = { stdout: [], stderr: [] };
    let size = 0;
    for (const name of ['stdout', 'stderr']) {
      child[name].on('data', (part) => {
        size += part.length;
        if (size > OUTPUT_MAX_BYTES) child.kill('SIGKILL');
        else outputs[name].push(part);
      });
    }
    child.once('error', reject);
    child.once('close', (code) => {
      resolve({ code, stdout: Buffer.concat(outputs.stdout), stderr: Buffer.concat(outputs.stderr) });
    });
    child.stdin.on('error', () => {});
    child.stdin.end(input ?? '');
  });
}
