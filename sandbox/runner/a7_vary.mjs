/** Other conditions of a second run (gate.md part 5): the folder and the date; time zone and locale come by the environment. */
import { builtin } from './a7_builtin.mjs';

const { cpSync, mkdirSync, readdirSync, realpathSync, rmSync } = builtin('node:fs');
const { join } = builtin('node:path');

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

/** Takes the shift out of the environment and moves the clock of this process by it. */
export function shiftByEnvironment() {
  const days = Number(process.env[VARIABLE] ?? '0');
  delete process.env[VARIABLE];
  if (days !== 0) shiftDate(days * MS_A_DAY);
}

function shiftDate(ms) {
  const real = Date;
  const now = () => real.now() + ms;
  const moved = new Proxy(real, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget === moved ? target : newTarget),
    apply: () => new real(now()).toString(),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  });
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
