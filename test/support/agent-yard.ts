/** Agents in rooms of their own, without an order around them: the real forwarder, a scripted model, bubblewrap. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runAgentRoom } from '../../activities/order/agent-room.ts';
import { createAgentPrograms } from '../../adapters/agents/programs.ts';
import { openForwarder } from '../../adapters/forwarder/forwarder.ts';
import { cacheFolder } from '../../adapters/toolchain/index.ts';
import { ROOM } from '../../core/ports/agent-driver.ts';
import type { SandboxFile } from '../../core/ports/sandbox.ts';
import type { ModelScriptInput } from '../../schemas/model-script.ts';
import type { ModelPrice } from '../../schemas/model.ts';
import type { AgentEnd, AgentName, AgentUsage, OrderLimits } from '../../schemas/order.ts';
import { openBackend } from '../adapters/sandbox-backends.ts';
import { layAcpLibrary } from './acp-library.ts';
import { serveScript, TEST_KEY } from './model-fixtures.ts';
import { ACP, COMMAND, patience } from './real-agents.ts';

export interface Ran {
  readonly end: AgentEnd;
  readonly notes: string | null;
  /** What differs in the tree. */
  readonly files: readonly SandboxFile[];
  readonly refused: readonly string[];
  readonly usage: AgentUsage;
  readonly stdout: string;
}

export interface RunOptions {
  readonly wallMs?: number;
  readonly turnsMax?: number;
  readonly command?: string;
  readonly limits?: Partial<OrderLimits>;
  readonly price?: ModelPrice;
  readonly signal?: AbortSignal;
  /** Called when the agent has asked its model for the first time. */
  readonly onCall?: () => unknown;
}

export interface AgentYard {
  run(agent: AgentName, rules: ModelScriptInput['rules'], options?: RunOptions): Promise<Ran>;
  /** Living processes of this machine whose command line holds the text. */
  processes(text: string): number;
  /** Signals processes below this one whose command line holds the text; gives how many. */
  signal(text: string, signal: NodeJS.Signals): number;
  close(): Promise<void>;
}

const URL = `http://127.0.0.1:${String(ROOM.doorPort)}`;
const text = (name: string): string => readFileSync(join('sandbox/agent', name), 'utf8');
const OWN = {
  'native.mjs': text('native.mjs'),
  'tools.mjs': text('tools.mjs'),
  'acp.mjs': text('acp.mjs'),
};

export async function agentYard(): Promise<AgentYard> {
  const home = mkdtempSync(join(tmpdir(), 'a7-agents-'));
  const rooms = await openBackend('bubblewrap');
  layAcpLibrary();
  const programs = createAgentPrograms(join(cacheFolder(), 'agents'), OWN);
  let turn = 0;
  return {
    async run(agent, rules, options = {}): Promise<Ran> {
      turn += 1;
      const key = `agent-${String(process.pid)}-${String(turn)}`;
      const driver = programs.driver(agent);
      const installed = await programs.installed(agent);
      if (installed === null) throw new Error(`a7-rt agents --install ${agent}`);
      const own = agent === 'acp' ? ACP : agent === 'command' ? COMMAND : null;
      const server = await serveScript({ rules, api_key: TEST_KEY });
      const limits = { costMicroUsd: 1e9, tokensMax: 1e9, requestsMax: 50, ...options.limits };
      const door = await openForwarder({
        request: {
          agent: { model: 'm', baseUrl: null },
          limits,
          networkHosts: [],
          protocol: driver.protocol,
          spent: { calls: 0, inputTokens: 0, outputTokens: 0, costMicroUsd: 0 },
          folder: join(home, key),
        },
        target: {
          modelId: 'gpt-5.5',
          baseUrl: server.url,
          maxOutputTokens: 4096,
          price: options.price ?? null,
          key: TEST_KEY,
        },
        doors: join(home, 'd'),
      });
      const watch = setInterval(() => {
        if (server.requests().length > 0) options.onCall?.();
      }, 20);
      try {
        const { result, end, notes } = await runAgentRoom({
          sandbox: rooms.sandbox,
          key,
          owner: 'test',
          image: rooms.image,
          driver,
          installed: own === null ? installed : { ...installed, folder: own.files },
          door,
          doorProgram: { path: 'door.mjs', bytes: readFileSync('sandbox/door/door.mjs') },
          context: {
            prompt: 'Change this repository.',
            model: door.model,
            url: URL,
            token: door.token,
            command: options.command ?? own?.command ?? null,
            iteration: 1,
            sessionId: '00000000-0000-4000-8000-000000000001',
            turnsMax: options.turnsMax ?? 50,
          },
          task: [],
          tree: {
            files: [{ path: 'readme.md', bytes: Buffer.from('hello\n') }],
            prepared: [],
            links: new Map(),
            repository: null,
          },
          env: {
            PATH: '/usr/local/bin:/usr/bin:/bin',
            A7_MODEL_URL: URL,
            A7_MODEL: door.model,
            A7_MODEL_TOKEN: door.token,
            A7_NOTES: ROOM.notes,
          },
          wallMs: options.wallMs ?? 90_000 * patience(agent),
          signal: options.signal ?? new AbortController().signal,
          onOutput: () => undefined,
        });
        return {
          end,
          notes,
          files: result.files[ROOM.work] ?? [],
          refused: result.refused.map(({ path }) => path),
          usage: door.usage(),
          stdout: result.stdout.text,
        };
      } finally {
        clearInterval(watch);
        await door.close();
        await server.close();
      }
    },
    processes: (wanted) => running().filter(({ line }) => line === wanted).length,
    signal(part, signal): number {
      const all = running();
      const parents = new Map(all.map(({ pid, parent }) => [pid, parent]));
      const isBelow = (pid: number): boolean =>
        pid === process.pid || (parents.has(pid) && isBelow(parents.get(pid) ?? 0));
      const found = all.filter(({ pid, line }) => line.includes(part) && pid !== process.pid && isBelow(pid));
      for (const { pid } of found) process.kill(pid, signal);
      return found.length;
    },
    async close(): Promise<void> {
      await rooms.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

interface Running {
  readonly pid: number;
  readonly parent: number;
  readonly line: string;
}

function running(): Running[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const line = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
      const [, parent] = (readFileSync(`/proc/${name}/stat`, 'utf8').split(') ')[1] ?? '').split(' ', 3);
      return [{ pid: Number(name), parent: Number(parent), line }];
    } catch {
      return [];
    }
  });
}
