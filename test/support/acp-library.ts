/** The library of the Agent Client Protocol as `a7-rt agents --install acp` brings it, laid from what `npm ci` brought: no registry. */
import { cpSync, existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { AGENT_PACKAGES } from '../../adapters/agents/packages.ts';
import { folderOf } from '../../adapters/agents/programs.ts';
import { cacheFolder } from '../../adapters/toolchain/index.ts';

/** Once a machine. @throws where `package.json` and the agent's packages name other versions */
export function layAcpLibrary(): void {
  const wanted = AGENT_PACKAGES.acp;
  if (wanted === undefined) throw new Error('No packages of agent "acp"');
  const at = folderOf(join(cacheFolder(), 'agents'), 'acp', wanted);
  if (existsSync(join(at, wanted.program))) return;
  const fresh = `${at}.${String(process.pid)}.new`;
  for (const [name, version] of Object.entries(wanted.packages)) {
    const from = join(import.meta.dirname, '../../node_modules', name);
    const found = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8')) as { version?: unknown };
    if (found.version !== version)
      throw new Error(`npm ci: ${name} is not ${version} but ${String(found.version)}`);
    cpSync(from, join(fresh, 'node_modules', name), { recursive: true });
  }
  try {
    renameSync(fresh, at);
  } catch (error) {
    // Another test file was first.
    rmSync(fresh, { recursive: true, force: true });
    if (!existsSync(join(at, wanted.program))) throw error;
  }
}
