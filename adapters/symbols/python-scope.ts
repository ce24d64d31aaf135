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
    const isOverload =
      earlier?.decorators.some((text) => /\boverload$/u.test(text)) === true && found.kind === 'function';
    if (isOverload) this.bound.set(found.name, { ...found, params: null });
    else if (isConditional && earlier !== undefined && earlier.kind !== found.kind)
      this.bound.set(found.name, { ...found, kind: 'opaque' });
    else this.bound.set(found.name, found);
  }

  remove(name: string, line: number, isConditional: boolean): void {
    if (!this.bound.has(name) || isConditional) return;
    this.bound.delete(name);
    this.deleted.set(name, line);
  }
}
