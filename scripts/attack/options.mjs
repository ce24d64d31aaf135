// What `npm run attack` is asked for.
import { parseArgs } from 'node:util';

const BACKENDS = ['docker', 'bubblewrap'];
const FAMILIES = [
  'file system escapes',
  'git tricks',
  'judge edits',
  'verdict forging',
  'wall attacks',
  'exhaustion',
  'exfiltration',
  'the door',
  'races',
  'other runs',
];

export const USAGE = `usage: npm run attack [-- options]
  --json          the list of {attack, family, backend, outcome, reason} instead of the table
  --family F      only this family, any number of times: ${FAMILIES.map((name) => `"${name}"`).join(', ')}
  --backend B     only this backend: ${BACKENDS.join(' or ')} (default both)
  --attack NAME   only attacks whose name holds this text
exit code: 0 when nothing got through, 1 when something did, 2 for wrong use
`;

/** `{kind: 'run', json, families, backends, attack}`, or why not. */
export function readOptions(args) {
  const many = { type: 'string', multiple: true };
  const flag = { type: 'boolean' };
  const options = { json: flag, family: many, backend: many, attack: { type: 'string' }, help: flag };
  try {
    const { values } = parseArgs({ args, options });
    if (values.help) return { kind: 'help' };
    return {
      kind: 'run',
      json: values.json ?? false,
      families: chosen('family', values.family, FAMILIES),
      backends: chosen('backend', values.backend, BACKENDS),
      attack: values.attack ?? '',
    };
  } catch (error) {
    return { kind: 'wrong', message: error.message };
  }
}

function chosen(name, given, known) {
  const unknown = given?.find((value) => !known.includes(value));
  if (unknown !== undefined)
    throw new Error(`--${name} must be one of ${known.join(', ')}: current value is "${unknown}"`);
  return given ?? known;
}
