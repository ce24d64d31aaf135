// Tools of agent `native`: what a model may do in /work. Each failure is told with the next step; nothing here is a wall, the room is.
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const ROOT = process.env.A7_NATIVE_ROOT ?? '/work';
const TEXT_MAX = 16_000;
const FILES_MAX = 400;
const HITS_MAX = 100;
const SECONDS_MAX = 600;

const text = (description) => ({ type: 'string', description });
const number = (description) => ({ type: 'integer', description });

function tool(name, description, properties, required, run) {
  const parameters = { type: 'object', properties, required, additionalProperties: false };
  return { spec: { type: 'function', function: { name, description, parameters } }, run };
}

class Told extends Error {}

/** A path below the root that is not git's. */
function placeOf(path) {
  if (typeof path !== 'string' || path === '')
    throw new Told('"path" must be text. Call list_files to see paths');
  const clean = normalize(path.startsWith(`${ROOT}/`) ? path.slice(ROOT.length + 1) : path);
  if (clean.startsWith('/') || clean.startsWith('..'))
    throw new Told(`"${path}" is outside of the repository. Use a path below ${ROOT}`);
  if (clean === '.git' || clean.startsWith('.git/'))
    throw new Told('Files of git are not changed here. Use git by run_command');
  return join(ROOT, clean);
}

function* filesBelow(folder, prefix = '') {
  for (const entry of readdirSync(folder, { withFileTypes: true }).toSorted((a, b) =>
    a.name < b.name ? -1 : 1,
  )) {
    if (entry.name === '.git' || entry.name === 'node_modules' || entry.name === '__pycache__') continue;
    const path = prefix + entry.name;
    if (entry.isDirectory()) yield* filesBelow(join(folder, entry.name), `${path}/`);
    else if (entry.isFile()) yield path;
  }
}

function cut(words) {
  return words.length <= TEXT_MAX
    ? words
    : `${words.slice(0, TEXT_MAX / 2)}\n[${String(words.length - TEXT_MAX)} characters left out]\n${words.slice(-TEXT_MAX / 2)}`;
}

function read(path) {
  const place = placeOf(path);
  const found = statSync(place, { throwIfNoEntry: false });
  if (found === undefined)
    throw new Told(`There is no file "${path}". Call list_files, or write_file to make it`);
  if (found.isDirectory()) throw new Told(`"${path}" is a folder. Call list_files with it`);
  return readFileSync(place, 'utf8');
}

export const TOOLS = [
  tool(
    'list_files',
    'Lists files of the repository',
    { folder: text('Only below this folder') },
    [],
    ({ folder }) => {
      const below = folder === undefined || folder === '.' ? '' : `${folder.replace(/\/+$/, '')}/`;
      const all = [...filesBelow(below === '' ? ROOT : placeOf(folder), below)];
      return (
        `${all.slice(0, FILES_MAX).join('\n')}${all.length > FILES_MAX ? `\n[${String(all.length - FILES_MAX)} more: name a folder]` : ''}` ||
        'No files'
      );
    },
  ),
  tool(
    'read_file',
    'Shows a file with line numbers',
    {
      path: text('For example src/app.py'),
      first: number('First line, from 1'),
      count: number('Number of lines'),
    },
    ['path'],
    ({ path, first = 1, count = 800 }) => {
      const lines = read(path).split('\n');
      const shown = lines
        .slice(first - 1, first - 1 + count)
        .map((line, at) => `${String(first + at)}\t${line}`);
      return `${path}, ${String(lines.length)} lines\n${shown.join('\n')}`;
    },
  ),
  tool(
    'search',
    'Finds lines that fit a regular expression',
    { pattern: text('JavaScript regular expression'), folder: text('Only below this folder') },
    ['pattern'],
    ({ pattern, folder }) => {
      let wanted;
      try {
        wanted = new RegExp(pattern);
      } catch (error) {
        throw new Told(`"${pattern}" is no regular expression: ${error.message}`);
      }
      const below = folder === undefined || folder === '.' ? '' : `${folder.replace(/\/+$/, '')}/`;
      const hits = [];
      for (const path of filesBelow(below === '' ? ROOT : placeOf(folder), below)) {
        if (hits.length >= HITS_MAX) break;
        const place = join(ROOT, path);
        if (statSync(place).size > 1_000_000) continue;
        for (const [at, line] of readFileSync(place, 'utf8').split('\n').entries())
          if (wanted.test(line)) hits.push(`${path}:${String(at + 1)}: ${line.slice(0, 300)}`);
      }
      return hits.slice(0, HITS_MAX).join('\n') || 'Nothing fits';
    },
  ),
  tool(
    'write_file',
    'Writes a whole file, new or not',
    { path: text('Its path'), content: text('All of it') },
    ['path', 'content'],
    ({ path, content }) => {
      const place = placeOf(path);
      mkdirSync(dirname(place), { recursive: true });
      writeFileSync(place, content);
      return `Written: ${path}, ${String(content.split('\n').length)} lines`;
    },
  ),
  tool(
    'edit_file',
    'Puts new text in place of old text that stands exactly once in the file',
    {
      path: text('Its path'),
      old: text('Text as it is, with its white space'),
      new: text('Text as it should be'),
    },
    ['path', 'old', 'new'],
    ({ path, old, new: fresh }) => {
      const before = read(path);
      const times = old === '' ? 0 : before.split(old).length - 1;
      if (times !== 1)
        throw new Told(
          `"old" stands ${String(times)} times in ${path}, it must stand there once. Read the file and give more of the text around it`,
        );
      writeFileSync(
        placeOf(path),
        before.replace(old, () => fresh),
      );
      return `Changed: ${path}`;
    },
  ),
  tool('delete_file', 'Removes a file', { path: text('Its path') }, ['path'], ({ path }) => {
    read(path);
    rmSync(placeOf(path));
    return `Removed: ${path}`;
  }),
  tool(
    'run_command',
    'Runs a shell command in /work and shows what it prints',
    { command: text('For example python3 -m pytest -q'), seconds: number('Time limit, default 120') },
    ['command'],
    ({ command, seconds = 120 }) => shell(command, Math.min(seconds, SECONDS_MAX)),
  ),
  tool(
    'finish',
    'Says that the task is done and its checks pass',
    { notes: text('What was changed and why, in a few lines') },
    ['notes'],
    () => 'Finished',
  ),
];

function shell(command, seconds) {
  return new Promise((resolve) => {
    const child = spawn('sh', ['-c', command], {
      cwd: ROOT,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    const add = (chunk) =>
      (said =
        said.length > 4 * TEXT_MAX ? said.slice(0, TEXT_MAX) + said.slice(-TEXT_MAX) + chunk : said + chunk);
    child.stdout.on('data', add);
    child.stderr.on('data', add);
    let late = false;
    const end = () => {
      try {
        process.kill(-child.pid, 'SIGKILL');
      } catch {
        // All of its group has ended.
      }
    };
    const timer = setTimeout(() => {
      late = true;
      end();
    }, seconds * 1000);
    child.on('error', (error) => resolve(`Could not start: ${error.message}`));
    child.on('exit', (code, signal) => {
      clearTimeout(timer);
      // A process that it left behind would hold the pipes open.
      end();
      const how = late
        ? `ended after ${String(seconds)} s: give "seconds", or do less`
        : signal === null
          ? `exit code ${String(code)}`
          : `ended by ${signal}`;
      setImmediate(() => resolve(`${cut(said)}\n[${how}]`));
    });
  });
}

/** Does what a model asked; whatever goes wrong is told to it. */
export async function runTool(name, args) {
  const found = TOOLS.find(({ spec }) => spec.function.name === name);
  if (found === undefined)
    return {
      ok: false,
      text: `There is no tool "${name}". There are: ${TOOLS.map(({ spec }) => spec.function.name).join(', ')}`,
    };
  const { properties, required } = found.spec.function.parameters;
  const wrong =
    args === null || typeof args !== 'object'
      ? 'The arguments are no JSON object'
      : (required
          .filter((field) => args[field] === undefined || args[field] === null)
          .map((field) => `"${field}" is missing`)[0] ??
        Object.entries(args)
          .filter(
            ([field, value]) =>
              properties[field] !== undefined &&
              value !== null &&
              typeof value !== (properties[field].type === 'integer' ? 'number' : 'string'),
          )
          .map(([field]) => `"${field}" must be ${properties[field].type}`)[0]);
  if (wrong !== undefined) return { ok: false, text: `Cannot run ${name}: ${wrong}` };
  // Models fill optional fields by null.
  const given = Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null));
  try {
    const said = await found.run(given);
    return { ok: true, text: cut(said), ...(name === 'finish' ? { finish: String(args.notes) } : {}) };
  } catch (error) {
    return { ok: false, text: error instanceof Told ? error.message : `${name} failed: ${error.message}` };
  }
}
