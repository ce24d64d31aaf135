// `npm run matrix`: the package as users get it, installed into an empty folder with an empty cache and an empty home, on every
// version of Node that it promises. The commands are those of docs/first-stage.md, then doctor, verify and `gate run`.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { HONEST_SCRIPT, firstHourCommands, writeOwnNode } from './matrix/first-hour.mjs';
import { fetchNode, packPackage, sizeOf } from './matrix/package.mjs';
import { runProgram } from './setup/run-program.mjs';

/** Newest of each line that the package promises; `engines` says from where on. */
const VERSIONS = ['20.20.2', '22.23.3', '24.9.0'];
const STEP_TIMEOUT_MS = 10 * 60_000;
const MEGABYTE = 1_000_000;

const { values } = parseArgs({ options: { node: { type: 'string', multiple: true } } });
// Ctrl-C reaches this process alone: its end takes the step that runs along (run-program.mjs).
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
const folder = mkdtempSync(join(realpathSync(tmpdir()), 'a7-matrix-'));
try {
  process.exitCode = await main(values.node ?? VERSIONS);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function main(versions) {
  const packed = await packPackage(folder);
  say(
    `package: ${megabytes(packed.bytes)} packed, ${megabytes(packed.unpackedBytes)} unpacked, ${packed.files.length} files`,
  );
  let failures = 0;
  for (const version of versions) failures += await tryVersion(version, packed.path);
  say(failures === 0 ? 'Every version holds' : `${failures} of ${versions.length} versions fail`);
  return failures === 0 ? 0 : 1;
}

/** 1 when a step fails, else 0. */
async function tryVersion(version, tarball) {
  const place = join(folder, `node-${version}`);
  mkdirSync(join(place, 'repo'), { recursive: true });
  const bin = await fetchNode(version, join(place, 'program'));
  const base = { PATH: `${bin}:${process.env.PATH}`, HOME: process.env.HOME, CI: 'true' };
  const env = { ...base, A7_HOME: join(place, 'home'), A7_CACHE: join(place, 'cache') };
  const script = join(place, 'script.json');
  writeFileSync(script, JSON.stringify(HONEST_SCRIPT));
  let model = null;
  try {
    for (const [name, line] of steps(tarball, version)) {
      if (name === 'run') model = await startModel(place, script, env);
      const startMs = performance.now();
      const result = await sh(line, place, { ...env, ...model?.env });
      say(`node ${version}  ${name.padEnd(8)} ${result.ok ? 'ok' : 'FAILS'}  ${seconds(startMs)}`);
      if (!result.ok) {
        say(`${result.text}\nnext  npm run matrix -- --node ${version}`);
        return 1;
      }
      if (name === 'install')
        say(`node ${version}  on disk: ${megabytes(sizeOf(join(place, 'node_modules')))}`);
      if (name === 'init') writeOwnNode(join(place, 'shop'));
    }
    return 0;
  } finally {
    model?.child.kill();
    await sh('npx a7-rt down', place, env);
  }
}

function steps(tarball, version) {
  const [install, setUp, init, , run] = firstHourCommands();
  const repo =
    'printf "def f():\\n    return 1\\n" > app.py; printf "from app import f\\n\\n\\ndef test_f():\\n    assert f() == 1\\n" > test_app.py';
  const commit =
    'git init -q . && git add . && git -c user.name=m -c user.email=m@localhost commit -qm Begin';
  return [
    ['node', `test "$(node --version)" = v${version}`],
    [
      'install',
      `${install.replace('a7-rt', tarball)} --ignore-scripts --no-audit --no-fund --prefer-offline`,
    ],
    ['setup', setUp],
    ['again', `${setUp} --check`],
    ['doctor', 'npx a7-rt doctor'],
    ['init', init],
    ['run', run.replace('NAME', 'scripted')],
    ['grounded', 'npx a7-rt status shop --json | grep -q \'"grounded"\''],
    ['verify', 'npx a7-rt verify shop HEAD'],
    ['gate run', `cd repo && ${repo}; ${commit} && npx a7-rt gate run`],
  ];
}

/** The package's own scripted model, with the Node that is tried. */
async function startModel(place, script, env) {
  const log = join(place, 'model.log');
  const line = `exec node node_modules/a7-rt/bin/a7-rt.mjs model-server --script ${script} > ${log} 2>&1`;
  const child = spawn('sh', ['-c', line], { cwd: place, env, stdio: 'ignore' });
  for (let tries = 0; tries < 200; tries += 1) {
    const [, url] = /server: (\S+)/.exec(readText(log)) ?? [];
    if (url) return { child, env: { OPENAI_BASE_URL: url, OPENAI_API_KEY: 'scripted' } };
    await new Promise((done) => setTimeout(done, 100));
  }
  child.kill();
  throw new Error(`The model server did not start:\n${readText(log)}`);
}

async function sh(line, cwd, env) {
  const limit = { timeoutMs: STEP_TIMEOUT_MS, wholeGroup: true };
  const result = await runProgram('sh', ['-c', line], { cwd, env, ...limit });
  return { ok: result.ok, text: result.ok ? '' : failureOf(line, result) };
}

/** What the step said, its last words last; where it outlived its limit, that. */
function failureOf(line, { stdout, stderr }) {
  return `${line}\n${stdout}${stderr}`;
}

function readText(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function megabytes(bytes) {
  return `${(bytes / MEGABYTE).toFixed(1)} MB`;
}

function seconds(startMs) {
  return `${((performance.now() - startMs) / 1000).toFixed(1)} s`;
}

function say(line) {
  process.stdout.write(`${line}\n`);
}
