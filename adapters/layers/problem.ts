/** Failures of resolving, as values. Texts of clients are read and never passed on: they hold registries' addresses (L5). */
import type { LayerProblem } from '../../core/ports/layers.ts';
import type { LayerLock } from '../../schemas/layer.ts';

/** An expected failure; `ensure` turns it into its outcome. */
export class LayerFailure extends Error {
  override readonly name = 'LayerFailure';
  readonly problem: LayerProblem;

  constructor(problem: LayerProblem) {
    super(problem.message);
    this.problem = problem;
  }
}

/** @throws {LayerFailure} always */
export function fail(
  kind: LayerProblem['kind'],
  about: Pick<LayerProblem, 'ecosystem' | 'pin'>,
  message: string,
  suggestion: string,
): never {
  throw new LayerFailure({ kind, ...about, message: `Cannot resolve packages: ${message}`, suggestion });
}

const OFFLINE =
  /NewConnectionError|Connection refused|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONNRESET|timed out|name resolution|Max retries|ProxyError|SSLError|SSL_|CERT_|after connection broken|Could not resolve|Could not connect|Unable to connect|Failed to fetch|Cannot initiate/i;
const REFUSED_ACCESS = /\b(401|403|407)\b|E401|E403|Unauthorized|Forbidden/;

/** The failures that all clients share; returns when it is none of them. */
export function failIfUnreachable(
  text: string,
  ecosystem: NonNullable<LayerProblem['ecosystem']>,
  client: string,
): void {
  const about = { ecosystem, pin: null };
  if (REFUSED_ACCESS.test(text)) {
    fail(
      'offline',
      about,
      `the registry refused access to "${client}"`,
      `Check what "${client}" is set up with, then run the same command again`,
    );
  }
  if (OFFLINE.test(text)) {
    fail(
      'offline',
      about,
      `"${client}" reaches no registry`,
      'Go online once: resolved packages are kept in the cache and need no network later',
    );
  }
}

/** The first archive that is not the one of the lock. @throws {LayerFailure} always */
export function failChanged(earlier: LayerLock, now: LayerLock): never {
  const before = new Map(earlier.packages.map((each) => [each.file, each.integrity]));
  const other = now.packages.find((each) => before.get(each.file) !== each.integrity);
  fail(
    'changed',
    { ecosystem: other?.ecosystem ?? null, pin: null },
    `"${other?.file ?? 'the layer'}" has other bytes than when it was resolved`,
    'Find out why the registry changed it; "a7-rt seed SESSION" after an edit of the pins resolves anew',
  );
}
