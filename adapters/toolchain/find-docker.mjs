// Finds a running Docker engine: DOCKER_HOST, then the docker context, then known sockets (design part 11).
// Plain JavaScript with Node builtins alone, because set-up runs it before anything is installed or compiled, and the
// workers run it later: one implementation for both. It starts nothing and writes nothing.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import { homedir } from 'node:os';
import { join } from 'node:path';

const PING_TIMEOUT_MS = 3000;
const ANSWER_MAX_BYTES = 256 * 1024;

/** Every place an engine may answer, best first, each named by where it was read. Unusable kinds carry a reason. */
export function dockerCandidates({ env = process.env, home = homedir() } = {}) {
  const candidates = [];
  if (env.DOCKER_HOST) candidates.push(fromUrl(env.DOCKER_HOST, 'DOCKER_HOST', env));
  const context = readContext(env, home);
  if (context) candidates.push(fromUrl(context.host, `docker context "${context.name}"`, env));
  for (const socketPath of knownSockets(env, home)) candidates.push(socket(socketPath, 'known socket'));
  return candidates;
}

/** The first candidate that answers, with its versions, or the reason why each one does not. Never throws. */
export async function findDocker({ env = process.env, home = homedir() } = {}) {
  const tried = [];
  for (const candidate of dockerCandidates({ env, home })) {
    const result = await pingDocker(candidate);
    if (result.ok) return { found: { ...candidate, ...result.engine }, tried };
    tried.push({ source: candidate.source, at: describeDocker(candidate), reason: result.reason });
  }
  return { found: null, tried };
}

/** Asks the engine at an address for its version. Never throws; gives up after 3 s. */
export async function pingDocker(candidate) {
  if (candidate.unusable) return { ok: false, reason: candidate.unusable };
  try {
    const { Version, Arch, Os, ApiVersion } = JSON.parse(await get(candidate, '/version'));
    if (typeof Version !== 'string') return { ok: false, reason: 'the answer is not an engine version' };
    if (Os !== 'linux') return { ok: false, reason: `it runs ${String(Os)} containers, needed are linux` };
    return { ok: true, engine: { version: Version, arch: Arch, apiVersion: ApiVersion } };
  } catch (error) {
    return { ok: false, reason: error.code ?? error.message };
  }
}

/** The address as a person writes it. */
export function describeDocker({ socketPath, host, port, url }) {
  return socketPath ?? (host ? `tcp://${host}:${port}` : url);
}

/** Options that name the engine for Node's http.request and for dockerode alike. */
export function dockerOptions({ socketPath, host, port }) {
  return socketPath ? { socketPath } : { host, port, protocol: 'http' };
}

function fromUrl(url, source, env) {
  if (url.startsWith('unix://')) return socket(url.slice('unix://'.length), source);
  if (!url.startsWith('tcp://')) {
    return { source, url, unusable: 'only unix:// and tcp:// addresses are supported' };
  }
  if (env.DOCKER_TLS_VERIFY || env.DOCKER_TLS) {
    return { source, url, unusable: 'TLS is not supported; use a local socket or an ssh-forwarded one' };
  }
  try {
    const { hostname, port } = new URL(url.replace('tcp:', 'http:'));
    return { source, host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 2375) };
  } catch {
    return { source, url, unusable: 'the address is not a URL' };
  }
}

function socket(socketPath, source) {
  return { source, socketPath };
}

function readContext(env, home) {
  const folder = env.DOCKER_CONFIG || join(home, '.docker');
  const name = env.DOCKER_CONTEXT || readJson(join(folder, 'config.json'))?.currentContext;
  if (!name || name === 'default') return null;
  const id = createHash('sha256').update(name).digest('hex');
  const host = readJson(join(folder, 'contexts/meta', id, 'meta.json'))?.Endpoints?.docker?.Host;
  return typeof host === 'string' ? { name, host } : null;
}

function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}

/** Engine as root, rootless, Docker Desktop (Linux, macOS), Colima, Rancher Desktop, OrbStack. */
function knownSockets(env, home) {
  return [
    '/var/run/docker.sock',
    ...(env.XDG_RUNTIME_DIR ? [join(env.XDG_RUNTIME_DIR, 'docker.sock')] : []),
    ...[
      '.docker/run/docker.sock',
      '.docker/desktop/docker.sock',
      '.colima/default/docker.sock',
      '.colima/docker.sock',
      '.rd/docker.sock',
      '.orbstack/run/docker.sock',
    ].map((path) => join(home, path)),
  ];
}

function get(candidate, path) {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(PING_TIMEOUT_MS);
    const request = http.get({ ...dockerOptions(candidate), protocol: 'http:', path, signal }, (response) => {
      const chunks = [];
      let bytes = 0;
      response.on('data', (chunk) => {
        bytes += chunk.length;
        if (bytes > ANSWER_MAX_BYTES) request.destroy(new Error('the answer is too long'));
        chunks.push(chunk);
      });
      response.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
      response.on('error', reject);
    });
    request.on('error', reject);
  });
}
