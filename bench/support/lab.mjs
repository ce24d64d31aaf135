// Where everything is measured: one home with one Temporal server, one sandbox backend, and sessions of the product.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { workflowNameOf } from '../../dist/adapters/store/session.js';
import { startWorkers } from '../../dist/workers/build-workers.js';
import { logRuntime } from '../../dist/workers/log-runtime.js';
import { openMachine } from '../../dist/workers/machine.js';
import { readConfig, writeRunSettings } from '../../dist/workers/models.js';
import { createWorkerPorts } from '../../dist/workers/ports.js';
import { stageWorkflowId } from '../../dist/workers/queues.js';
import { driveStage } from '../../dist/workers/services/drive-stage.js';
import { createServices } from '../../dist/workers/services/index.js';
import { openServer } from '../../dist/workers/services/server.js';
import { recordSandbox } from './sandbox-record.mjs';

const NO_FLAGS = { stageId: null, nodes: [] };
const STAGE = 'core';

/** Opens the lab in a temporary folder; `close()` stops the server and removes it. */
export async function openLab() {
  const dir = await mkdtemp(join(tmpdir(), 'a7-bench-'));
  const home = join(dir, 'home');
  logRuntime(home);
  const around = { env: labEnv(home) };
  const place = await openServer(around);
  const connection = await Connection.connect({ address: place.address });
  const client = new Client({ connection, namespace: place.namespace });
  let machine = null;
  const lab = {
    dir,
    home,
    around,
    place,
    client,
    services: createServices(around),
    /** The sandbox backend, opened when it is first needed; it records what runs in it. */
    async machine() {
      machine ??= openMachine(home, 'auto').then((opened) => ({
        ...opened,
        sandbox: recordSandbox(opened.sandbox),
      }));
      return machine;
    },
    async close() {
      await connection.close();
      if (machine !== null) await (await machine).sandbox.end();
      await lab.services.down();
      await rm(dir, { recursive: true, force: true });
    },
  };
  return lab;
}

/** A seeded session. `contracts` is the text of its file, `model` an instant model, `config` lines of its config.toml. */
export async function newSession(lab, name, { contracts, model, config = '' }) {
  const dir = join(lab.dir, name);
  must(await lab.services.init(dir, null));
  await writeFile(join(dir, 'contracts.yaml'), contracts);
  await writeFile(join(dir, '.a7', 'models.toml'), MODELS);
  await writeFile(join(dir, '.a7', 'config.toml'), `manager = "policy"\n${config}`);
  must(await lab.services.seed(dir, false));
  await writeRunSettings(dir, { model: 'bench', baseUrl: model.url, manager: 'policy' });
  return dir;
}

/** Serves a session in this process; `drive(nodes)` runs its stage until it ends, or until these nodes are done. */
export async function serve(lab, dir) {
  const machine = await lab.machine();
  const ports = await createWorkerPorts(machine, { env: lab.around.env, userDir: lab.home }, dir);
  const session = await ports.sessions.open(dir);
  const workers = await startWorkers({ ...lab.place, sessionId: session.id, machine, ports });
  const read = await readConfig(dir, { env: lab.around.env, userDir: lab.home });
  if (!read.ok) throw new Error(read.messages.join('; '));
  const hosting = {
    ports,
    place: lab.place,
    capability: machine.capability,
    failing: new Promise(() => undefined),
  };
  return {
    session,
    workflowId: stageWorkflowId(await workflowNameOf(dir, session.id), STAGE),
    async drive(nodes = []) {
      const outcome = await driveStage(
        {
          around: lab.around,
          session,
          config: read.config,
          flags: { ...NO_FLAGS, nodes },
          hosting,
          watch: () => undefined,
          stop: new AbortController().signal,
        },
        STAGE,
      );
      if ('ok' in outcome) must(outcome);
      if (outcome.status !== 'sealed' && outcome.code !== 'NODES_DONE')
        throw new Error(`The stage of "${dir}" ${outcome.status}: ${outcome.message}`);
      return outcome;
    },
    /** Lines of the ledger. */
    async lines() {
      return (await session.ledger.read()).lines;
    },
    async close() {
      workers.shutdown();
      await Promise.all([ports.model.close(1000), workers.running]);
      await ports.sessions.close();
    },
  };
}

const MODELS = `[bench]
model_id = "bench"
max_tokens = 1024
context_tokens = 128000
input_price = 0.01
output_price = 0.01
`;

/** What a process of the product sees; nothing of the caller's Temporal or model settings. */
function labEnv(home) {
  const kept = ['PATH', 'HOME', 'DOCKER_HOST', 'A7_CACHE', 'A7_TEMPORAL', 'TMPDIR'];
  const env = Object.fromEntries(
    kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
  return { ...env, A7_HOME: home, OPENAI_API_KEY: 'bench' };
}

function must(result) {
  if (result.ok) return result.value;
  throw new Error(result.problems.map((problem) => problem.message).join('; '));
}
