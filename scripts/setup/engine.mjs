// The sandbox backend: finds a running Docker engine, or installs and starts one; bubblewrap beside it.
import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { AGAIN } from './again.mjs';
import { installPackages, isDebian } from './debian.mjs';
import { planAfterRefusal, planBackend } from './engine-plan.mjs';
import { SetupError } from './setup-error.mjs';
import { findProgram, lastLine, runProgram } from './run-program.mjs';
import { describeDocker, findDocker, pingDocker } from './toolchain.mjs';

const START_WAIT_MS = 30_000;
const POLL_MS = 200;
const ENGINE_SOCKET = '/var/run/docker.sock';

/** Makes sure that a backend is there; gives the found engine (or null) and bubblewrap (or null). @throws {SetupError} */
export async function provideBackend(context, say) {
  const before = await gatherFacts(context);
  let plan = planBackend(before);
  const asks = plan.kind === 'plan' && (plan.packages.length > 0 || plan.startEngine);
  const isMissing = plan.kind === 'plan' && plan.startEngine;
  if (asks && context.check) {
    if (isMissing) throw new SetupError('no Docker engine answers', `run "${AGAIN}"`);
    plan = planAfterRefusal(before);
  } else if (asks && !(await context.consent('Sandboxes need a Docker engine and bubblewrap'))) {
    plan = planAfterRefusal(before);
  }
  if (plan.kind === 'none') throw new SetupError(`${plan.reason}${triedText(before.tried)}`, plan.nextStep);
  return await carryOut(plan, before, context, say);
}

async function carryOut(plan, before, context, say) {
  if (plan.packages.length > 0) await installPackages(plan.packages, say);
  // A package's own service may have started the engine meanwhile.
  let docker = before.found ?? (await findDocker({ env: context.env })).found;
  const bubblewrap = findProgram('bwrap', context.env);
  if (plan.startEngine && !docker) docker = await startOrDoWithout(bubblewrap, context, say);
  return {
    did: plan.packages.length > 0 || plan.startEngine,
    text: describeBackend(docker, bubblewrap),
    docker,
    bubblewrap: bubblewrap && { path: bubblewrap },
  };
}

async function gatherFacts({ env, platform, isRoot }) {
  const search = await findDocker({ env });
  return {
    platform,
    isRoot,
    isDebian: isDebian(),
    docker: search.found !== null,
    dockerd: findProgram('dockerd', env) !== null,
    bubblewrap: findProgram('bwrap', env) !== null,
    ...search,
  };
}

/** An engine that cannot run on this machine (inside another container, say) is no reason to stop if bubblewrap can. */
async function startOrDoWithout(bubblewrap, context, say) {
  try {
    return await startEngine(context, say);
  } catch (error) {
    if (!bubblewrap) throw error;
    say(`going on with bubblewrap alone: ${error.message}`);
    return null;
  }
}

/** By the service manager where one runs, else as a process of its own that outlives set-up. */
async function startEngine(context, say) {
  if (existsSync('/run/systemd/system')) {
    say('starting the docker service');
    await runProgram('systemctl', ['start', 'docker']);
    const docker = await waitForEngine(() => false);
    if (docker) return docker;
    throw new SetupError('the docker service does not answer', `see "journalctl -u docker", then "${AGAIN}"`);
  }
  const log = join(context.cache, 'log/dockerd.log');
  mkdirSync(join(context.cache, 'log'), { recursive: true });
  say(`starting dockerd, log in ${log}`);
  const docker =
    (await startDaemon(log, [])) ??
    // Sandboxes have no network, so an engine that may not touch the firewall serves as well.
    (await startDaemon(log, ['--iptables=false', '--ip6tables=false', '--bridge=none']));
  if (docker) return docker;
  throw new SetupError(
    `dockerd does not start: ${lastLine(readFileSync(log, 'utf8'))}`,
    `read ${log}, then "${AGAIN}"`,
  );
}

async function startDaemon(log, args) {
  const file = openSync(log, 'a');
  const child = spawn(findProgram('dockerd') ?? '/usr/sbin/dockerd', args, {
    detached: true,
    stdio: ['ignore', file, file],
  });
  closeSync(file);
  let ended = false;
  child.once('error', () => (ended = true));
  child.once('exit', () => (ended = true));
  child.unref();
  return await waitForEngine(() => ended);
}

async function waitForEngine(isHopeless) {
  const candidate = { source: 'started by set-up', socketPath: ENGINE_SOCKET };
  const deadlineMs = Date.now() + START_WAIT_MS;
  while (Date.now() < deadlineMs && !isHopeless()) {
    const result = await pingDocker(candidate);
    if (result.ok) return { ...candidate, ...result.engine };
    await delay(POLL_MS);
  }
  return null;
}

function describeBackend(docker, bubblewrap) {
  const engine = docker ? `Docker ${docker.version} at ${describeDocker(docker)}` : 'no Docker engine';
  return `${engine}; ${bubblewrap ? `bubblewrap at ${bubblewrap}` : 'no bubblewrap'}`;
}

function triedText(tried) {
  const texts = tried.filter(({ reason }) => reason !== 'ENOENT').map(({ at, reason }) => `${at}: ${reason}`);
  return texts.length === 0 ? '' : ` (${texts.join('; ')})`;
}
