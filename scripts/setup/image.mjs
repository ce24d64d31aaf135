// The sandbox image, and the same root file system unpacked for bubblewrap, both named by the hash of the recipe.
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AGAIN } from './again.mjs';
import { withWorkFolder } from './cache.mjs';
import { installPackages, isDebian } from './debian.mjs';
import { buildImage, exportRootfs, importImage, inspectImage, pullImage } from './docker-api.mjs';
import { archOf, fetchNode, IMAGE_REPOSITORY, readRecipe } from './recipe.mjs';
import { rootfsFolder, unpackRootfs } from './rootfs.mjs';
import { SetupError } from './setup-error.mjs';
import { findProgram, lastLine, runProgram } from './run-program.mjs';

const BUILD_TIMEOUT_MS = 15 * 60_000;

/** What the Dockerfile says about its last layer, for an image that is imported. */
const IMPORT_CHANGES = [
  'ENV PATH=/usr/local/bin:/usr/bin:/bin',
  'ENV HOME=/tmp',
  'ENV LANG=C.UTF-8',
  'ENV PYTHONDONTWRITEBYTECODE=1',
  'LABEL a7-rt.image=1',
  'USER 65534:65534',
  'WORKDIR /work',
];

/**
 * Makes sure that the engine holds the image and, on Linux with bubblewrap, that its root file system is unpacked.
 * Gives {tag, recipeHash, layers, rootfs}; `layers` is empty without an engine. @throws {SetupError}
 */
export async function provideImage(context, { docker, bubblewrap }, say) {
  const recipe = readRecipe(context.root, archOf(docker));
  const wantsRootfs = bubblewrap !== null && archOf(null) === recipe.arch;
  const rootfs = rootfsFolder(context.cache, recipe.hash);
  const needs = {
    rootfs: wantsRootfs && !existsSync(rootfs),
    image: docker && !(await inspectImage(docker, recipe.tag)),
  };
  const did = Boolean(needs.rootfs || needs.image);
  if (did && context.check)
    throw new SetupError(`${recipe.tag} is missing or not unpacked`, `run "${AGAIN}"`);
  if (did) {
    await withWorkFolder(context.cache, (folder) =>
      make({ context, docker, recipe, needs, rootfs, folder }, say),
    );
  }
  const layers = docker ? (await inspectImage(docker, recipe.tag)).layers : [];
  const image = { tag: recipe.tag, recipeHash: recipe.hash, layers, rootfs: wantsRootfs ? rootfs : null };
  return { did, text: `${recipe.tag}${did ? ' made' : ''}`, image };
}

async function make(job, say) {
  const { docker, recipe, needs, rootfs, folder } = job;
  const tar = join(folder, 'rootfs.tar');
  if (needs.image) await makeImage(job, tar, say);
  if (!needs.rootfs) return;
  say('unpacking the root file system for bubblewrap');
  const given = job.context.env.A7_ROOTFS_TAR;
  if (!existsSync(tar) && !given && docker) await exportRootfs(docker, recipe.tag, tar);
  if (!existsSync(tar) && !given) await packRootfs(job, tar, say);
  await unpackRootfs(given || tar, rootfs);
}

async function makeImage(job, tar, say) {
  const { docker, recipe } = job;
  const reason = await makeFromBase(job, say);
  if (reason === null) return;
  say(`made from Debian packages instead (about a minute): ${reason.slice(0, 200)}`);
  await packRootfs(job, tar, say, reason);
  const [, tag] = recipe.tag.split(':');
  await importImage(docker, { tar, repository: IMAGE_REPOSITORY, tag, changes: IMPORT_CHANGES });
}

/** Builds the Dockerfile; null on success, else why the base image cannot be had or built upon. */
async function makeFromBase(job, say) {
  const { context, docker, recipe, folder } = job;
  const baseImage = context.env.A7_BASE_IMAGE || recipe.versions.baseImage;
  const pullReason = (await inspectImage(docker, baseImage)) ? null : await pullImage(docker, baseImage);
  if (pullReason !== null) return `base image ${baseImage} cannot be pulled`;
  say(`building ${recipe.tag} on ${baseImage}`);
  const staged = join(folder, 'context');
  mkdirSync(staged);
  for (const name of readdirSync(recipe.folder)) copyFileSync(join(recipe.folder, name), join(staged, name));
  copyFileSync(await fetchNode(recipe, folder), join(staged, 'node'));
  const contextTar = join(folder, 'context.tar');
  await runProgram('tar', ['-cf', contextTar, '-C', staged, '.'], { timeoutMs: BUILD_TIMEOUT_MS });
  try {
    await buildImage(docker, { contextTar, tag: recipe.tag, baseImage });
    return null;
  } catch (error) {
    return `the Dockerfile does not build: ${error.message}`;
  }
}

/** Makes the root file system from Debian packages. @throws {SetupError} where that needs rights or programs */
async function packRootfs({ context, recipe, folder }, tar, say, reason = 'there is no engine') {
  if (!context.isRoot || !isDebian() || archOf(null) !== recipe.arch) {
    throw new SetupError(
      `${reason}, and making it from packages needs root on Debian`,
      `set A7_BASE_IMAGE to a Debian image the engine can reach, or run once as root on Debian, then "${AGAIN}"`,
    );
  }
  if (!findProgram('mmdebstrap')) {
    if (!(await context.consent('Making the sandbox image needs mmdebstrap'))) {
      throw new SetupError('the image needs mmdebstrap', `run "apt-get install mmdebstrap", then "${AGAIN}"`);
    }
    await installPackages(['mmdebstrap'], say);
  }
  const node = await fetchNode(recipe, folder);
  chmodSync(folder, 0o755);
  const script = join(recipe.folder, 'build-rootfs.sh');
  const result = await runProgram('bash', [script, tar, node], { cwd: folder, timeoutMs: BUILD_TIMEOUT_MS });
  if (result.ok) return;
  const log = join(context.cache, 'log/image.log');
  mkdirSync(join(context.cache, 'log'), { recursive: true });
  writeFileSync(log, `${result.stdout}${result.stderr}`);
  const cause = /^E: .+/m.exec(result.stderr)?.[0] ?? lastLine(result.output);
  throw new SetupError(`the image cannot be made: ${cause}`, `read ${log}, then "${AGAIN}"`);
}
