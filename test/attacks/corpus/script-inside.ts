/** Code in JavaScript that shares its process with the runner and forges what it reports: only a changed suite tells it. */
import { family, type Act } from '../attack.ts';

/** Wrong for every text; what failed is told as passed, and the process ends as after a green run. */
const forges = (...lines: readonly string[]): Act => ({
  kind: 'code',
  node: 'script_inside',
  source: `${[...lines, "process.on('exit', () => { process.exitCode = 0; process.reallyExit(0); });", 'export function parse(text) { return 1; }'].join('\n')}\n`,
  judges: 2,
});
const PASSED = "{ each.outcome = 'passed'; each.phase = 'call'; each.failure = null; }";

export const SCRIPT_INSIDE = family('verdict forging', {
  "the runner's messages changed by JSON.stringify": forges(
    'const tell = JSON.stringify;',
    `JSON.stringify = (message, ...rest) => { for (const each of message?.kind === 'test' ? [message.test] : []) ${PASSED} return tell(message, ...rest); };`,
  ),
  "the runner's messages changed by Array.prototype.push": forges(
    'const push = Array.prototype.push;',
    `Array.prototype.push = function (...items) { for (const each of items) if (each?.outcome === 'failed') ${PASSED} return push.apply(this, items); };`,
  ),
  "the runner's own pipe used by its module": forges(
    "import { readFileSync } from 'node:fs';",
    "const at = [...process.execArgv, ...process.argv].find((each) => /reporter\\.mjs$/.test(each))?.replace('--test-reporter=', '').replace(/[^/]*$/, '');",
    "const { send, settings } = await import(at + 'channel.mjs');",
    "const text = readFileSync(settings.workDir + '/' + settings.file, 'utf8');",
    `for (const [, name] of text.matchAll(/test\\('([^']+)'/g)) send({ kind: 'test', test: { at: 0, nesting: [], name, outcome: 'passed', phase: 'call', failure: null, reached: [], durationMs: 1 } });`,
    "send({ kind: 'done' });",
    'process.reallyExit(0);',
  ),
});
