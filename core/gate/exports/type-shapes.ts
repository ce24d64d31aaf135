/** TypeScript types as shapes of values: what can be told of a value from its builtin kind. What is not known here is null. */
import { orMissing, plainShape } from './plain-shapes.ts';
import type { Shape } from './shape.ts';

/** Whether the contracts declare a type of this name. */
export type IsNamed = (name: string) => boolean;

const TOKEN = /=>|\.\.\.|[A-Za-z_$#][\w$]*|\d[\w.]*|'[^']*'|"[^"]*"|`[^`]*`|[^\s]/gu;
const ANY_PREFIX = new Set('keyof typeof infer unique asserts new abstract'.split(' '));
const ITERATING = new Set(
  'Iterable Iterator IterableIterator Generator AsyncIterable AsyncIterator AsyncIterableIterator AsyncGenerator'.split(
    ' ',
  ),
);
const CLOSER: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}', '<': '>' };

/** A type that this reader does not know; what it stands in is anything. */
class UnknownType extends Error {
  override readonly name = 'UnknownType';
}

/** Reads declarations token by token. */
export class ShapeReader {
  private at = 0;
  private readonly tokens: readonly string[];
  private readonly isNamed: IsNamed;

  constructor(text: string, isNamed: IsNamed) {
    this.tokens = text.replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/gu, ' ').match(TOKEN) ?? [];
    this.isNamed = isNamed;
  }

  get token(): string {
    return this.tokens[this.at] ?? '';
  }

  take(token: string): boolean {
    if (this.token !== token) return false;
    this.at += 1;
    return true;
  }

  next(): string {
    const { token } = this;
    if (token === '') throw new UnknownType();
    this.at += 1;
    return token;
  }

  /** The type at this place; anything where it is of a form that is not known. */
  shape(): Shape {
    const began = this.at;
    try {
      return this.type();
    } catch (error) {
      if (!(error instanceof UnknownType)) throw error;
      this.at = began;
      while (!/^[,;)}\]>=]?$/u.test(this.token)) this.skip();
      return null;
    }
  }

  /** A list of parameters and what follows its colon or arrow. */
  signature(separator: ':' | '=>'): Shape {
    this.skipGeneric();
    const params: Shape[] = [];
    let rest: Shape = null;
    this.expect('(');
    while (!this.take(')')) {
      const isRest = this.take('...');
      const shape = this.param();
      if (!isRest) params.push(shape);
      else rest = typeof shape === 'object' && shape?.kind === 'array' ? shape.of : null;
      this.take(',');
    }
    const returns = this.take(separator) ? this.shape() : null;
    return { kind: 'function', params, rest, returns };
  }

  /** Members of an object type, interface or class; the brace is open. */
  members(): Shape {
    const members: Record<string, Shape> = Object.create(null) as Record<string, Shape>;
    const fixed: string[] = [];
    while (!this.take('}')) this.member(members, fixed);
    return { kind: 'object', members, fixed };
  }

  skipGeneric(): void {
    if (this.token === '<') this.skip();
  }

  private member(found: Record<string, Shape>, fixed: string[]): void {
    if (this.take(';') || this.take(',')) return;
    const words: string[] = [];
    while (!/^[:?(<;,}=!]$/u.test(this.token)) {
      if (this.token === '[') {
        this.skipMember();
        return;
      }
      words.push(this.next());
    }
    const name = (words.at(-1) ?? '').replace(/^['"]|['"]$/gu, '');
    const modifiers = words.slice(0, -1);
    const isOptional = this.take('?') || this.take('!');
    if (modifiers.some((word) => /^(?:private|protected|static|set)$/u.test(word)) || name.startsWith('#')) {
      this.skipMember();
      return;
    }
    let shape: Shape = null;
    if (this.token === '(' || this.token === '<') shape = this.signature(':');
    else if (this.take(':')) shape = this.shape();
    if (modifiers.includes('get') && typeof shape === 'object' && shape?.kind === 'function')
      shape = shape.returns;
    const wanted = isOptional ? orMissing(shape) : shape;
    if (modifiers.includes('readonly')) fixed.push(name);
    // Of overloads none is told from the others.
    if (name !== 'constructor') found[name] = name in found ? null : wanted;
    if (!/^[;,}]$/u.test(this.token)) this.skipMember();
  }

  private skipMember(): void {
    while (!/^[;,}]$/u.test(this.token)) this.skip();
  }

  private param(): Shape {
    const name = this.token;
    if (name in CLOSER) this.skip();
    else this.next();
    while (/^(?:public|private|protected|readonly)$/u.test(name) && /^[\w$]/u.test(this.token)) this.next();
    const isOptional = this.take('?');
    const shape = this.take(':') ? this.shape() : null;
    while (!/^[,)]$/u.test(this.token)) this.skip();
    return isOptional ? orMissing(shape) : shape;
  }

  private type(): Shape {
    this.take('|');
    const parts = [this.intersection()];
    while (this.take('|')) parts.push(this.intersection());
    if (this.token === 'extends' || this.token === '?') throw new UnknownType();
    if (parts.length === 1) return parts[0] ?? null;
    return parts.includes(null) ? null : { kind: 'either', of: parts };
  }

  private intersection(): Shape {
    const first = this.postfix();
    if (this.token !== '&') return first;
    while (this.take('&')) this.postfix();
    return null;
  }

  private postfix(): Shape {
    let shape = this.primary();
    while (this.take('[')) {
      if (!this.take(']')) throw new UnknownType();
      shape = { kind: 'array', of: shape };
    }
    if (this.take('is')) {
      this.shape();
      return { kind: 'plain', of: 'boolean' };
    }
    return shape;
  }

  private primary(): Shape {
    if (this.token === '(') return this.isArrow() ? this.signature('=>') : this.inParentheses();
    if (this.token === '<') return this.signature('=>');
    const token = this.next();
    if (token === '{') return this.members();
    if (token === '[') return this.tuple();
    if (token === 'readonly') return this.postfix();
    if (ANY_PREFIX.has(token)) throw new UnknownType();
    const plain = plainShape(token, () => this.next());
    if (plain !== null) return plain;
    if (!/^[A-Za-z_$]/u.test(token)) throw new UnknownType();
    if (this.token === '.') throw new UnknownType();
    return this.reference(token);
  }

  private inParentheses(): Shape {
    this.expect('(');
    const shape = this.shape();
    this.expect(')');
    return shape;
  }

  private tuple(): Shape {
    const of: Shape[] = [];
    while (!this.take(']')) {
      if (this.token === '...') throw new UnknownType();
      if (this.tokens[this.at + 1] === ':') this.at += 2;
      of.push(this.shape());
      if (this.token === '?') throw new UnknownType();
      this.take(',');
    }
    return { kind: 'tuple', of };
  }

  private reference(name: string): Shape {
    const args: Shape[] = [];
    if (this.take('<'))
      while (!this.take('>')) {
        args.push(this.shape());
        this.take(',');
      }
    const [first = null, second = null] = args;
    if (this.isNamed(name)) return { kind: 'named', name };
    if (name === 'Array' || name === 'ReadonlyArray') return { kind: 'array', of: first };
    if (name === 'Set' || name === 'ReadonlySet') return { kind: 'set', of: first };
    if (name === 'Map' || name === 'ReadonlyMap') return { kind: 'map', keys: first, of: second };
    if (name === 'Promise') return { kind: 'promise', of: first };
    if (name === 'Record') return { kind: 'record', of: second };
    if (name === 'Readonly' || name === 'Required' || name === 'Awaited') return first;
    if (name === 'Date') return { kind: 'date' };
    if (name === 'RegExp') return { kind: 'regexp' };
    if (/^(?:Uint8|Int8|Uint16|Int16|Uint32|Int32|Float32|Float64)Array$|^Buffer$/u.test(name))
      return { kind: 'bytes' };
    return ITERATING.has(name) ? { kind: 'iterates', of: first } : null;
  }

  private isArrow(): boolean {
    const began = this.at;
    this.skip();
    const found = this.token === '=>';
    this.at = began;
    return found;
  }

  private skip(): void {
    const closer = CLOSER[this.next()];
    if (closer === undefined) return;
    while (!this.take(closer)) this.skip();
  }

  private expect(token: string): void {
    if (!this.take(token)) throw new UnknownType();
  }
}
