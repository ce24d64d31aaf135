/** Loader hooks of the suite's side: a module of the code becomes one whose exports come across the wall. They run in a thread of their own. */
import { relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { spelled } from '../crossing/spelling.mjs';
import { standIn } from './stand_ins.mjs';

const SCHEME = 'a7-wall:';
let told;

export function initialize(data) {
  told = { ...data, base: `${pathToFileURL(data.workDir).href}/` };
}

export async function resolve(specifier, context, next) {
  const parent = context.parentURL ?? '';
  if (!parent.startsWith(told.base) || !/^(?:\.{1,2}\/|file:)/u.test(specifier))
    return next(specifier, context);
  const url = new URL(specifier, parent);
  const index = spelled(told.modules, relative(told.workDir, fileURLToPath(`file://${url.pathname}`)));
  return index < 0
    ? next(specifier, context)
    : { url: `${SCHEME}${index}`, shortCircuit: true, format: 'module' };
}

export async function load(url, context, next) {
  if (!url.startsWith(SCHEME)) return next(url, context);
  const index = Number(url.slice(SCHEME.length));
  return { format: 'module', shortCircuit: true, source: standIn(told, index) };
}
