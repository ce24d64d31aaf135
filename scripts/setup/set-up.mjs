// Sets up all that demo, tests and work need: packages, build, Temporal program, sandbox backend, sandbox image. `npm run setup`
// in a checkout and `a7-rt setup` where the package is installed are this one function.
// Node builtins only, because it runs before anything is installed. With nothing to do it takes well under 2 s.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import { AGAIN } from './again.mjs';
import { cacheFolder, readTools, writeTools } from './cache.mjs';
import { createConsent } from './debian.mjs';
import { provideBackend } from './engine.mjs';
import { provideImage } from './image.mjs';
import { withSetupLock } from './lock.mjs';
import { buildSources, installNpmPackages, packagesMatch } from './packages.mjs';
import { createReport } from './report.mjs';
import { SetupError } from './setup-error.mjs';
import { provideTemporal } from './temporal.mjs';

const USAGE = `usage: ${AGAIN} [--check] [--quiet]
  --check   change nothing; say what is missing and exit 1 if anything is
  --quiet   say only what is changed or missing
Environment: A7_CACHE (folder of programs and images), A7_TEMPORAL (path of the Temporal program),
  A7_BASE_IMAGE (base of the sandbox image), DOCKER_HOST
`;

/** Gives the exit code: 0 all is there, 1 something is missing and cannot be had, 2 wrong use. */
export async function setUp(args) {
  const options = readOptions(args);
  if (!options) return 2;
  if (options.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const report = createReport(options);
  const cache = cacheFolder();
  // Made under the lock: what another set-up recorded meanwhile counts.
  const work = () => runSteps(createContext(options, cache), report);
  const onWait = () => report.note('wait', 'another set-up is running; going on when it has ended');
  const ok = options.check ? await work() : await withSetupLock(cache, work, { onWait });
  if (ok) report.ready('Ready');
  return ok ? 0 : 1;
}

function readOptions(args) {
  const flag = { type: 'boolean', default: false };
  try {
    return parseArgs({ args, options: { check: flag, quiet: flag, help: flag } }).values;
  } catch (error) {
    process.stderr.write(`${error.message}\n${USAGE}`);
    return null;
  }
}

function createContext({ check }, cache) {
  return {
    root: dirname(dirname(dirname(fileURLToPath(import.meta.url)))),
    cache,
    check,
    env: process.env,
    platform: process.platform,
    isRoot: process.getuid?.() === 0,
    recorded: readTools(cache),
    consent: createConsent(),
  };
}

/** Stops at the first thing that cannot be had, or with --check goes on to name them all. */
async function runSteps(context, report) {
  const tools = {};
  let missing = 0;
  const step = async (name, work) => {
    if (missing > 0 && !context.check) return;
    try {
      return await report.step(name, (say) => work(say));
    } catch (error) {
      missing += 1;
      fail(report, name, error);
    }
  };
  await step('packages', () => (context.check ? checkPackages(context) : installNpmPackages(context)));
  tools.temporal = (await step('temporal', (say) => provideTemporal(context, say)))?.temporal;
  const backend = await step('sandbox', (say) => provideBackend(context, say));
  if (backend) tools.image = (await step('image', (say) => provideImage(context, backend, say)))?.image;
  if (missing === 0 && !context.check) {
    writeTools(context.cache, { temporal: tools.temporal, ...backendRecord(backend), image: tools.image });
  }
  // Last, so that a checkout whose sources do not compile at the moment has its tools all the same.
  await step('build', (say) => buildSources(context, say));
  return missing === 0;
}

function backendRecord({ docker, bubblewrap }) {
  if (!docker) return { docker: null, bubblewrap };
  const { socketPath, host, port, version } = docker;
  return { docker: socketPath ? { socketPath, version } : { host, port, version }, bubblewrap };
}

function checkPackages({ root }) {
  if (!existsSync(join(root, 'package-lock.json'))) return { did: false, text: 'installed with the program' };
  if (packagesMatch(root)) return { did: false, text: 'up to date' };
  throw new SetupError('node_modules does not match package-lock.json', `run "${AGAIN}"`);
}

function fail(report, name, error) {
  if (!(error instanceof SetupError)) throw error;
  report.note(name, `Cannot set up: ${error.message}\n${' '.repeat(11)}Next: ${error.nextStep}`);
}
