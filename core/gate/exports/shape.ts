/** Shapes of values: what can be told of one from its builtin kind. */

/** Null is anything. `value` is no object at all: a number, a string, undefined. */
export type Shape =
  | null
  | 'value'
  | { readonly kind: 'array' | 'set' | 'promise' | 'iterates' | 'record'; readonly of: Shape }
  | { readonly kind: 'tuple' | 'either'; readonly of: readonly Shape[] }
  | { readonly kind: 'map'; readonly keys: Shape; readonly of: Shape }
  | { readonly kind: 'date' | 'regexp' | 'bytes' }
  /** A type of the contracts, which may hold itself. */
  | { readonly kind: 'named'; readonly name: string }
  | { readonly kind: 'object'; readonly members: Readonly<Record<string, Shape>> }
  | {
      readonly kind: 'function';
      readonly params: readonly Shape[];
      readonly rest: Shape;
      readonly returns: Shape;
    };
