/** What `tool.mjs` notes of the files that ran: hostile like everything that leaves a room, and worth nothing where it does not parse. */
import type { SandboxFile } from '../ports/sandbox.ts';
import { type LoadedFile, RunnerLine } from '../../schemas/runner-report.ts';
import { strictJson } from '../text/strict-json.ts';

const NAME = 'loaded.json';
const LINES_MAX = 100;

/** Undefined where nothing was noted. */
export function readLoaded(
  out: readonly SandboxFile[],
  bytesMax: number,
): { readonly files: readonly LoadedFile[]; readonly children: boolean } | undefined {
  const bytes = out.find((file) => file.path === NAME)?.bytes;
  if (bytes === undefined || bytes.byteLength > bytesMax) return undefined;
  const lines = RunnerLine.array()
    .max(LINES_MAX)
    .safeParse(strictJson(new TextDecoder().decode(bytes)));
  if (!lines.success) return undefined;
  const loaded = lines.data.filter((line) => line.kind === 'loaded');
  return { files: loaded.flatMap((line) => line.files), children: loaded.some((line) => line.children) };
}
