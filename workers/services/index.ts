/** The services behind the command line, wired for this process. Each is loaded when it is first asked for: most need no Temporal. */
import type { Services } from '../../core/ports/services.ts';
import type { Surroundings } from './common.ts';
import { createGateServices } from './gate/index.ts';
import { createOrderServices } from './orders/index.ts';

/** @param around default: the environment of this process. */
export function createServices(around: Surroundings = { env: process.env }): Services {
  return {
    init: async (dir, project) => (await import('./init.ts')).init(dir, project),
    initFrom: async (dir, ask) => (await import('./init-from.ts')).initFrom(around, dir, ask),
    promote: async (dir, to, repo) =>
      (await import('./promote-session.ts')).promoteSession(around, dir, to, repo),
    seed: async (dir, ask) => (await import('./seed.ts')).seed(around, dir, ask),
    draftContracts: async (dir, ask) =>
      (await import('./contract-draft.ts')).draftContracts(around, dir, ask),
    lintContracts: async (path) => (await import('./lint-contracts.ts')).lintFile(path),
    run: async (dir, flags, watch, stop) => (await import('./run.ts')).run(around, dir, flags, watch, stop),
    status: async (dir) => (await import('./status.ts')).status(around, dir),
    board: async (dir) => (await import('./board.ts')).board(dir),
    graph: async (dir) => (await import('./board.ts')).graph(dir),
    stages: async (dir, stageId) => (await import('./stages.ts')).stages(dir, stageId),
    restore: async (dir, cut) => (await import('./restore.ts')).restore(around, dir, cut),
    stageReset: async (dir, stageId, reason) =>
      (await import('./stages.ts')).stageReset(dir, stageId, reason),
    replace: async (dir, nodeId, file) => (await import('./replace.ts')).replace(around, dir, nodeId, file),
    why: async (dir, nodeId) => (await import('./narrative.ts')).why(dir, nodeId),
    narrative: async (dir, nodeId) => (await import('./narrative.ts')).narrative(dir, nodeId),
    input: async (dir, message, id) => (await import('./input.ts')).sendInput(around, dir, message, id),
    verify: async (dir, name) => (await import('./verify.ts')).verifyAgain(around, dir, name),
    report: async (dir, name) => (await import('./report.ts')).report(dir, name),
    challenge: async (dir, ask) => (await import('./challenge.ts')).challenge(around, dir, ask),
    sandbox: async (ask, stop) => (await import('./try-sandbox.ts')).trySandbox(around, ask, stop),
    ledgerVerify: async (dir, key) => (await import('./ledger-verify.ts')).ledgerVerify(dir, key, around.env),
    attest: async (dir, name, key) => (await import('./attest.ts')).attest(around, dir, name, key),
    attestVerify: async (file, key) => (await import('./attest.ts')).attestVerify(around, file, key),
    worker: async (dir, backend, watch, stop) =>
      (await import('./serve.ts')).worker(around, dir, backend, watch, stop),
    up: async () => (await import('./serve.ts')).up(around),
    down: async () => (await import('./serve.ts')).down(around),
    modelServer: async (script, port, record, stop, ready) =>
      (await import('./model-server.ts')).modelServer(script, port, record, stop, ready),
    config: async (dir) => (await import('./config.ts')).config(around, dir),
    configInit: async (dir, key) => (await import('./config-init.ts')).configInit(around, dir, key),
    checkModels: async (dir, name) => (await import('./models-check.ts')).checkModels(around, dir, name),
    doctor: async (dir) => (await import('./doctor.ts')).doctor(around, dir),
    orders: createOrderServices(around),
    gate: createGateServices(around),
  };
}
