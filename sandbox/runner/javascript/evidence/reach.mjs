/**
 * Which declared exports a test reached on stubs (gate.md part 3). Calls are recorded when they happen. What the test's
 * own lines name counts as reached too: constants and types cannot be called, and on a stub an honest test of a method
 * often ends at the call before it. Whether such a test asserts anything of it is for the mutation check to tell.
 */
import { follower } from './follow.mjs';

const MAX_REACHED = 500;
const BUILT = new Set(['class', 'exception']);

/** State of one file's run; `install` gives stubs their marker. `variant` is for the stub `wrong`. */
export function reachRecorder({
  second = false,
  loose = false,
  closed = false,
  silent = [],
  raising = [],
  followed = [],
  others = [],
} = {}) {
  const following = followed.length === 0 ? undefined : follower({ others });
  const kinds = new Map();
  const atImport = new Set();
  const state = { current: null, carried: new Set(), isImporting: true };

  const reach = (name) => {
    if (state.current !== null) {
      if (state.current.size < MAX_REACHED) state.current.add(name);
    } else if (state.isImporting) {
      // An object that a group makes for its tests is data: its constructor does not fail on stubs, its methods turn tests red.
      if (!BUILT.has(kinds.get(name))) atImport.add(name);
    } else state.carried.add(name);
  };
  /** Who asks what an object holds that an export gave need not name its class. */
  const made = (name) => {
    if (state.current !== null) reach(name);
  };
  const declare = (declared) => {
    for (const [name, kind] of Object.entries(declared)) kinds.set(name, kind);
  };
  return {
    atImport,
    install: () => {
      const marker = Object.freeze({
        reach,
        made,
        declare,
        second,
        loose,
        follower: following,
        isClosed: () => closed && state.current !== null,
        silent: Object.freeze([...silent]),
        raising: Object.freeze([...raising]),
      });
      Object.defineProperty(globalThis, Symbol.for('a7.reach'), { value: marker });
    },
    follower: following,
    imported: () => (state.isImporting = false),
    begin: () => {
      // What hooks of a group reached belongs to the first test behind them.
      state.current = new Set(state.carried);
      state.carried = new Set();
      return state.current;
    },
    finish: () => (state.current = null),
    namedOn: (source, starts) =>
      namedOn(
        source,
        starts,
        [...kinds].filter(([, kind]) => kind !== 'alias').map(([name]) => name),
      ),
  };
}

/**
 * Declared names by test, from the lines that belong to it. `starts`: [{line, isTest}] of everything registered in the file.
 * Lines outside tests (hooks, helpers) count for each test of the file. Returns (line) => names.
 */
function namedOn(source, starts, wanted) {
  if (wanted.length === 0) return () => [];
  const { text, aliases } = withoutImports(source);
  const lines = text.split('\n');
  const bounds = [...starts].sort((a, b) => a.line - b.line);
  const shared = namesIn(lines.slice(0, (bounds[0]?.line ?? lines.length + 1) - 1), wanted, aliases);
  const own = new Map();
  bounds.forEach((start, at) => {
    const names = namesIn(
      lines.slice(start.line - 1, Math.max(start.line, (bounds[at + 1]?.line ?? Infinity) - 1)),
      wanted,
      aliases,
    );
    if (start.isTest) own.set(start.line, new Set([...(own.get(start.line) ?? []), ...names]));
    else for (const name of names) shared.add(name);
  });
  return (line) => [...new Set([...(own.get(line) ?? []), ...shared])].sort();
}

function namesIn(lines, wanted, aliases) {
  const words = lines.join('\n').match(/[A-Za-z_$][\w$]*/gu) ?? [];
  const named = new Set(words.map((word) => aliases.get(word) ?? word));
  return new Set(wanted.filter((label) => isMentioned(label, named)));
}

/** Methods that the language itself calls, without their names: `${x}`, `JSON.stringify(x)`, `await x`, `for (… of x)`. */
const UNNAMED = new Set([
  'toString',
  'toLocaleString',
  'toJSON',
  'valueOf',
  'then',
  'next',
  'return',
  'throw',
]);

/** A method by its name; one that need not be named, or has no plain name (`[Symbol.iterator]`), also by its class. */
function isMentioned(label, named) {
  const dot = label.indexOf('.');
  if (dot === -1) return named.has(label);
  const member = label.slice(dot + 1);
  if (named.has(member)) return true;
  return (UNNAMED.has(member) || !/^[\w$]+$/u.test(member)) && named.has(label.slice(0, dot));
}

function withoutImports(source) {
  const aliases = new Map();
  const blank = (text) => {
    for (const [, name, alias] of text.matchAll(/([\w$]+)\s*(?:\bas\b|:)\s*([\w$]+)/gu))
      aliases.set(alias, name);
    return text.replace(/[^\n]/gu, ' ');
  };
  const text = source
    .replace(/^\s*import\b[^'"]*?from\s*['"][^'"]*['"]/gmu, blank)
    .replace(/^\s*(?:const|let|var)\s*\{[^}]*\}\s*=\s*(?:await\s+import|require)\s*\([^)]*\)/gmu, blank);
  return { text, aliases };
}
