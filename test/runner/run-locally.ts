/** A `RunInSandbox` that starts the runner programs on the host, in a temp folder; for our own fixtures only. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import type { RunInSandbox } from '../../adapters/stubs/stub-build.ts';
import { ResolvedContract } from '../../schemas/contract.ts';
import { PYTHON_DIR, RUNNER_DIR } from './run-runner.ts';

export const runLocally: RunInSandbox = async ({ command, stdin, files }) => {
  const workDir = await mkdtemp(join(tmpdir(), 'a7-stubs-'));
  try {
    for (const file of files) {
      await mkdir(dirname(join(workDir, file.path)), { recursive: true });
      await writeFile(join(workDir, file.path), file.bytes);
    }
    const dir = command.argv.some((part) => part.endsWith('.py')) ? PYTHON_DIR : RUNNER_DIR;
    const [program, ...args] = command.argv.map((part) => part.replace('/opt/a7', dir));
    const request = JSON.parse(stdin.replaceAll('"/work/', `"${workDir}/`)) as object;
    const input = JSON.stringify({ ...request, workDir });
    const result = await execa(program ?? '', args, {
      cwd: workDir,
      input,
      env: command.env,
      timeout: 30_000,
    });
    return result.stdout;
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
};

/** A resolved contract around an interface. */
export function contractOf(
  language: 'python' | 'javascript' | 'typescript',
  contentFile: string,
  declared: {
    exports: readonly string[];
    imports?: readonly string[];
    raises?: readonly unknown[];
    inert?: readonly string[];
  },
): ResolvedContract {
  return ResolvedContract.parse({
    id: 'shop.thing',
    stage: 'core',
    description: 'A fixture',
    interface: declared,
    language,
    mode: 'A',
    files: [contentFile],
    tests: ['tests/**'],
    contentFile,
    importLine: 'import thing',
  });
}

/** Stub files as text by path. */
export function asText(
  files: readonly { readonly path: string; readonly bytes: Uint8Array }[],
): Record<string, string> {
  return Object.fromEntries(files.map((file) => [file.path, new TextDecoder().decode(file.bytes)]));
}
