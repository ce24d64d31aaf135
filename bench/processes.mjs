// Processes as a person meets them: start of the command line, set-up with nothing to do, memory of a serving worker.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { startCommand } from './support/command.mjs';
import { figure, median } from './support/figures.mjs';
import { startInstantModel } from './support/instant-model.mjs';
import { newSession } from './support/lab.mjs';
import { residentMb, serverPid } from './support/proc.mjs';
import { contractsText, honestAnswer } from './support/project.mjs';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const CLI = fileURLToPath(new URL('../bin/a7-rt.mjs', import.meta.url));
const NODES = 4;
const SAMPLE_MS = 200;

/** Start-up, set-up and memory. */
export async function measure(lab, { quick, once }) {
  const repeats = once ? 1 : quick ? 3 : 9;
  return [
    started('start of a7-rt --help', [CLI, '--help'], repeats, 150),
    started('set-up with nothing to do', ['scripts/setup.mjs', '--quiet'], Math.ceil(repeats / 3), 2000),
    await memory(lab, once ? 1 : NODES),
  ];
}

function started(what, args, repeats, maxMs) {
  return figure({
    measure: `${what}, median of ${repeats}`,
    value: medianMs(args, repeats),
    unit: 'ms',
    baseline: { name: 'node -e 0', value: medianMs(['-e', '0'], repeats) },
    aim: { of: 'value', max: maxMs },
  });
}

function medianMs(args, repeats) {
  const times = Array.from({ length: repeats }, () => {
    const startMs = performance.now();
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
    if (status !== 0) throw new Error(`node ${args.join(' ')}: ${stderr}`);
    return performance.now() - startMs;
  });
  return median(times);
}

/** Highest resident memory of `run` with its worker and of the server, while a stage is built. */
async function memory(lab, nodes) {
  const model = await startInstantModel((place) => honestAnswer(place, { delayMs: SAMPLE_MS }));
  const dir = await newSession(lab, 'memory', { contracts: contractsText(nodes), model });
  const run = startCommand(lab, [
    'run',
    dir,
    '--manager',
    'policy',
    '--model',
    'bench',
    '--base-url',
    model.url,
  ]);
  let most = { worker: 0, server: 0 };
  const timer = setInterval(() => {
    const now = { worker: residentMb(run.child.pid), server: residentMb(serverPid(lab.home)) };
    if (now.worker + now.server > most.worker + most.server) most = now;
  }, SAMPLE_MS);
  const { code, stderr } = await run.ended;
  clearInterval(timer);
  await model.close();
  if (code !== 0) throw new Error(`a7-rt run ended with ${code}: ${stderr}`);
  return figure({
    measure: `memory of worker and server, ${nodes} nodes`,
    value: most.worker + most.server,
    unit: 'MB',
    baseline: { name: 'the server alone', value: most.server },
    aim: { of: 'value', max: 700 },
  });
}
