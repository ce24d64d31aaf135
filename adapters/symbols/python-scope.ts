/** The names of one Python scope while its statements are read in order. */
import type { SourceSymbol } from '../../core/ports/symbols.ts';

/** Names bound in one scope, in the order of running. */
export class Scope {
  readonly bound = new Map<string, SourceSymbol>();
  readonly deleted = new Map<string, number>();
  isOpen = false;

  bind(found: SourceSymbol, isConditional: boolean): void {
    const earlier = this.bound.get(found.name);
    this.deleted.delete(found.name);
    this.bound.set(found.name, earlier === undefined ? found : rebound(earlier, found, isConditional));
  }

  remove(name: string, line: number, isConditional: boolean): void {
    if (!this.bound.has(name) || isConditional) return;
    this.bound.delete(name);
    this.deleted.set(name, line);
  }
}

/** What a name is after it was bound again. */
function rebound(earlier: SourceSymbol, found: SourceSymbol, isConditional: boolean): SourceSymbol {
  const isOverload = earlier.decorators.some((text) => /\boverload$/u.test(text));
  if (isOverload && found.kind === 'function') return { ...found, params: null };
  if (earlier.access === 'property' && found.decorators.some((text) => /^@\w+\./u.test(text)))
    return { ...earlier, settable: earlier.settable || found.settable };
  if (!isConditional) return found;
  if (earlier.kind !== found.kind) return { ...found, kind: 'opaque' };
  const isSame = JSON.stringify(earlier.params) === JSON.stringify(found.params);
  return isSame && earlier.isAsync === found.isAsync
    ? found
    : { ...found, params: null, mayReturnPromise: true };
}
