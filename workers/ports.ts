/** The one place that wires ports to adapters: everything that activities are made of (design part 3). */
import { randomBytes } from 'node:crypto';
import { createGate } from '../activities/gate/verify-snapshot.ts';
import type { AgentPorts } from '../activities/agent/index.ts';
import { ownsSession } from '../activities/agent/call-model.ts';
import type { JudgePorts } from '../activities/judge/ports.ts';
import type { RoomAgentPorts } from '../activities/room-agent/ports.ts';
import type { StagePorts } from '../activities/stage/ports.ts';
import { documentTools } from '../adapters/contracts/document-tools.ts';
import { openDoorCalls } from '../adapters/model/door-calls.ts';
import { createModelAdapter } from '../adapters/model/model-adapter.ts';
import { createArtifactStore } from '../adapters/store/artifacts.ts';
import { withLock } from '../adapters/store/lock.ts';
import { createObjectFiles } from '../adapters/store/objects.ts';
import { createProjections } from '../adapters/store/projections.ts';
import { createReportFiles } from '../adapters/report-files/report-files.ts';
import { sessionPaths } from '../adapters/store/session.ts';
import { sha256 } from '../adapters/system/sha256.ts';
import { buildStubs } from '../adapters/stubs/build-stubs.ts';
import { createSymbols } from '../adapters/symbols/symbols.ts';
import { prettyJson } from '../core/text/canonical.ts';
import { renderManager, renderMaster } from '../core/ledger/render-master.ts';
import type { ArtifactStore } from '../core/ports/artifacts.ts';
import type { GatePort } from '../core/ports/gate.ts';
import type { ModelPort } from '../core/ports/model.ts';
import type { Projections } from '../core/ports/projections.ts';
import type { RepositoryParts } from '../core/ports/repository-gate.ts';
import type { Session } from '../core/ports/session.ts';
import { homeFolder } from '../adapters/temporal/home.ts';
import { agentParts } from './agent-parts.ts';
import type { Machine } from './machine.ts';
import { createModelDoors } from './model-doors.ts';
import { type ConfigPlaces, createModelDirectory, readConfig } from './models.ts';
import { type OpenSessions, createSessions } from './sessions.ts';
import { repositoryParts } from './services/gate/parts.ts';
import { sessionImage } from './session-image.ts';
import { scaffoldSources } from './scaffold-files.ts';
import { createStubSource } from './stub-source.ts';

export interface WorkerPorts {
  readonly agent: AgentPorts;
  readonly stage: StagePorts;
  readonly judge: JudgePorts;
  readonly roomAgent: RoomAgentPorts;
  readonly model: ModelPort;
  readonly sessions: OpenSessions;
}

/** All ports for the workers of one session's process. `tell` hears what a person should know meanwhile. */
export async function createWorkerPorts(
  machine: Machine,
  places: ConfigPlaces,
  sessionDir: string,
  tell?: (text: string) => void,
): Promise<WorkerPorts> {
  const sessions = createSessions(places.env);
  const read = await readConfig(sessionDir, places);
  if (!read.ok) throw new Error(`Cannot read the configuration: ${read.messages.join('; ')}`);
  const model = createModelAdapter({
    objectsOf: (dir) => createObjectFiles({ dir: sessionPaths(dir).objects }),
    withLock,
    env: places.env,
    ...(tell === undefined ? {} : { tell }),
  });
  const models = createModelDirectory(places);
  const symbols = createSymbols();
  const stubs = createStubSource(
    machine,
    async () => sessionImage(machine, await sessions.open(sessionDir)),
    async () => {
      const session = await sessions.open(sessionDir);
      const { contracts, resolved } = await session.book();
      return scaffoldSources(session, contracts, resolved);
    },
  );
  const artifactsOf = perSession(artifactStore);
  const imageOf = (session: Session): Promise<string> => sessionImage(machine, session);
  return {
    sessions,
    model,
    roomAgent: {
      sessions,
      models,
      ...(await agentParts()),
      doors: createModelDoors(places, homeFolder(places.env)),
      sandbox: machine.sandbox,
      imageOf,
      openCalls: async (request) => {
        const session = await sessions.open(request.sessionDir);
        return openDoorCalls(request, {
          withLock,
          checkFence: () => ownsSession(session, request.fence),
        });
      },
      nowMs: () => performance.now(),
    },
    agent: { sessions, model, models, symbols, stubs, settings: { limits: read.config.agent } },
    stage: {
      sessions,
      model,
      models,
      artifactsOf,
      projectionsOf: perSession(projectionsOf),
      agentLimits: read.config.agent,
      boardTokensMax: read.config.boardTokens,
      nowSeconds: () => Math.floor(Date.now() / 1000),
    },
    judge: {
      sessions,
      artifactsOf,
      symbols,
      mutationMs: read.config.mutationMs,
      imageOf,
      projectPartsOf: perSession((session) => projectPartsOf(machine, session)),
      gateOf: perSession((session) => gateOf(machine, session, read.config.requireWall)),
    },
  };
}

/** One instance for each session, made when it is first asked for. */
function perSession<T>(make: (session: Session) => T): (session: Session) => T {
  const made = new WeakMap<Session, { readonly value: T }>();
  return (session) => {
    const known = made.get(session) ?? { value: make(session) };
    made.set(session, known);
    return known.value;
  };
}

function artifactStore(session: Session): ArtifactStore {
  const paths = sessionPaths(session.dir);
  return createArtifactStore({
    runsDir: paths.runs,
    reportsDir: paths.reports,
    signer: () => session.keys.signer(),
  });
}

/** The gate over a session's trees and reports. `requireWall` refuses every verdict of the in-process tier. */
export function gateOf(machine: Machine, session: Session, requireWall = false): GatePort {
  return createGate({
    sandbox: machine.sandbox,
    isolation: { backend: machine.proof.backend, level: machine.proof.level },
    trees: session.trees,
    symbols: createSymbols(),
    stubs: { build: buildStubs },
    runners: machine.runners,
    reports: createReportFiles(sessionPaths(session.dir).reports),
    hash: sha256,
    imageFacts: (image) => machine.layers.facts(image),
    nonce: () => randomBytes(16).toString('hex'),
    nowMs: () => performance.now(),
    requireWall,
    projectPlan: async () => (await session.book()).plan,
    documents: documentTools,
  });
}

/** What the project's own plan is judged with at SEAL: its packages are in the session's image already. */
function projectPartsOf(machine: Machine, session: Session): RepositoryParts {
  return {
    ...repositoryParts(machine),
    resolveLayer: async () => ({
      image: await sessionImage(machine, session),
      packages: (await session.book()).layer?.packages ?? [],
    }),
  };
}

/** `master.json` and `manager.json` of a session. */
export function projectionsOf(session: Session): Projections {
  const { master, manager } = sessionPaths(session.dir);
  return createProjections(
    { master, manager },
    {
      seq: async () => (await session.doc()).state.seq,
      async master() {
        const doc = await session.doc();
        const { resolved } = await session.book();
        return { text: prettyJson(renderMaster(doc, resolved)), seq: doc.state.seq };
      },
      async manager() {
        const rendered = renderManager(await session.doc());
        return rendered === null ? null : prettyJson(rendered);
      },
    },
  );
}
