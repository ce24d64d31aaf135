// Lets Node load files named .ts, whose types are erased already.
import { register } from 'node:module';

const LOADER = `
import { readFile } from 'node:fs/promises';
export async function load(url, context, next) {
  if (!/\\.m?ts$/.test(url)) return next(url, context);
  return { format: 'module', source: await readFile(new URL(url)), shortCircuit: true };
}`;

register(`data:text/javascript,${encodeURIComponent(LOADER)}`);
