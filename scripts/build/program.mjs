// Bundles a program of ours with its packages into one file, so that a process starts in a third of the time: some 1,500
// files are not looked up, opened and parsed one by one. Beside it lies V8's code cache (bin/load-program.cjs).
// Tests bundle programs of their own: node scripts/build/program.mjs SOURCE OUTFILE
import { mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
/** Where the product's programs lie. */
export const BUNDLES = join(ROOT, 'dist', 'bundle');

/** Loaded from their packages when they are used: native code, and what only development needs. */
const EXTERNAL = ['@ast-grep/*', '@swc/*', 'cpu-features', 'webpack', '*.node'];
/** Modules of packages that a bundle must not swallow: they look for files beside themselves, and are seldom needed. */
const LAZY = /@temporalio[\\/]worker[\\/]lib[\\/](workflow[\\/]bundler|debug-replayer[\\/]index)\.js$/;
/**
 * What is asked of them at every start. A worker compares the second with the interceptors that it was given: we give none, and a
 * set of one is what the SDK's own is. To ask the real module would load webpack, a tenth of a start.
 */
const KNOWN = { __esModule: true, defaultWorkflowInterceptorModules: ['@temporalio/worker'] };
const THREAD_STARTER = /@temporalio[\\/]worker[\\/]lib[\\/]workflow[\\/]threaded-vm\.js$/;
/** Modules that read a file beside themselves, and the package of ours through which they are found. */
const BESIDE = [
  { module: /@temporalio[\\/]core-bridge[\\/]common\.js$/, name: '@temporalio/core-bridge/common.js' },
  { module: /[\\/]source-map[\\/]lib[\\/]read-wasm\.js$/, name: 'source-map/lib/read-wasm.js' },
];

/**
 * Writes `outfile` (CommonJS) whole or not at all. `entry` is a source file of this repository or of a package.
 * @throws when a module cannot be bundled, or the bundler has a warning: what it warns of would break when it is reached
 */
export async function bundleProgram(entry, outfile) {
  const { build } = await import('esbuild');
  const fresh = `${outfile}.${String(process.pid)}.cjs`;
  try {
    const { warnings } = await build({
      entryPoints: [entry],
      outfile: fresh,
      bundle: true,
      platform: 'node',
      format: 'cjs',
      target: 'node20',
      external: EXTERNAL,
      banner: { js: bannerOf(relative(dirname(outfile), join(ROOT, 'dist'))) },
      plugins: [places()],
      legalComments: 'none',
      logLevel: 'silent',
    });
    if (warnings.length > 0)
      throw new Error(warnings.map(({ text, location }) => `${location?.file ?? entry}: ${text}`).join('\n'));
    // V8 takes a cache for that of any program of the same length: `= 2e4` would go on where `= 6e4` is written now.
    rmSync(`${outfile}.cache`, { force: true });
    renameSync(fresh, outfile);
  } finally {
    rmSync(fresh, { force: true });
  }
}

/** Command line, services, and the SDK's thread that runs workflows, into {@link BUNDLES}. */
export async function bundleProduct() {
  mkdirSync(BUNDLES, { recursive: true });
  const thread = createRequire(import.meta.url).resolve(
    '@temporalio/worker/lib/workflow/workflow-worker-thread',
  );
  await Promise.all([
    bundleProgram(join(ROOT, 'client/cli.ts'), join(BUNDLES, 'cli.cjs')),
    bundleProgram(join(ROOT, 'workers/services/index.ts'), join(BUNDLES, 'services.cjs')),
    bundleProgram(thread, join(BUNDLES, 'workflow-thread.cjs')),
    bundleProgram(join(ROOT, 'adapters/workflows/parser-entry.ts'), join(BUNDLES, 'workflow-parser.cjs')),
  ]);
}

/** What a bundled module asks for its own place: below `dist`, where the compiled modules and their files lie. */
function bannerOf(dist) {
  return [
    `const __a7Dist = require("node:path").join(__dirname, ${JSON.stringify(dist)});`,
    `const __a7Place = (path) => require("node:url").pathToFileURL(require("node:path").join(__a7Dist, path)).href;`,
    `const __a7Require = require("node:module").createRequire(__a7Dist + "/");`,
    `const __a7FolderOf = (name) => { const { createRequire } = require("node:module"); const worker = createRequire(__a7Require.resolve("@temporalio/worker")); return require("node:path").dirname(worker.resolve(name)); };`,
  ].join('');
}

function places() {
  return {
    name: 'places',
    setup(build) {
      const change = (filter, changed) =>
        build.onLoad({ filter }, ({ path }) => {
          const contents = changed(readFileSync(path, 'utf8'), path);
          if (contents !== null) return { contents, loader: path.endsWith('.ts') ? 'ts' : 'js' };
        });
      change(/\.(ts|mjs)$/, placed);
      change(LAZY, (_, path) => lazy(path.slice(path.lastIndexOf('@temporalio')).replaceAll('\\', '/')));
      change(THREAD_STARTER, (text) =>
        replaced(
          text,
          "require.resolve('./workflow-worker-thread')",
          'require("node:path").join(__a7Dist, "..", "bin", "workflow-thread.cjs")',
        ),
      );
      for (const { module, name } of BESIDE)
        change(module, (text) => replaced(text, '__dirname', `__a7FolderOf(${JSON.stringify(name)})`));
    },
  };
}

/** A module of ours lies where its compiled form lies below `dist`. */
function placed(text, path) {
  if (path.includes('node_modules') || !text.includes('import.meta.url')) return null;
  const place = relative(ROOT, path).replace(/\.ts$/, '.js').replaceAll('\\', '/');
  return text.replaceAll('import.meta.url', `__a7Place(${JSON.stringify(place)})`);
}

/** Stands for a module of a package: loads the real one, from its own place, when something of it is asked for. */
function lazy(name) {
  const load = `__a7Require(${JSON.stringify(name)})`;
  return `const known = ${JSON.stringify(KNOWN)}; module.exports = new Proxy({}, { get: (_, key) => (key in known ? known[key] : ${load}[key]) });`;
}

function replaced(text, from, to) {
  if (!text.includes(from))
    throw new Error(
      `Cannot bundle: "${from}" is not in the SDK's module any more; see scripts/build/program.mjs`,
    );
  return text.replaceAll(from, to);
}

const [, self, source, outfile] = process.argv;
if (self !== undefined && import.meta.url === pathToFileURL(self).href) await bundleProgram(source, outfile);
