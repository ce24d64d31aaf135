/**
 * Reads of a stub's constants. An import gives a suite the bare value, and no reader of `RATE` can be seen. So a suite's file is
 * changed before it is loaded: the name goes from its import and is found in the global object, whose getter tells.
 */
import { readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

const DECLARED = /^if \(a7Marker !== undefined\) a7Marker\.declare\((\{.*\})\);$/mu;
const LIST = /^([ \t]*import\s*(?:[\w$]+\s*,\s*)?)\{([^}]*)\}(\s*from\s*(['"])([^'"\n]+)\4)/gmu;
const SPACE = /^([ \t]*import\s*\*\s*as\s+)([\w$]+)(\s+from\s*(['"])([^'"\n]+)\4;?)/gmu;
const REQUIRED = /^([ \t]*(?:const|let|var)\s*)\{([^}]*)\}(\s*=\s*require\(\s*(['"])([^'"\n]+)\4)/gmu;
/** A file is begun anew after a test that hangs, and helpers are read by each file: what was changed says which names it needs. */
const SERVED = /^\/\/a7-served (\[.*\])$/mu;
const MARKER = "globalThis[Symbol.for('a7.reach')]";

/** Changes the files that read constants of a stub by their names. Only on stubs: nothing of a builder's is near. */
export function watchReads(workDir, files) {
  for (const file of files.filter((each) => /\.[cm]?[jt]sx?$/u.test(each))) {
    const path = resolve(workDir, file);
    try {
      const source = readFileSync(path, 'utf8');
      const before = SERVED.exec(source)?.[1];
      if (before !== undefined) for (const [local, name] of JSON.parse(before)) serve(local, name);
      else change(path, source);
    } catch {
      // The import of the file says it better.
    }
  }
}

function change(path, source) {
  const served = [];
  const changed = withReads(source, (specifier) => constantsOf(path, specifier), served);
  if (changed !== source) writeFileSync(path, `${changed}\n//a7-served ${JSON.stringify(served)}\n`);
}

/** The source with its reads told. `constants` names those of a module, none where it is no stub; what the global object gives goes into `served`. */
function withReads(source, constants, served) {
  const listed = (pattern, separator) => (text) =>
    text.replace(pattern, (all, head, names, tail, _quote, specifier) => {
      const known = constants(specifier);
      if (known.length === 0) return all;
      const kept = names.split(',').filter((part) => !isServed(part.trim().split(separator), known, served));
      return `${head}{${kept.join(',')}${lineEnds(names, kept.join(','))}}${tail}`;
    });
  const spaces = (text) =>
    text.replace(SPACE, (all, head, name, tail, _quote, specifier) =>
      constants(specifier).length === 0
        ? all
        : `${head}${name}$a7${tail.replace(/;?$/u, ';')} const ${name} = ${MARKER}.namespace(${name}$a7);`,
    );
  return [listed(LIST, /\s+as\s+/u), listed(REQUIRED, /\s*:\s*/u), spaces].reduce(
    (text, change) => change(text),
    source,
  );
}

/** Whether a name of the list is one that the global object gives from now on. */
function isServed([name = '', local = name], known, served) {
  if (!known.includes(name) || !serve(local, name)) return false;
  served.push([local, name]);
  return true;
}

function serve(local, name) {
  const present = Object.getOwnPropertyDescriptor(globalThis, local);
  if (present !== undefined) return present.get?.a7Name === name;
  const get = () => globalThis[Symbol.for('a7.reach')].constant(name);
  get.a7Name = name;
  Object.defineProperty(globalThis, local, { get, configurable: true });
  return true;
}

/** What keeps every later line at its number. */
function lineEnds(before, after) {
  return '\n'.repeat(Math.max(0, before.split('\n').length - after.split('\n').length));
}

/** Names of the constants of the stub that an import means. */
function constantsOf(from, specifier) {
  if (!specifier.startsWith('.')) return [];
  try {
    const text = readFileSync(realpathSync(resolve(dirname(from), specifier)), 'utf8');
    const kinds = JSON.parse(DECLARED.exec(text)?.[1] ?? '{}');
    return Object.keys(kinds).filter((name) => kinds[name] === 'constant');
  } catch {
    return [];
  }
}
