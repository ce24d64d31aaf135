// The recipe of the sandbox image: the files in sandbox/image, named by one hash, and the Node program it takes in.
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { AGAIN } from './again.mjs';
import { SetupError } from './setup-error.mjs';
import { npmErrorLine, runNpm, runProgram } from './run-program.mjs';

export const IMAGE_REPOSITORY = 'a7-rt/sandbox';

const FETCH_TIMEOUT_MS = 5 * 60_000;

/** {folder, hash, tag, versions} for a processor architecture as Node names it; the hash covers every file and `arch`. */
export function readRecipe(root, arch) {
  const folder = join(root, 'sandbox/image');
  const sum = createHash('sha256');
  for (const name of readdirSync(folder).sort()) {
    sum
      .update(`${name}\0`)
      .update(readFileSync(join(folder, name)))
      .update('\0');
  }
  const hash = sum.update(arch).digest('hex').slice(0, 12);
  const versions = JSON.parse(readFileSync(join(folder, 'versions.json'), 'utf8'));
  return { folder, hash, arch, tag: `${IMAGE_REPOSITORY}:${hash}`, versions };
}

/** Node's name for the architecture of an engine, or this process's own without one. */
export function archOf(docker) {
  const names = { amd64: 'x64', x86_64: 'x64', arm64: 'arm64', aarch64: 'arm64' };
  return docker ? (names[docker.arch] ?? docker.arch) : process.arch;
}

/** Fetches the plain Linux program of Node from npm, checked against the pinned integrity. @throws {SetupError} */
export async function fetchNode({ arch, versions }, folder) {
  const { version, integrity } = versions.node;
  if (!integrity[arch]) {
    throw new SetupError(
      `the sandbox image is not made for processor "${arch}"`,
      'use an x86_64 or arm64 machine',
    );
  }
  const name = `node-linux-${arch}@${version}`;
  const args = ['pack', name, '--json', '--pack-destination', folder];
  const result = await runNpm(args, { cwd: folder, timeoutMs: FETCH_TIMEOUT_MS });
  if (!result.ok)
    throw new SetupError(
      `npm could not fetch ${name}: ${npmErrorLine(result.stderr)}`,
      `check that npm reaches its registry, then "${AGAIN}"`,
    );
  const [packed] = JSON.parse(result.stdout);
  if (packed.integrity !== integrity[arch]) {
    throw new SetupError(
      `${name} has integrity ${packed.integrity}, pinned is ${integrity[arch]}`,
      'do not use it',
    );
  }
  await runProgram('tar', ['-xzf', join(folder, packed.filename), '-C', folder, 'package/bin/node']);
  return join(folder, 'package/bin/node');
}
