/** The loader hooks of types.mjs; they run in a thread of their own. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { erasedSource } from './types_erase.mjs';

const TYPED = /^file:.*\.m?ts$/u;
const RELATIVE = /^\.{1,2}\//u;

/** `./x.js` and `./x` mean `./x.ts` to the compiler: they are tried where a TypeScript file imports what does not exist. */
export async function resolve(specifier, context, next) {
  try {
    return await next(specifier, context);
  } catch (error) {
    if (!RELATIVE.test(specifier) || !TYPED.test(context.parentURL ?? '')) throw error;
    for (const other of spellings(specifier)) {
      const found = await next(other, context).catch(() => null);
      if (found !== null) return found;
    }
    throw error;
  }
}

export async function load(url, context, next) {
  if (!TYPED.test(url)) return next(url, context);
  const source = await readFile(fileURLToPath(url), 'utf8');
  return { format: 'module', shortCircuit: true, source: erasedSource(source, url) };
}

function spellings(specifier) {
  const ending = /\.(m?)js$/u.exec(specifier);
  if (ending !== null) return [`${specifier.slice(0, ending.index)}.${ending[1]}ts`];
  return /\.[cm]?[jt]sx?$/u.test(specifier) ? [] : [`${specifier}.ts`];
}
