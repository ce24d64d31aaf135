/**
 * One file of a program of `sandbox/runner` and all modules of ours that it imports: Node spends a millisecond on finding, opening
 * and linking each ES module, and a third of a start on what loads them. Only the forms that those programs use are known. An error
 * of ours shows its place in the joined file.
 */
import { posix } from 'node:path';

const IMPORT = /^import\s+([^'";]+?)\s+from\s+'([^']+)';$/gmu;
const EXPORT = /^export\s+(?=(?:async\s+)?(?:const|class|function\*?)\s+([\w$]+))/gmu;
const EXPORT_DEFAULT = /^export\s+default\s+/mu;
const DYNAMIC = /\bimport\('(\.{1,2}\/[\w./]+)'\)/gu;
const OURS = /^\.{1,2}\/[\w./]+\.mjs$/u;

/**
 * A CommonJS program, in strict mode.
 * @param parts paths in `sources`: each is run as a module, the last one as the program, which alone may await.
 * @param target where the file is laid among the sources, which find other files of ours by their own place.
 * @throws when a module is missing, is imported in a circle, or has a form that is not known.
 */
export function oneFile(
  parts: readonly string[],
  sources: ReadonlyMap<string, string>,
  target: string,
): string {
  const modules = new Map<string, string>();
  const main = parts.at(-1) ?? '';
  const visit = (name: string, path: readonly string[]): void => {
    if (path.includes(name)) throw new Error(`Cannot join "${name}": it imports itself`);
    if (modules.has(name)) return;
    const { body, imported } = rewritten(name, sources, target);
    for (const each of imported) visit(each, [...path, name]);
    modules.set(name, name === main ? body : moduleOf(name, body));
  };
  for (const part of parts) visit(part, []);
  const program = modules.get(main) ?? '';
  modules.delete(main);
  return [
    HEAD,
    ...modules.values(),
    ...parts.slice(0, -1).map((part) => `${nameOf(part)}();`),
    `run(async () => {\n${program}\n});\n`,
  ].join('\n');
}

/** As Node does for a module that awaits what never comes: the process ends with code 13. */
const HEAD = `'use strict';
const here = process.getBuiltinModule('node:url').pathToFileURL(__filename).href;
const placeOf = (path) => new URL(path, here).href;
function once(make) {
  let made;
  return () => (made ??= make());
}
function run(main) {
  let isDone = false;
  process.on('exit', () => {
    if (!isDone) process.exitCode ??= 13;
  });
  main().then(() => {
    isDone = true;
  });
}`;

function rewritten(
  name: string,
  sources: ReadonlyMap<string, string>,
  target: string,
): { body: string; imported: string[] } {
  const source = sources.get(name);
  if (source === undefined) throw new Error(`Cannot join "${name}": there is no such program`);
  const imported: string[] = [];
  const ours = (specifier: string): string => {
    if (!OURS.test(specifier)) throw new Error(`Cannot join "${name}": it imports "${specifier}"`);
    const file = posix.join(posix.dirname(name), specifier);
    imported.push(file);
    return `${nameOf(file)}()`;
  };
  const body = source
    .replaceAll(IMPORT, (_all, clause: string, specifier: string) => {
      const from = specifier.startsWith('node:')
        ? `process.getBuiltinModule('${specifier}')`
        : ours(specifier);
      return bindings(clause, specifier.startsWith('node:'))
        .map((binding) => `const ${binding} = ${from};`)
        .join(' ');
    })
    .replaceAll(DYNAMIC, (_all, file: string) => `Promise.resolve().then(() => ${ours(file)})`)
    // As a pattern: the build puts a place of its own where the plain text stands.
    .replaceAll(/\bimport\.meta\.url\b/gu, placeIn(name, target));
  const rest = /^import\b.*|^export\b.*|\bimport\.meta\b.*/mu.exec(
    body.replaceAll(EXPORT, '').replace(EXPORT_DEFAULT, ''),
  );
  if (rest !== null) throw new Error(`Cannot join "${name}": "${rest[0]}" is not a known form`);
  return { body, imported };
}

/** What an import names: the default export, some exports, or both. The default one of a builtin module is the module. */
function bindings(clause: string, isBuiltin: boolean): string[] {
  const [, whole, some] = /^([\w$]+)?\s*,?\s*(\{[^}]*\})?$/u.exec(clause) ?? [];
  if (whole === undefined && some === undefined)
    throw new Error(`Cannot join: "${clause}" is not a known form`);
  return [
    ...(whole === undefined ? [] : [isBuiltin ? whole : `{ default: ${whole} }`]),
    ...(some === undefined ? [] : [some.replaceAll(/\bas\b/gu, ':').replaceAll(/\s+:\s*/gu, ': ')]),
  ];
}

function moduleOf(name: string, body: string): string {
  const names = [...body.matchAll(EXPORT)].map((match) => match[1] ?? '');
  const hasDefault = EXPORT_DEFAULT.test(body);
  const text = body.replaceAll(EXPORT, '').replace(EXPORT_DEFAULT, 'const defaultExport = ');
  const given = [...names, ...(hasDefault ? ['default: defaultExport'] : [])].join(', ');
  return `const ${nameOf(name)} = once(() => {\n${text}\nreturn { ${given} };\n});`;
}

const nameOf = (file: string): string => `of_${file.replace(/\.mjs$/u, '').replaceAll(/\W/gu, '_')}`;

/** A module's address: the program's own is that of the joined file. */
function placeIn(name: string, target: string): string {
  const isMain = posix.dirname(name) === posix.dirname(target);
  return isMain ? 'here' : `placeOf('${posix.relative(posix.dirname(target), name)}')`;
}
