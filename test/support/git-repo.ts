/** A temporary folder and plain git for tests: what the adapters made is judged by git itself. */
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TempFolder {
  readonly path: string;
  remove(): Promise<void>;
}

/** An empty folder of its own. */
export async function tempFolder(): Promise<TempFolder> {
  const path = await mkdtemp(join(tmpdir(), 'a7-git-test-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/** Runs plain git with nobody's configuration; returns its output without the last line break. */
export function plainGit(args: readonly string[], options: { cwd?: string; input?: string } = {}): string {
  const output = execFileSync('git', args, {
    cwd: options.cwd,
    input: options.input ?? '',
    stdio: ['pipe', 'pipe', 'pipe'],
    maxBuffer: 256 * 1024 * 1024,
    env: {
      PATH: process.env['PATH'] ?? '',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_AUTHOR_NAME: 'Tester',
      GIT_AUTHOR_EMAIL: 'tester@localhost',
      GIT_COMMITTER_NAME: 'Tester',
      GIT_COMMITTER_EMAIL: 'tester@localhost',
    },
  });
  return output.toString('utf8').replace(/\n$/, '');
}
