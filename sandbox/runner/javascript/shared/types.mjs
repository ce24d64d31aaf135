/**
 * TypeScript in the room (gate.md part 1): node 20 has no type stripping, so a loader hook erases types when a `.ts` or
 * `.mts` file is imported. Types are not checked. The sources are hostile: they are parsed here, inside the sandbox, and only there.
 */
import { builtin } from './builtin.mjs';

const { register } = builtin('node:module');

/** True for a file whose types are erased. */
export const isTyped = (file) => /\.m?ts$/u.test(file);

/** Makes `.ts` and `.mts` files importable in this process, if `file` is one. Every such file is an ES module. */
export function acceptTypes(file) {
  if (!isTyped(file)) return;
  // Only files with enums and the like have maps: see types_erase.mjs.
  process.setSourceMapsEnabled(true);
  register('./types_hooks.mjs', import.meta.url);
}
