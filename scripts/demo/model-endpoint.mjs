// Who answers: the product's scripted model server, started as a process of its own, or a real endpoint.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ending } from './commands.mjs';
import { CLI, SAMPLE_DIR } from './options.mjs';

const START_TIMEOUT_MS = 20_000;

/** Environment and arguments by which `run` finds its model; `paid()` counts the calls of the scripted one. */
export async function openModel({ model, home }, env, stops) {
  if (model !== null) return realModel(model, env);
  const record = join(home, 'model-record');
  const url = await startServer(join(SAMPLE_DIR, 'script.yaml'), record, env, stops);
  return {
    env: { ...env, OPENAI_BASE_URL: url, OPENAI_API_KEY: 'scripted' },
    modelsFile: join(SAMPLE_DIR, 'models.toml'),
    runArgs: ({ manager }) => ['--model', 'scripted', '--manager', manager],
    lines: [
      '',
      `The model is scripted: its answers stand in examples/water-bill/script.yaml and are served at ${url}.`,
      'Everything else is real: the HTTP client, the Temporal server, the sandboxes, the test runs, the verdicts, the commits.',
      'Builders and test authors do not only work well in it: see what becomes of the slips and tricks.',
    ],
    paid: () => paidCalls(record),
  };
}

function realModel(model, env) {
  const where = env.OPENAI_BASE_URL ?? 'the default endpoint';
  return {
    env,
    modelsFile: null,
    runArgs: ({ manager }) => ['--model', model, '--manager', manager],
    lines: [
      '',
      `The model is ${model} at ${where}, and its calls cost money. Cap of a stage: 2 dollars where its price is known, else 2 million tokens.`,
    ],
    paid: () => null,
  };
}

async function startServer(script, record, env, stops) {
  const child = spawn(process.execPath, [CLI, 'model-server', '--script', script, '--record', record], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
    // A terminal's Ctrl-C must not take it away from a run that still waits for answers.
    detached: true,
  });
  const ended = ending(child);
  stops.add('scripted model server', async () => {
    child.kill('SIGTERM');
    await ended;
  });
  return Promise.race([addressOf(child), failed(ended), late()]);
}

async function addressOf(child) {
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /https?:\/\/\S+/.exec(line)?.[0];
    if (url !== undefined) {
      child.stdout.resume();
      return url;
    }
  }
  throw new Error('the scripted model server said no address');
}

async function failed(ended) {
  const { code } = await ended;
  throw new Error(`the scripted model server ended with exit code ${code}`);
}

function late() {
  return new Promise((_resolve, reject) => {
    const message = `the scripted model server did not answer within ${START_TIMEOUT_MS / 1000} s`;
    setTimeout(() => reject(new Error(message)), START_TIMEOUT_MS).unref();
  });
}

/** Calls that a real endpoint would have charged for, and how many of them were asked again. */
function paidCalls(record) {
  const entries = readLines(join(record, 'requests.jsonl')).filter((entry) => entry.billable);
  const distinct = new Set(
    entries.map((entry) => `${JSON.stringify(entry.coordinates)} ${entry.requestHash}`),
  );
  return { paid: entries.length, twice: entries.length - distinct.size };
}

/** Objects of a file with one a line; a torn last line is left out. */
export function readLines(path) {
  let text = '';
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return [];
  }
  return text.split('\n').flatMap((line) => {
    try {
      return [JSON.parse(line)];
    } catch {
      return [];
    }
  });
}
