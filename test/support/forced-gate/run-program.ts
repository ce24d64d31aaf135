/** `run` of the built product in bubblewrap, with its gate forced to PASS. Argument: session folder. */
import type * as MakeReportModule from '../../../core/gate/make-report.ts';
import type * as ServicesModule from '../../../workers/services/index.ts';
import { forcePass } from './force-pass.ts';

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
  backend: 'bubblewrap',
} as const;

const built = async <T>(path: string): Promise<T> =>
  (await import(new URL(`../../../dist/${path}`, import.meta.url).href)) as T;

const [dir = ''] = process.argv.slice(2);
const { digestText } = await built<typeof MakeReportModule>('core/gate/make-report.js');
const { createServices } = await built<typeof ServicesModule>('workers/services/index.js');
const services = createServices({
  env: process.env,
  wrapPorts: (ports) => forcePass(ports, digestText),
});
const result = await services.run(dir, FLAGS, () => undefined, new AbortController().signal);
if (!result.ok) process.stderr.write(`${JSON.stringify(result)}\n`);
process.exitCode = result.ok ? 0 : result.exitCode;
