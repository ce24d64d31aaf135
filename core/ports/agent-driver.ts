/**
 * The port of coding agents: controlled process runners (seed 003, module C). A driver is not smart.
 *
 *  A1. What a driver says of its end proves nothing: the tree is judged, tokens and money are counted at the door.
 *  A2. A room driver names a command line and reads its output; it starts nothing itself.
 *  A3. A driver never sees a key. Its model is at a loopback port of its room, with a token that is good for nothing else.
 */
import type { DoorRecord } from './door-record.ts';
import type { ModelTarget } from './model.ts';
import type { AgentEnd, AgentName, AgentUsage, OrderAgent, OrderLimits } from '../../schemas/order.ts';

/** Words that an agent's command line speaks to its model. */
export type ModelProtocol = 'anthropic' | 'responses' | 'chat';

/** Where things lie in an agent's room. */
export const ROOM = {
  work: '/work',
  git: '/repo.git',
  task: '/task',
  /** First on the path: what the agent may run besides its own. */
  tools: '/opt/a7',
  out: '/out',
  home: '/home/agent',
  program: '/opt/agent',
  node: '/opt/agent-node',
  /** What a driver of ours needs beside the agent's program. */
  sdk: '/opt/agent-sdk',
  door: '/run/model',
  doorProgram: '/opt/door',
  doorPort: 4010,
  notes: '/out/build-notes.md',
  /** In `out`: what an agent of a node hands in beside its tree. */
  submitFile: 'submit.json',
} as const;

/** What a command line is made of. */
export interface DriverContext {
  readonly prompt: string;
  /** Name at the endpoint; empty where there is no model. */
  readonly model: string;
  /** Base URL of the model in the room, without a path. */
  readonly url: string;
  readonly token: string;
  readonly command: string | null;
  readonly iteration: number;
  readonly sessionId: string;
  readonly turnsMax: number;
}

export interface DriverLine {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string;
  /** Below the home of the room. */
  readonly files: readonly { readonly path: string; readonly text: string }[];
}

/** What was seen of the process. `exitCode` null: it was ended by a signal. */
export interface DriverRun {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** An agent's program on the host. */
export interface InstalledAgent {
  /** Shown at `ROOM.program`; null: the image has all that it needs. */
  readonly folder: string | null;
  /** Shown at `ROOM.node`; null: the image's own. */
  readonly nodeFolder: string | null;
  /** Shown at `ROOM.sdk`. */
  readonly sdkFolder?: string;
  readonly version: string;
}

export interface RoomDriver {
  readonly kind: 'room';
  readonly name: AgentName;
  /** `any`: its words are its own choice. Null: it needs no model, and gets a door only if the order names one. */
  readonly protocol: ModelProtocol | 'any' | null;
  /** Memory that it needs beside the tree. */
  readonly memoryBytes: number;
  line(context: DriverContext): DriverLine;
  read(run: DriverRun): { readonly end: AgentEnd; readonly notes: string | null };
}

/** A door that is open: the folder with its socket, shown to one room. */
export interface OpenDoor {
  readonly folder: string;
  readonly token: string;
  /** Name of the model at the endpoint. */
  readonly model: string;
  /** Everything that went through, also in earlier attempts of the iteration. */
  usage(): AgentUsage;
  /** The bound that was hit, in words; null for none. */
  limitHit(): string | null;
  /** The status by which the endpoint let nobody in (401, 402, 403); null where it did not. */
  noAccess(): number | null;
  /** Every paid call is settled when it resolves: what is told above is final then. May be called again. */
  close(): Promise<void>;
}

/** The forwarder: the one way out of an agent's room. */
export interface ModelDoors {
  /** @throws an error with a message for people where the order's model is not configured. */
  open(request: DoorRequest): Promise<OpenDoor>;
}

export interface DoorRequest {
  /** A model by its name, or one that is known already. */
  readonly agent: Pick<OrderAgent, 'model' | 'baseUrl'> | { readonly target: ModelTarget };
  readonly limits: Pick<OrderLimits, 'costMicroUsd' | 'tokensMax' | 'requestsMax'>;
  /** Hosts that the room may reach through a tunnel, port 443. */
  readonly networkHosts: readonly string[];
  readonly protocol: RoomDriver['protocol'];
  /** What earlier iterations spent. */
  readonly spent: AgentUsage;
  /** Folder of the iteration, for its record of calls. */
  readonly folder: string;
  /** Where calls are written down, and their bounds; default: `folder`, within `limits`. */
  readonly record?: DoorRecord;
}

/** Installed agents of this machine. */
export interface AgentPrograms {
  driver(name: AgentName): RoomDriver;
  /** Null: not installed. */
  installed(name: AgentName): Promise<InstalledAgent | null>;
}
