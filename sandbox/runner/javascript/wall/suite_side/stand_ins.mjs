/**
 * Modules that stand on the suite's side for those of the code: what they export comes across the wall. They are laid as files
 * where the suite imports them; a suite behind the wall has no other way to see them (core/gate/suite/script-scan.ts).
 */
import { builtin } from '../../shared/builtin.mjs';
import { isTyped } from '../../shared/types.mjs';

const { mkdirSync, readFileSync, writeFileSync } = builtin('node:fs');
const { dirname, join } = builtin('node:path');

/** Names the symbol by which stand-ins find their way back: the session lies in the program, whatever file that is. */
export const WAY = 'a7.wall';

/** False where files cannot do it: spellings of TypeScript, and modules that Node would not load as ES modules. */
export function layStandIns(file, told) {
  const paths = told.modules.map(({ module }) => module);
  if (isTyped(file) || !paths.every((path) => isModule(told.workDir, path))) return false;
  return paths.every((path, index) => lay(join(told.workDir, path), standIn(told, index)));
}

/** Source of the module that stands for one of the code. */
export function standIn({ modules }, index) {
  const valid = modules[index].names.filter(
    (name) => /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name) && name !== 'default',
  );
  return [
    `const found = globalThis[Symbol.for(${JSON.stringify(WAY)})](${index});`,
    ...valid.map((name, at) => `const name${at} = found[${JSON.stringify(name)}];`),
    `export { ${valid.map((name, at) => `name${at} as ${name}`).join(', ')} };`,
    'export default found.default;',
    '',
  ].join('\n');
}

function isModule(workDir, path) {
  return path.endsWith('.mjs') || (path.endsWith('.js') && packageType(workDir, dirname(path)) === 'module');
}

/** `type` of the package around a folder below the work folder. */
function packageType(workDir, folder) {
  const text = attempt(() => readFileSync(join(workDir, folder, 'package.json'), 'utf8'));
  if (text !== undefined) return attempt(() => JSON.parse(text).type);
  return folder === '.' ? undefined : packageType(workDir, dirname(folder));
}

/** True if the file holds that text. An earlier session of the same run may have laid it. */
function lay(path, text) {
  const isLaid = attempt(() => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { flag: 'wx' });
    return true;
  });
  return isLaid ?? attempt(() => readFileSync(path, 'utf8')) === text;
}

function attempt(act) {
  try {
    return act();
  } catch {
    return undefined;
  }
}
