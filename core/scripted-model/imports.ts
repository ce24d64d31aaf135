/** Import statements in code that an answer writes, for Python and JavaScript or TypeScript. */
import { NODE_BUILTINS, PYTHON_STANDARD } from './standard-modules.ts';

/** `path`: a relative import, resolved to the files it may mean. `module`: a name that somebody must have told. */
export type ImportUse =
  | { readonly kind: 'path'; readonly text: string; readonly candidates: readonly string[] }
  | { readonly kind: 'module'; readonly text: string; readonly candidates: readonly string[] };

const PYTHON_FILE = /\.pyi?$/;
const SCRIPT_FILE = /\.[cm]?[jt]sx?$/;
const PYTHON_IMPORT =
  /^[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import[ \t]+\(?([\w*, \t]+)|import[ \t]+([\w., \t]+))/gm;
const SCRIPT_IMPORT =
  /(?:^|[\s;])(?:import|export)\b[^'"`;]{0,500}?\bfrom\s*['"]([^'"]+)['"]|(?:^|[\s;])import\s*['"]([^'"]+)['"]|\b(?:import|require)\s*\(\s*['"]([^'"]+)['"]/gm;

/** What `code` imports beyond the standard library; empty for files of other languages. */
export function importsOf(path: string, code: string): readonly ImportUse[] {
  if (PYTHON_FILE.test(path)) return pythonImports(path, code);
  return SCRIPT_FILE.test(path) ? scriptImports(path, code) : [];
}

function pythonImports(path: string, code: string): readonly ImportUse[] {
  return [...code.matchAll(PYTHON_IMPORT)].flatMap(([, from, names = '', plain]) => {
    if (from?.startsWith('.') === true) return [relativePython(path, from, names)];
    const modules =
      from === undefined ? (plain ?? '').split(',').map((name) => name.trim().split(/\s/)[0] ?? '') : [from];
    return modules
      .filter((name) => name !== '' && !PYTHON_STANDARD.has(name.split('.')[0] ?? ''))
      .map(namedPython);
  });
}

function namedPython(name: string): ImportUse {
  const file = name.replaceAll('.', '/');
  return { kind: 'module', text: name, candidates: [name, `${file}.py`, `${file}/__init__.py`] };
}

function relativePython(path: string, from: string, names: string): ImportUse {
  const dots = /^\.+/.exec(from)?.[0].length ?? 1;
  const folder = path.split('/').slice(0, -dots);
  const rest = from
    .slice(dots)
    .split('.')
    .filter((part) => part !== '');
  const bases =
    rest.length > 0
      ? [[...folder, ...rest]]
      : names.split(',').map((name) => [...folder, name.trim().split(/\s/)[0] ?? '']);
  const candidates = bases.flatMap((base) => [`${base.join('/')}.py`, `${base.join('/')}/__init__.py`]);
  return {
    kind: 'path',
    text: `from ${from}`,
    candidates: [...candidates, `${folder.join('/')}/__init__.py`],
  };
}

function scriptImports(path: string, code: string): readonly ImportUse[] {
  return [...code.matchAll(SCRIPT_IMPORT)].flatMap((match): ImportUse[] => {
    const name = match[1] ?? match[2] ?? match[3] ?? '';
    if (name.startsWith('.')) return [{ kind: 'path', text: name, candidates: scriptCandidates(path, name) }];
    const isBuiltin = name.startsWith('node:') || NODE_BUILTINS.has(name);
    return isBuiltin ? [] : [{ kind: 'module', text: name, candidates: [name] }];
  });
}

function scriptCandidates(path: string, name: string): readonly string[] {
  const parts = path.split('/').slice(0, -1);
  for (const part of name.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  const file = parts.join('/');
  const stem = file.replace(/\.[cm]?[jt]sx?$/, '');
  const endings = ['.js', '.ts', '.mjs', '.cjs', '.jsx', '.tsx', '/index.js', '/index.ts'];
  return [file, ...endings.map((ending) => stem + ending)];
}
