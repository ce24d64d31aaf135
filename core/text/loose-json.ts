/**
 * JSON as small models write it: `{'path': "a.py", "content": "first
 * second", }`. Read are single and typographic quotes, backticks and triple quotes, line breaks and bare quotes within a text, names without
 * quotes, trailing commas, comments, Python's constants, and closing brackets that are missing at the very end.
 *
 * What is JSON is read as JSON reads it.
 */
import { strictJson } from './strict-json.ts';

export interface LooseRead {
  readonly value: unknown;
  /** Where the text goes on behind the value. */
  readonly end: number;
  /** Closing brackets were missing. */
  readonly isOpen: boolean;
}

const DEPTH_MAX = 40;
const CONSTANTS: Readonly<Record<string, unknown>> = {
  true: true,
  True: true,
  false: false,
  False: false,
  null: null,
  None: null,
  undefined: null,
};
const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  '"': '"',
  "'": "'",
  '`': '`',
  '\\': '\\',
  '/': '/',
  '\n': '',
};
const QUOTES = /["'`\u201c\u2018]/u;
const CLOSERS = { object: '}', array: ']', call: ')' } as const;
type Inside = keyof typeof CLOSERS;

/** The value that begins at `start`; null where there is none. */
export function readLooseJson(text: string, start = 0): LooseRead | null {
  return attempt(text, start, (reader) => reader.value('object', 0));
}

/** `(path="a.py", content='''...''')` as an object; `start` is behind the bracket. Without a name its place is its name. */
export function readNamedArguments(text: string, start: number): LooseRead | null {
  return attempt(text, start, (reader) => reader.members('call', 0));
}

/** A whole text as one object, strict JSON first; undefined where it is none. */
export function looseObject(text: string): Record<string, unknown> | undefined {
  const strict = strictJson(text);
  const value = strict === undefined ? wholeLoose(text) : strict;
  // Arguments that were written as a text within the text.
  const inner = typeof value === 'string' ? (strictJson(value) ?? wholeLoose(value)) : value;
  return typeof inner === 'object' && inner !== null && !Array.isArray(inner)
    ? (inner as Record<string, unknown>)
    : undefined;
}

function wholeLoose(text: string): unknown {
  const begin = text.search(/[{[]/u);
  return begin === -1 ? undefined : readLooseJson(text, begin)?.value;
}

function attempt(text: string, start: number, read: (reader: Reader) => unknown): LooseRead | null {
  const reader = new Reader(text, start);
  try {
    const value = read(reader);
    return { value, end: reader.at, isOpen: reader.isOpen };
  } catch (error) {
    if (error instanceof NoJson) return null;
    throw error;
  }
}

/** The quote that ends what this one begins. */
function closerOf(quote: string): string {
  return quote === '\u201c' ? '\u201d' : quote === '\u2018' ? '\u2019' : quote;
}

class NoJson extends Error {}

class Reader {
  isOpen = false;
  at: number;
  private readonly text: string;

  constructor(text: string, at: number) {
    this.text = text;
    this.at = at;
  }

  value(inside: Inside, depth: number): unknown {
    if (depth > DEPTH_MAX) throw new NoJson();
    this.skip();
    const char = this.text[this.at];
    if (char === '{') {
      this.at += 1;
      return this.members('object', depth + 1);
    }
    if (char === '[') {
      this.at += 1;
      return this.items(depth + 1);
    }
    if (char !== undefined && QUOTES.test(char)) return this.string(inside);
    return this.word();
  }

  /** `"a": 1, b: 2}` or `a=1, b=2)`; the opening bracket is read. */
  members(inside: 'object' | 'call', depth: number): Record<string, unknown> {
    const found: [string, unknown][] = [];
    while (!this.closes(inside)) {
      if (inside === 'call' && QUOTES.test(this.text[this.at] ?? '')) {
        found.push([String(found.length), this.value(inside, depth)]);
        this.comma(inside);
        continue;
      }
      const name = this.name();
      this.skip();
      const sign = this.text[this.at];
      if (sign !== (inside === 'call' ? '=' : ':')) throw new NoJson();
      this.at += 1;
      found.push([name, this.value(inside, depth)]);
      this.comma(inside);
    }
    return Object.fromEntries(found);
  }

  private items(depth: number): unknown[] {
    const found: unknown[] = [];
    while (!this.closes('array')) {
      found.push(this.value('array', depth));
      this.comma('array');
    }
    return found;
  }

  private closes(inside: Inside): boolean {
    this.skip();
    if (this.text[this.at] === CLOSERS[inside]) {
      this.at += 1;
      return true;
    }
    if (this.at < this.text.length) return false;
    this.isOpen = true;
    return true;
  }

  private comma(inside: Inside): void {
    this.skip();
    const char = this.text[this.at];
    if (char === ',') this.at += 1;
    else if (char !== undefined && char !== CLOSERS[inside]) throw new NoJson();
  }

  private name(): string {
    const char = this.text[this.at];
    if (char !== undefined && QUOTES.test(char)) {
      const end = this.text.indexOf(closerOf(char), this.at + 1);
      if (end === -1) throw new NoJson();
      const name = this.text.slice(this.at + 1, end);
      this.at = end + 1;
      return name;
    }
    const [word] = /^[A-Za-z_$][\w$-]*/u.exec(this.text.slice(this.at, this.at + 200)) ?? [];
    if (word === undefined) throw new NoJson();
    this.at += word.length;
    return word;
  }

  private word(): unknown {
    const [word] = /^[\w.+-]+/u.exec(this.text.slice(this.at, this.at + 100)) ?? [];
    if (word === undefined) throw new NoJson();
    this.at += word.length;
    if (Object.hasOwn(CONSTANTS, word)) return CONSTANTS[word];
    const number = Number(word);
    if (Number.isNaN(number)) throw new NoJson();
    return number;
  }

  private string(inside: Inside): string {
    const mark = closerOf(this.text[this.at] ?? '');
    const triple = mark.repeat(3);
    const isTriple = this.text.startsWith(triple, this.at) && !this.endsAt(this.at + 1, inside);
    this.at += isTriple ? 3 : 1;
    let value = '';
    for (;;) {
      const char = this.text[this.at];
      if (char === undefined) throw new NoJson();
      if (char === '\\') value += this.escaped();
      else if (isTriple && this.text.startsWith(triple, this.at)) {
        this.at += 3;
        return value;
      } else if (!isTriple && char === mark && this.endsAt(this.at, inside)) {
        this.at += 1;
        return value;
      } else {
        value += char;
        this.at += 1;
      }
    }
  }

  /** A quote ends a text where what follows is what must follow a value: in JSON it always is. */
  private endsAt(quote: number, inside: Inside): boolean {
    const rest = this.text.slice(quote + 1, quote + 300);
    const [, char = ''] = /^\s*([^\s])/u.exec(rest) ?? [];
    if (char === '' || char === CLOSERS[inside]) return true;
    if (char !== ',') return false;
    if (inside === 'array') return true;
    const next =
      inside === 'call'
        ? /^\s*,\s*(?:\w+\s*=|["'\u201c\u2018]|\)|$)/u
        : /^\s*,\s*(?:["'\u201c\u2018][^"'\n]{1,100}["'\u201d\u2019]\s*:|\w+\s*:|\}|$|\/)/u;
    return next.test(rest);
  }

  private escaped(): string {
    const char = this.text[this.at + 1] ?? '';
    const code = /^u([0-9a-fA-F]{4})/u.exec(this.text.slice(this.at + 1, this.at + 6))?.[1];
    this.at += code === undefined ? 2 : 6;
    if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
    return Object.hasOwn(ESCAPES, char) ? (ESCAPES[char] ?? '') : `\\${char}`;
  }

  /** White space and comments. */
  private skip(): void {
    const gap = /(?:\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/uy;
    gap.lastIndex = this.at;
    this.at += gap.exec(this.text)?.[0].length ?? 0;
  }
}
