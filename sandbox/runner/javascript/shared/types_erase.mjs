/**
 * Erases the types of one file. What can be erased is replaced by blanks, so that lines and columns stay; only a file with
 * an enum, a namespace, a parameter property or `import x = …` is written anew and carries a source map.
 */
import swc from '@swc/wasm-typescript';

/** JavaScript of a TypeScript source. @throws {SyntaxError} whose stack names the place. */
export function erasedSource(source, url) {
  const options = { module: true, filename: url };
  try {
    return withoutUnusedImports(swc.transformSync(source, { ...options, mode: 'strip-only' }).code);
  } catch (error) {
    if (error?.code !== 'UnsupportedSyntax') throw syntaxError(error, url);
  }
  try {
    const { code, map } = swc.transformSync(source, { ...options, mode: 'transform', sourceMap: true });
    const inline = Buffer.from(map).toString('base64');
    return `${code}\n//# sourceMappingURL=data:application/json;base64,${inline}\n`;
  } catch (error) {
    throw syntaxError(error, url);
  }
}

/** The first line of the stack is the place, as V8 writes it for errors of syntax. */
function syntaxError(error, url) {
  const message = typeof error?.message === 'string' ? error.message : String(error);
  const found = new SyntaxError(message.slice(0, 1000));
  found.stack = `${url}:${error?.startLine ?? 1}\n\nSyntaxError: ${found.message}`;
  return found;
}

const SPACE = /(?:\s+|\/\/[^\n]*|\/\*[^]*?\*\/)+/uy;
const BARE_IMPORT = /import\s*(?:'[^'\n]*'|"[^"\n]*")\s*;?/uy;
const IMPORT = /import\b([^'"()]*?)\bfrom\s*(?:'[^'\n]*'|"[^"\n]*")\s*;?/uy;

/**
 * Blanks names that are imported and never used as values: the compiler leaves them out, since they may be types. Only the
 * imports at the head of the file are looked at; behind them, text may be a string.
 */
function withoutUnusedImports(code) {
  const clauses = [];
  let at = 0;
  for (;;) {
    const text = matchAt(SPACE, code, at) ?? matchAt(BARE_IMPORT, code, at) ?? matchAt(IMPORT, code, at);
    if (text === null) break;
    const open = text.startsWith('import') ? text.indexOf('{') : -1;
    if (open >= 0) clauses.push({ start: at + open + 1, end: at + text.lastIndexOf('}') });
    at += text.length;
  }
  const body = code.slice(at);
  const words = new Set(body.match(/[\p{ID_Start}$_][\p{ID_Continue}$]*/gu) ?? []);
  let result = code;
  for (const { start, end } of clauses) {
    const kept = code.slice(start, end).replace(/[^,]+,?/gu, (part) => keptImport(part, words));
    result = result.slice(0, start) + kept + result.slice(end);
  }
  return result;
}

function keptImport(part, words) {
  const local = /([\p{ID_Start}$_][\p{ID_Continue}$]*)\s*,?\s*$/u.exec(part)?.[1];
  return local === undefined || words.has(local) ? part : part.replace(/[^\n]/gu, ' ');
}

function matchAt(pattern, text, at) {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? null;
}
