// Images for docker-compose.yml where no registry of images can be reached: made of Debian packages, the Go module proxy and npm.
//   node scripts/stand-ins.mjs            makes what is missing and prints the file for "docker compose --env-file"
//   node scripts/stand-ins.mjs --remove   removes the images; programs stay in the cache
// Needs root on Debian, a Docker engine, its command line, Go and mmdebstrap. Takes some 15 minutes the first time.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheFolder } from './setup/cache.mjs';
import { SetupError } from './setup/setup-error.mjs';
import { layContext, makeBase, run } from './stand-ins/make.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
/** Variable of .env, and target of deploy/stand-ins/Dockerfile. */
const TARGETS = {
  POSTGRES_IMAGE: 'postgres',
  TEMPORAL_IMAGE: 'temporal',
  TEMPORAL_TOOLS_IMAGE: 'tools',
  TEMPORAL_UI_IMAGE: 'ui',
  NODE_IMAGE: 'node',
};
const REPOSITORY = 'a7-rt/stand-in';
/** The classic builder takes local images as they are and fetches no front end. */
const CLASSIC = { ...process.env, DOCKER_BUILDKIT: '0' };

try {
  await (process.argv.includes('--remove') ? remove() : make());
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  process.stderr.write(`Cannot make the stand-ins: ${error.message}\nNext: ${error.nextStep}\n`);
  process.exitCode = 1;
}

async function make() {
  const folder = join(cacheFolder(), 'stand-ins');
  mkdirSync(folder, { recursive: true });
  const settings = readFileSync(join(ROOT, '.env'), 'utf8');
  const base = `${REPOSITORY}/debian:local`;
  await makeBase(base, folder, say);
  const context = await layContext({ root: ROOT, folder, versionOf: versionIn(settings) }, say);
  const made = { DEBIAN_IMAGE: base };
  for (const [variable, target] of Object.entries(TARGETS)) {
    made[variable] = `${REPOSITORY}/${target}:local`;
    say(`building ${made[variable]}`);
    const args = ['build', '--quiet', '--target', target, '--tag', made[variable]];
    await run('docker', [...args, '--build-arg', `DEBIAN_IMAGE=${base}`, context], { env: CLASSIC });
  }
  const file = join(folder, 'compose.env');
  writeFileSync(file, withImages(settings, made));
  process.stdout.write(`${file}\n`);
}

function versionIn(settings) {
  return (variable) => new RegExp(`^${variable}=.*:([^:\\s]+)$`, 'mu').exec(settings)[1];
}

function withImages(settings, made) {
  return settings.replaceAll(/^(\w+_IMAGE)=.*$/gmu, (line, name) =>
    name in made ? `${name}=${made[name]}` : line,
  );
}

async function remove() {
  const file = join(cacheFolder(), 'stand-ins/compose.env');
  if (!existsSync(file)) return;
  const images = [...readFileSync(file, 'utf8').matchAll(/^\w+_IMAGE=(.*)$/gmu)].map(([, image]) => image);
  await run('docker', ['image', 'rm', ...images.filter((image) => image.startsWith(REPOSITORY))]);
}

function say(text) {
  process.stderr.write(`stand-ins: ${text}\n`);
}
