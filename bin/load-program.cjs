// Loads a bundled program (scripts/build/program.mjs) with the code cache that the build left beside it. CommonJS, because
// the SDK's workflow thread starts here too. A cache of another Node is refused by V8, and the program is compiled anew.
'use strict';
const { readFileSync } = require('node:fs');
const module_ = require('node:module');
const { dirname } = require('node:path');
const { Script, constants } = require('node:vm');

/** The compiled program and what it exports. `cachePath` lies beside `path`. */
function loadScript(path) {
  const script = new Script(module_.wrap(readFileSync(path, 'latin1')), {
    filename: path,
    cachedData: readCache(cachePathOf(path)),
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  const program = { exports: {} };
  const start = script.runInThisContext();
  start.call(program.exports, program.exports, module_.createRequire(path), program, path, dirname(path));
  return { script, exports: program.exports };
}

function cachePathOf(path) {
  return `${path}.cache`;
}

function readCache(path) {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

module.exports = { cachePathOf, loadScript, loadProgram: (path) => loadScript(path).exports };
