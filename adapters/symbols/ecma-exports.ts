/** What a JavaScript or TypeScript module binds and exports while its statements are read in order. */
import type { SourceSymbol } from '../../core/ports/symbols.ts';

export interface Exports {
  /** Module-level bindings. */
  readonly local: Map<string, SourceSymbol>;
  /** Exported name to local name. */
  readonly named: Map<string, string>;
  /** Exported without a local name. */
  readonly direct: Map<string, SourceSymbol>;
  readonly deleted: Map<string, number>;
  /** True when names may be exported by other means. */
  isOpen: boolean;
}

export function noExports(): Exports {
  return { local: new Map(), named: new Map(), direct: new Map(), deleted: new Map(), isOpen: false };
}
