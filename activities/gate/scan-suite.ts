/** Has a suite scanned, without running it, for what cannot cross the wall; the tier is fixed from that (gate.md part 11). */
import { isSource, isSuiteFile } from '../../core/gate/gate-files.ts';
import { DEFAULT_LIMITS } from '../../core/gate/plan.ts';
import { scanScripts } from '../../core/gate/suite/script-scan.ts';
import { hasWall, pythonModule, tierFor } from '../../core/gate/code/wall.ts';
import type { SandboxFile } from '../../core/ports/sandbox.ts';
import { WallScan, type WallChoice } from '../../schemas/gate-wall.ts';
import { textOf } from './judged.ts';
import { programEnv } from './programs.ts';
import { runProgram, type RoomContext, type RoomEnd } from './room.ts';
import { pythonWallArgv } from './wall-room.ts';

export interface SuiteScan {
  readonly choice: WallChoice;
  readonly ends: readonly RoomEnd[];
}

/** The tier for the node of a request; a scan that does not come to its end means one process. */
export async function scanSuite(context: RoomContext, files: readonly SandboxFile[]): Promise<SuiteScan> {
  const { contract, dependencies = [] } = context.request;
  if (!hasWall(contract)) return { choice: tierFor(contract, null, dependencies), ends: [] };
  return contract.language === 'python' ? scanPython(context, files) : scanScript(context, files);
}

/** JavaScript and TypeScript are read here: nothing is parsed, so no sandbox is needed. */
function scanScript(context: RoomContext, files: readonly SandboxFile[]): SuiteScan {
  const { contract, dependencies = [] } = context.request;
  const nodes = [contract, ...dependencies];
  const isScript = ({ path }: SandboxFile): boolean =>
    isSource(path, contract.language) || /\.[cm]?js$/u.test(path);
  const suite = files.filter((file) => isScript(file) && isSuiteFile(file.path, contract));
  const others = files
    .filter((file) => isScript(file) && !isSuiteFile(file.path, contract))
    .map((file) => file.path)
    .filter((path) => !nodes.some((node) => node.contentFile === path));
  const scripts = suite.map((file) => ({ path: file.path, text: textOf(file) }));
  return { choice: tierFor(contract, scanScripts(scripts, nodes, others), dependencies), ends: [] };
}

async function scanPython(context: RoomContext, files: readonly SandboxFile[]): Promise<SuiteScan> {
  const end = await runProgram(context, {
    name: SCAN_NAME,
    argv: pythonWallArgv('scan'),
    files: scannedFiles(context, files),
    stdin: pythonScanInput(context, files),
    limits: DEFAULT_LIMITS,
    env: programEnv(context.environment, '0'),
  });
  return pythonChoice(context, end);
}

/** Name of the scan's run. */
export const SCAN_NAME = 'wall-scan';

function scannedFiles({ request }: RoomContext, files: readonly SandboxFile[]): SandboxFile[] {
  return files.filter(
    (file) =>
      isSuiteFile(file.path, request.contract) && file.path.endsWith('.py') && !file.path.includes('\n'),
  );
}

/** Standard input of the scan of a Python suite. */
export function pythonScanInput(context: RoomContext, files: readonly SandboxFile[]): string {
  const { contract, dependencies = [] } = context.request;
  const known = [contract, ...dependencies].map((node) => pythonModule(node.contentFile, node.sourceRoot));
  const others = files
    .filter((file) => file.path.endsWith('.py') && !isSuiteFile(file.path, contract))
    .filter((file) => !(file.path.endsWith('__init__.py') && file.bytes.byteLength === 0))
    .map((file) => pythonModule(file.path, contract.sourceRoot))
    .filter((module) => !known.includes(module));
  return JSON.stringify({
    files: scannedFiles(context, files).map((file) => file.path),
    modules: known,
    otherModules: others,
    exports: [contract, ...dependencies].flatMap((node) => node.interface.exports),
  });
}

/** The tier that a finished scan fixes. */
export function pythonChoice(context: RoomContext, end: RoomEnd): SuiteScan {
  const { contract, dependencies = [] } = context.request;
  return { choice: tierFor(contract, readScan(end), dependencies), ends: [end] };
}

function readScan(end: RoomEnd): WallScan | null {
  const { outcome, stdout } = end.result;
  if (outcome.kind !== 'exited' || outcome.exitCode !== 0 || stdout.truncated) return null;
  try {
    const parsed = WallScan.safeParse(JSON.parse(stdout.text));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}
