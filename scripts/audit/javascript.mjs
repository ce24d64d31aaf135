// Plain `node --test`, one file after another, read through a reporter of Node's own reporter interface.
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { insidePath, runInRoom } from './runners.mjs';

const REPORTER = fileURLToPath(new URL('node-reporter.mjs', import.meta.url));

export const javascriptRunner = {
  isTest: (path) => /\.(test|spec)\.[cm]?js$/u.test(path),
  isSource: (path) => /\.[cm]?js$/u.test(path),
  missing: (tools) => (tools.node === null ? 'Cannot audit: node cannot be started. Give --node PATH' : null),
  stub: (_tools, kind, source) => stub(kind, source),
  run: (tools, options) => runWith(tools, options, () => []),
};

/** `more` gives further arguments of node, by the place of the run's folder. */
export async function runWith(tools, { folder, suite, env, timeoutMs }, more) {
  copyFileSync(REPORTER, join(folder, 'reporter.mjs'));
  const at = insidePath(tools.nodeRoom, folder);
  const tests = [];
  let ended = true;
  let error = null;
  for (const path of suite) {
    const reporter = `--test-reporter=${at}/reporter.mjs`;
    const argv = [tools.node.program, '--no-warnings', ...more(at), '--test', reporter, path];
    const start = () => runInRoom(tools.nodeRoom, folder, argv, { env, timeoutMs });
    let result = await start();
    let own = read(result.stdout, `${at}/work/`, path);
    // Under load node may end before its reporter said a word: a run that told nothing is asked once more.
    if (own.length === 0 && !result.timedOut) {
      result = await start();
      own = read(result.stdout, `${at}/work/`, path);
    }
    if (own.length === 0) error ??= `${path} told of no test, exit code ${result.code}`;
    const file = own.find((test) => test.isFile);
    if (file?.outcome === 'failed') error ??= `${path} cannot be loaded`;
    tests.push(...own.filter((test) => !test.isFile).map(({ id, outcome }) => ({ id, outcome })));
    ended &&= [0, 1].includes(result.code) && !result.timedOut;
  }
  return { tests, ended, error };
}

/** Lines of the reporter; a file that holds no test is told by node as one test of its own name. */
function read(text, root, path) {
  return text
    .split('\n')
    .filter((row) => row.startsWith('{"audit":'))
    .map((row) => JSON.parse(row))
    .map(({ names, outcome }) => {
      const isFile = names.length === 1 && (names[0] === path || names[0] === `${root}${path}`);
      return { id: [path, ...names].join('::'), outcome, isFile };
    });
}

/** Every exported name as a function that returns undefined; `wrong` makes constants of them. */
function stub(kind, source) {
  const value = kind === 'wrong' ? 'null' : 'function () {}';
  const names = new Set();
  for (const [, name] of source.matchAll(
    /^\s*export\s+(?:async\s+)?(?:function\s*\*?|class|const|let|var)\s+([\w$]+)/gmu,
  ))
    names.add(name);
  for (const [, list] of source.matchAll(/^\s*export\s*\{([^}]*)\}/gmu)) {
    for (const item of list.split(','))
      names.add(
        item
          .trim()
          .split(/\s+as\s+/u)
          .at(-1),
      );
  }
  const isDefault = /^\s*export\s+default\b/mu.test(source) || names.has('default');
  names.delete('default');
  names.delete('');
  const rows = [...names].map((name) => `export const ${name} = ${value};`);
  return `${[...rows, ...(isDefault ? [`export default ${value};`] : [])].join('\n')}\n`;
}
