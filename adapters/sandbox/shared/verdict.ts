/**
 * From what was seen of a room to a `SandboxResult`. Only the keeper's report and counters outside the guest's reach
 * count; whatever they do not prove is `lost` (port contract S2, gate.md part 5).
 */
import { constants } from 'node:os';
import type {
  SandboxCompanionResult,
  SandboxEnd,
  SandboxFile,
  SandboxOutcome,
  SandboxOutput,
  SandboxRequest,
  SandboxResult,
} from '../../../core/ports/sandbox.ts';
import type { KeeperRecord } from './keeper-connection.ts';
import type { KeeperReport } from './room-protocol.ts';
import { readCheckedTar } from './tar-out.ts';
import type { CollectLimits } from './tar-out.ts';

/** What a backend read of the room's cgroup; null where it has none or could not read it. */
export interface RoomCounters {
  readonly cpuMs: number | null;
  readonly outOfMemoryKills: number | null;
  readonly refusedForks: number | null;
}

export const NO_COUNTERS: RoomCounters = { cpuMs: null, outOfMemoryKills: null, refusedForks: null };

const SIGNAL_NAMES = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]));

/** Counters that the keeper itself read in the room's cgroup, counted from the command's start. */
export function keeperCounters(report: KeeperReport | null): RoomCounters {
  const [cpuUs, kills, forks] = (report?.after ?? []).map((after, at) =>
    difference(after, report?.before?.[at]),
  );
  return {
    cpuMs: cpuUs === undefined || cpuUs === null ? null : cpuUs / 1000,
    outOfMemoryKills: kills ?? null,
    refusedForks: forks ?? null,
  };
}

function difference(after: number | null, before: number | null | undefined): number | null {
  return after === null ? null : after - (before ?? 0);
}

/** Result of a run. `lostBecause` adds what the backend knows about a lost room, for example the engine's last words. */
export async function readResult(
  request: SandboxRequest,
  record: KeeperRecord,
  counters: RoomCounters,
  limits: CollectLimits,
  lostBecause = '',
): Promise<SandboxResult> {
  const collected = await readCheckedTar(Buffer.concat(record.tar), limits);
  const folders = request.collect ?? [];
  const files: Record<string, readonly SandboxFile[]> = {};
  folders.forEach((folder, at) => (files[folder] = collected.files.get(at) ?? []));
  const refused = [...record.refused, ...collected.refused].map((entry) => ({
    ...entry,
    path: namedPath(entry.path, folders),
  }));
  const kept = keptOf(record.kept, folders, request.collectChanges);
  const companions = request.companions?.map((_, at) => companionResult(record, at + 1));
  return {
    outcome: readOutcome(request, record, counters, lostBecause),
    stdout: output(record, 'o0'),
    stderr: output(record, 'e0'),
    files,
    refused,
    ...(kept === undefined ? {} : { kept }),
    durationMs: record.report?.ms ?? 0,
    cpuMs: counters.cpuMs ?? record.report?.cpuMs ?? null,
    waitedMs: record.report?.waitedMs ?? null,
    limitsHit: limitsHit(record, counters),
    ...(companions === undefined ? {} : { companions }),
  };
}

/** Names of unchanged files by their folder. */
function keptOf(
  names: readonly string[],
  folders: readonly string[],
  asked: readonly string[] | undefined,
): Record<string, readonly string[]> | undefined {
  if (asked === undefined) return undefined;
  const kept: Record<string, string[]> = Object.fromEntries(asked.map((folder) => [folder, []]));
  for (const name of names) {
    const slash = name.indexOf('/');
    kept[folders[Number(name.slice(0, slash))] ?? '']?.push(name.slice(slash + 1));
  }
  return kept;
}

/** Result of a run that never began: nobody is charged. */
export async function lostResult(
  request: SandboxRequest,
  failure: string,
  cancelled = false,
): Promise<SandboxResult> {
  const record = {
    report: null,
    failure,
    cancelled,
    started: false,
    streams: new Map(),
    tar: [],
    refused: [],
    kept: [],
  };
  return await readResult(request, record, NO_COUNTERS, { filesMax: 0, bytesMax: 0 });
}

function readOutcome(
  request: SandboxRequest,
  record: KeeperRecord,
  counters: RoomCounters,
  lostBecause: string,
): SandboxOutcome {
  const { limits } = request;
  const { report } = record;
  const memory = { kind: 'out_of_memory', limitBytes: limits.memoryBytes } as const;
  const killedForMemory = (counters.outOfMemoryKills ?? 0) > 0;
  if (record.cancelled) return { kind: 'cancelled' };
  if (report === null) {
    if (record.started && killedForMemory) return memory;
    const reason = [record.failure ?? 'no report', lostBecause].filter((part) => part !== '').join('; ');
    return { kind: 'lost', reason };
  }
  switch (report.why) {
    case 'cancel':
      return { kind: 'cancelled' };
    case 'timeout':
      return { kind: 'timed_out', limitMs: limits.wallMs };
    case 'output':
      return { kind: 'output_limit', limitBytes: limits.outputBytes };
    case 'exit': {
      const end = readEnd(report.ended[0] ?? null);
      if (end === null) return { kind: 'lost', reason: 'the keeper did not see how the command ended' };
      return killedForMemory && !(end.kind === 'exited' && end.exitCode === 0) ? memory : end;
    }
  }
}

function readEnd(status: number | null): SandboxEnd | null {
  if (status === null) return null;
  if (status >= 0) return { kind: 'exited', exitCode: status };
  return { kind: 'signaled', signal: SIGNAL_NAMES.get(-status) ?? `SIG${-status}` };
}

function companionResult(record: KeeperRecord, at: number): SandboxCompanionResult {
  return {
    end: readEnd(record.report?.ended[at] ?? null),
    stdout: output(record, `o${at}`),
    stderr: output(record, `e${at}`),
  };
}

function output(record: KeeperRecord, key: string): SandboxOutput {
  const stream = record.streams.get(key);
  if (stream === undefined) return { text: '', bytes: 0, truncated: false };
  const kept = Buffer.concat(stream.chunks);
  return { text: kept.toString('utf8'), bytes: stream.bytes, truncated: kept.length < stream.bytes };
}

function limitsHit(record: KeeperRecord, counters: RoomCounters): SandboxResult['limitsHit'] {
  return [
    ...((counters.refusedForks ?? 0) > 0 ? (['processes'] as const) : []),
    ...(record.report?.diskFull === true ? (['disk'] as const) : []),
  ];
}

/** The keeper numbers the collected folders; people read their names. */
function namedPath(path: string, folders: readonly string[]): string {
  const slash = path.indexOf('/');
  const folder = folders[Number(slash < 0 ? path : path.slice(0, slash))];
  return folder === undefined || path === '' ? path : `${folder}${slash < 0 ? '' : path.slice(slash)}`;
}
