/** Colours for a terminal and none in a pipe. The library's own rule colours every pipe where `CI` is set. */
import pc from 'picocolors';

const { env, stdout, stderr } = process;
const asked = env['FORCE_COLOR'] !== undefined && env['FORCE_COLOR'] !== '0';
const refused = env['NO_COLOR'] !== undefined && env['NO_COLOR'] !== '';
// In a pipe `isTTY` is undefined, which createColors would take for "decide yourself".
const isTerminal = [stdout, stderr].every((stream) => stream.isTTY) && env['TERM'] !== 'dumb';

/** The colour functions of picocolors; `NO_COLOR` and `FORCE_COLOR` are honoured. */
export const colors = pc.createColors(!refused && (asked || isTerminal));
