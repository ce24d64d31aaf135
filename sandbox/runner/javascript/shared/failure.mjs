/** Turns anything thrown into the `Failure` record of schemas/runner-report.ts. Every look at the value may meet a hostile getter. */
import { builtin } from './builtin.mjs';

const { realpathSync } = builtin('node:fs');
const { sep } = builtin('node:path');
const { fileURLToPath } = builtin('node:url');

const MAX_TEXT = 4000;
const MAX_TYPE = 300;
const MAX_FRAMES = 50;
const MAX_STACK = 100_000;

Error.stackTraceLimit = 60;

/** Errors that came across the wall, each with the frames that the builder's side told. */
export const crossed = new WeakMap();

/** `workDir` is a real path; `suiteFiles` are relative to it, and so are `standIns`, which are files of ours. */
export function failureMaker(workDir, suiteFiles, standIns = []) {
  const suite = new Set(suiteFiles);
  const ours = new Set(standIns);
  return (error) => {
    const hasCrossed = isObject(error) && crossed.has(error);
    const frames = hasCrossed
      ? toldFrames(crossed.get(error), suite)
      : framesOf(error, workDir).filter(({ file }) => !ours.has(file));
    const isAssertion = !hasCrossed && attempt(() => error.code === 'ERR_ASSERTION') === true;
    return {
      exceptionType: typeOf(error),
      message: bounded(
        attempt(() => (isObject(error) ? error.message : error)),
        MAX_TEXT,
      ),
      assertion: isAssertion && frames.length > 0 && suite.has(frames.at(-1).file),
      frames,
    };
  };
}

/** The same in a child of suite/runner.mjs, of what it was told. */
export function failureOf({ workDir, suiteFiles, wall }) {
  return failureMaker(
    workDir,
    suiteFiles,
    wall?.modules.map(({ module }) => module),
  );
}

/** A failure that the runner itself found. */
export function plainFailure(exceptionType, message, frames = []) {
  return { exceptionType, message: bounded(message, MAX_TEXT), assertion: false, frames };
}

/** Text of at most `limit` characters without lone surrogates, whatever the value's own conversion does. */
export function bounded(value, limit) {
  const text = attempt(() => String(value)) ?? '<no text>';
  return text.slice(0, limit).toWellFormed();
}

/** Path below the work folder, or null. Accepts file URLs and paths. */
export function relativeFile(place, workDir) {
  const path = attempt(() => realpathSync(place.startsWith('file:') ? fileURLToPath(place) : place));
  if (path === undefined || !path.startsWith(workDir + sep)) return null;
  return bounded(path.slice(workDir.length + 1), 500);
}

/** Frames as another process told them: only well-formed ones, none of the suite. */
function toldFrames(told, suite) {
  if (!Array.isArray(told)) return [];
  return told
    .slice(-MAX_FRAMES)
    .filter(
      (frame) =>
        /^[\w.-]+(?:\/[\w.-]+)*$/u.test(frame?.file) &&
        frame.file.length <= 500 &&
        !suite.has(frame.file) &&
        Number.isSafeInteger(frame.line) &&
        frame.line > 0 &&
        frame.line < 1_000_000,
    )
    .map(({ file, line }) => ({ file, line }));
}

function typeOf(error) {
  if (!isObject(error)) return error === null ? 'null' : typeof error;
  const name = attempt(() => error.constructor.name) || attempt(() => error.name);
  return typeof name === 'string' && name !== '' ? bounded(name, MAX_TYPE) : 'Error';
}

/** Frames below the work folder, innermost last. */
export function framesOf(error, workDir) {
  const stack = attempt(() => (isObject(error) ? error.stack : undefined));
  if (typeof stack !== 'string') return [];
  const found = [];
  for (const text of stack.slice(0, MAX_STACK).split('\n')) {
    const match =
      /^\s+at .*?\(?((?:file:\/\/)?\/[^()]*?):(\d+):\d+\)?$/u.exec(text) ??
      /^(file:\/\/\/.*|\/.*):(\d+)$/u.exec(text);
    const file = match === null ? null : relativeFile(match[1], workDir);
    if (file !== null) found.push({ file, line: Number(match[2]) });
  }
  return found.reverse().slice(-MAX_FRAMES);
}

function isObject(value) {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

function attempt(look) {
  try {
    return look();
  } catch {
    return undefined;
  }
}
