/** Shapes of values: what can be told of one from its builtin kind. */

/** What is no object. */
export type PlainType = 'number' | 'string' | 'boolean' | 'bigint' | 'symbol' | 'undefined' | 'null';

/** Null is anything. */
export type Shape =
  | null
  | { readonly kind: 'plain'; readonly of: PlainType }
  | { readonly kind: 'literal'; readonly of: string | number | boolean }
  | { readonly kind: 'array' | 'set' | 'promise' | 'iterates' | 'record'; readonly of: Shape }
  | { readonly kind: 'tuple' | 'either'; readonly of: readonly Shape[] }
  | { readonly kind: 'map'; readonly keys: Shape; readonly of: Shape }
  | { readonly kind: 'date' | 'regexp' | 'bytes' }
  /** A type of the contracts, which may hold itself. */
  | { readonly kind: 'named'; readonly name: string }
  | {
      readonly kind: 'object';
      readonly members: Readonly<Record<string, Shape>>;
      /** Members that nobody outside of the object may set. */
      readonly fixed: readonly string[];
    }
  | {
      readonly kind: 'function';
      readonly params: readonly Shape[];
      readonly rest: Shape;
      readonly returns: Shape;
    };
