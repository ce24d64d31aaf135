/**
 * Which files ran as code, in every process that the tests started: V8 writes it down by itself for whoever asks
 * (`NODE_V8_COVERAGE`), whatever loaded them: `import`, `require`, or a runner's own loader. Names of files alone are kept.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FOLDER = '/tmp/.loaded';
const FILES_A_LINE = 500;
const FILES_MAX = 20_000;
const BYTES_MAX = 128 * 1024 * 1024;

/** From now on every Node process that is started notes what it loads. */
export function watchLoaded() {
  mkdirSync(FOLDER, { recursive: true });
  process.env.NODE_V8_COVERAGE = FOLDER;
}

/** Lines for the report. `workDir`: paths below it are told from there. `leftOut`: folder of our own programs, with its last `/`. */
export function loadedLines(workDir, leftOut) {
  const files = [...loadedPaths()]
    .filter((path) => !path.startsWith(leftOut))
    .map((path) => (path.startsWith(`${workDir}/`) ? path.slice(workDir.length + 1) : path))
    .filter((path) => path !== '' && path.length <= 1000)
    .sort()
    .slice(0, FILES_MAX)
    .map((path) => ({ name: '', path, hash: null }));
  rmSync(FOLDER, { recursive: true, force: true });
  const lines = [];
  for (let from = 0; from === 0 || from < files.length; from += FILES_A_LINE)
    lines.push({ kind: 'loaded', files: files.slice(from, from + FILES_A_LINE), children: false });
  return lines;
}

function loadedPaths() {
  const paths = new Set();
  let bytes = 0;
  for (const name of readdirSync(FOLDER)) {
    const file = `${FOLDER}/${name}`;
    bytes += statSync(file).size;
    if (bytes > BYTES_MAX) break;
    // A process that was killed leaves half a file.
    for (const [, url] of readFileSync(file, 'utf8').matchAll(/"url":"(file:[^"]*)"/g)) {
      try {
        paths.add(fileURLToPath(url));
      } catch {
        // No file of this machine.
      }
    }
  }
  return paths;
}
