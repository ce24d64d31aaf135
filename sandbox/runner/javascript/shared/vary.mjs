/** Other conditions of a second run (gate.md part 5): the folder and the date; time zone and locale come by the environment. */
import { builtin } from './builtin.mjs';

const { cpSync, mkdirSync, readdirSync, realpathSync, rmSync } = builtin('node:fs');
const { join } = builtin('node:path');
const { fileURLToPath } = builtin('node:url');

const VARIABLE = 'A7_DATE_SHIFT_DAYS';
const MS_A_DAY = 86_400_000;

/** Moves the tree where `target` names a folder; returns where it lies. */
export function moveTree(workDir, target) {
  if (typeof target !== 'string') return workDir;
  mkdirSync(target, { recursive: true });
  for (const name of readdirSync(workDir)) {
    cpSync(join(workDir, name), join(target, name), { recursive: true });
    rmSync(join(workDir, name), { recursive: true, force: true });
  }
  return realpathSync(target);
}

const IMPORTED = /^((?:import\b[^'";]*|\}\s*)\bfrom\s*)(['"])node:test\2/mu;
const REQUIRED = /^((?:const|let|var)\b[^'"=]*=\s*require\(\s*)(['"])node:test\2/mu;

/** A suite that takes the functions of `node:test` from another module; null where that is not sure to be all that changes. */
export function withTurned(source, module) {
  if (source.split('node:test').length !== 2) return null;
  const change = (form, place) =>
    source.replace(form, (_all, head, quote) => `${head}${quote}${place}${quote}`);
  const changed = IMPORTED.test(source) ? change(IMPORTED, module) : change(REQUIRED, fileURLToPath(module));
  return changed === source ? null : changed;
}

/** Takes the shift out of the environment and moves the clock of this process by it. */
export function shiftByEnvironment() {
  const days = Number(process.env[VARIABLE] ?? '0');
  delete process.env[VARIABLE];
  if (days !== 0) shiftDate(days * MS_A_DAY);
}

function shiftDate(ms) {
  const real = Date;
  const unmoved = real.now.bind(real);
  const now = () => unmoved() + ms;
  // No trap: a suite may replace it, for itself and the code.
  real.now = now;
  const moved = dateBy(real, now, false);
  Object.defineProperty(real.prototype, 'constructor', {
    value: moved,
    writable: true,
    configurable: true,
    enumerable: false,
  });
  Object.defineProperty(globalThis, 'Date', {
    value: moved,
    writable: true,
    configurable: true,
    enumerable: false,
  });
}

/** `Date` with another clock, which its `now` shows, too, if `isShown`. */
export function dateBy(real, now, isShown = true) {
  const moved = new Proxy(real, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget === moved ? target : newTarget),
    apply: () => new real(now()).toString(),
    get: (target, name) => (isShown && name === 'now' ? now : Reflect.get(target, name)),
  });
  return moved;
}
