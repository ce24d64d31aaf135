/**
 * `run` of the built product with a strike between its ports. Arguments: session folder, JSON of `ProgramOptions`. The
 * product knows nothing of it: the wrapping happens where its ports are wired.
 */
import type { HistoryBounds } from '../../../schemas/stage-io.ts';
import type * as ServicesModule from '../../../workers/services/index.ts';
import type { BuiltParts } from './strike-ports.ts';
import { strikePorts } from './strike-ports.ts';
import type { Strike } from './strike-points.ts';

export interface ProgramOptions {
  readonly strike: Strike | null;
  readonly historyBounds: HistoryBounds | null;
  readonly backend: 'docker' | 'bubblewrap';
}

const FLAGS = {
  stageId: null,
  nodes: [],
  manager: 'policy',
  model: 'scripted',
  subagentModel: null,
  baseUrl: null,
  maxCostUsd: null,
  maxTokens: null,
  maxTurns: null,
  maxInFlight: null,
  strictTurns: false,
  adopt: false,
} as const;

const dist = (path: string): string => new URL(`../../../dist/${path}`, import.meta.url).href;
const built = async <T>(path: string): Promise<T> => (await import(dist(path))) as T;

const [dir = '', json = ''] = process.argv.slice(2);
const { strike, historyBounds, backend } = JSON.parse(json) as ProgramOptions;
const parts: BuiltParts = {
  ...(await built<Pick<BuiltParts, 'gateOf'>>('workers/ports.js')),
  ...(await built<Pick<BuiltParts, 'createModelAdapter'>>('adapters/model/model-adapter.js')),
  ...(await built<Pick<BuiltParts, 'createObjectFiles'>>('adapters/store/objects.js')),
  ...(await built<Pick<BuiltParts, 'withLock'>>('adapters/store/lock.js')),
};
const { createServices } = await built<typeof ServicesModule>('workers/services/index.js');
const services = createServices({
  env: process.env,
  ...(strike === null ? {} : { wrapPorts: (ports, machine) => strikePorts(strike, parts, ports, machine) }),
  ...(historyBounds === null ? {} : { historyBounds }),
});
const result = await services.run(dir, { ...FLAGS, backend }, say, new AbortController().signal);
if (!result.ok) process.stderr.write(`${JSON.stringify(result)}\n`);
process.exitCode = result.ok ? 0 : result.exitCode;

function say(notice: {
  readonly kind: string;
  readonly text?: string;
  readonly line?: { readonly type: string };
}): void {
  const text = notice.text ?? notice.line?.type;
  if (text !== undefined) process.stderr.write(`${text}\n`);
}
