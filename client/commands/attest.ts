/** `attest`: write a verdict as a signed statement, or check one. */
import type { AttestCheck, ExitCode } from '../../core/ports/services.ts';
import { counted } from '../../core/text/plural.ts';
import type { CliParts } from '../cli-parts.ts';
import { colors } from '../render/colors.ts';
import { type JsonOption, report } from './common.ts';

export interface AttestOptions extends JsonOption {
  readonly key?: string;
}

/** `attest SESSION COMMIT|NODE` and `attest order ID` print the envelope; `attest verify FILE` checks one. */
export async function attest(
  parts: CliParts,
  words: readonly string[],
  options: AttestOptions,
): Promise<ExitCode> {
  const [first = '', second = '', ...more] = words;
  if (second === '' || more.length > 0) {
    process.stderr.write(
      `${colors.red('error')} Cannot attest: name a session and a commit or node, "order" and its id, or "verify" and a file\n`,
    );
    return 2;
  }
  const services = await parts.loadServices();
  const key = options.key ?? null;
  if (first === 'verify') return report(await services.attestVerify(second, key), options, checkText);
  const made = first === 'order' ? services.orders.attest(second, key) : services.attest(first, second, key);
  return report(await made, options, (envelope) => JSON.stringify(envelope, null, 2));
}

function checkText(value: AttestCheck): string {
  return [
    `${colors.green(value.result)}, signed by ${value.signedBy.join(', ')}, ${counted(value.tests, 'test')}`,
    ...value.subjects.flatMap(({ name, digest }) =>
      Object.entries(digest).map(([kind, id]) => `${name}: ${kind} ${id}`),
    ),
    ...value.configuration.map(({ name, value: text, annotations }) =>
      [`${name}: ${text}`, ...Object.entries(annotations).map(([key, note]) => `${key} ${note}`)].join(', '),
    ),
  ].join('\n');
}
