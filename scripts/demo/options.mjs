// What the demo is asked for, and where its folders lie.
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

export const SAMPLE_DIR = join(ROOT, 'examples', 'water-bill');
export const CLI = join(ROOT, 'bin', 'a7-rt.mjs');

export const USAGE = `usage: npm run demo [-- options]
  --dir PATH        folder (default demo-session/, of an order demo-order/); a former demo there is replaced, anything else is not touched
  --kill            kill worker and Temporal server once in the middle, and go on
  --model NAME      a real model instead of the scripted one; needs OPENAI_API_KEY, and OPENAI_BASE_URL for other endpoints
  --manager KIND    policy (default) or llm
  --order           a work order on the toy repository instead of a session: refused, repaired, PASS, promoted
  --stop            stop the demo's Temporal server at the end (default without a terminal)
`;

/** `{kind: 'run', ...}`, or why not. */
export function readOptions(args, env) {
  const parsed = parse(args);
  if (parsed.kind !== 'parsed') return parsed;
  const { values } = parsed;
  if (values.help) return { kind: 'help' };
  if (!['policy', 'llm'].includes(values.manager))
    return wrong(`--manager must be policy or llm: current value is "${values.manager}"`);
  if (values.model !== undefined && !env.OPENAI_API_KEY)
    return wrong('--model needs a key: set OPENAI_API_KEY');
  const place = values.order ? 'demo-order' : 'demo-session';
  const dir = resolve(values.dir ?? join(ROOT, place));
  return {
    kind: 'run',
    order: values.order,
    dir,
    // A Temporal server of its own: the user's one is never touched.
    home: values.dir === undefined ? join(ROOT, '.a7-home', values.order ? place : 'demo') : `${dir}-home`,
    kill: values.kill,
    model: values.model ?? null,
    manager: values.manager,
    keep: process.stdout.isTTY === true && !values.stop,
  };
}

function parse(args) {
  const flag = { type: 'boolean', default: false };
  const text = { type: 'string' };
  const options = {
    dir: text,
    kill: flag,
    model: text,
    manager: { ...text, default: 'policy' },
    stop: flag,
    order: flag,
    help: flag,
  };
  try {
    return { kind: 'parsed', values: parseArgs({ args, options }).values };
  } catch (error) {
    return wrong(error.message);
  }
}

function wrong(message) {
  return { kind: 'wrong', message };
}
