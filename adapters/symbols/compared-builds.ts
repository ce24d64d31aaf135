/**
 * What the code's own classes say on both sides of a comparison: `assert a.plus(b).cents() == Money(3).cents()`. Code whose values are
 * all alike once it was used is green there, and where such an assertion is denied it is red, as it should be. So what the suite has
 * built, and gives to nobody but the comparison, is built of something else (docs/decisions/0140).
 */
import type { Edit } from '../../core/ports/expectations.ts';
import { editOf, within } from './changed-literal.ts';
import { boundFirst, mentions, type Change, type Names } from './suite-names.ts';
import { descendants, type SyntaxNode } from './syntax.ts';

/** How the readers of a language see values of the code's classes. */
export interface Builds {
  /** Whether the code makes the value of what stands between its brackets. */
  readonly isBuilt: (node: SyntaxNode) => boolean;
  /** Edits by which it is made of something else. */
  readonly other: (node: SyntaxNode) => Edit[] | null;
  /** Names that stand for the same everywhere in the suite. */
  readonly isKnown: (name: string) => boolean;
}

/** How a language writes what is compared. */
export interface Words {
  /** Parts come to the comparison as they are. */
  readonly through: RegExp;
  /** Each part is compared by itself. */
  readonly holds: RegExp;
  /** A field, an item: of the first part. */
  readonly asks: RegExp;
  readonly call: string;
  /** Functions whose results are other ones for other values. */
  readonly plain: ReadonlySet<string>;
  /** Others that hand values on. */
  readonly passing: ReadonlySet<string>;
  /** What is compared in it beside its parts. */
  readonly alsoIn: (node: SyntaxNode) => readonly SyntaxNode[];
  /** A name that is no value: of a field, of an argument, of an item. */
  readonly isLabel: (name: SyntaxNode) => boolean;
}

/** Two sides that are equal where the test is green. */
export interface Pair {
  readonly left: SyntaxNode;
  readonly right: SyntaxNode;
  /** What says of a value and another one that they are equal: before the test has asked anything, and in the place of the comparison. */
  readonly atStart: Saying | null;
  readonly inPlace: Saying | null;
  /** The same of values that no class which tells any two of its values apart calls equal; absent: nothing does. */
  readonly far?: (build: SyntaxNode, edits: readonly Edit[]) => Edit;
}

/** Of each pair of values; one that is equal is enough. */
export type Saying = (pairs: readonly (readonly [was: string, is: string])[]) => Edit;

/** What builds a value: in a row of a table, or with all of the value that a name stands for. */
interface Made {
  readonly build: SyntaxNode;
  readonly whole: SyntaxNode;
  readonly ordinal: number | null;
}

/** A value of the code's class in one side: `at` is what is asked of it, `name` stands for it there. */
interface Found {
  readonly made: readonly Made[];
  readonly at: SyntaxNode;
  readonly name: SyntaxNode | null;
}

type Built = Pick<Change, 'edits' | 'rows' | 'doubt' | 'far' | 'ordinals'>;

export function comparedBuilds(pair: Pair, names: Names, words: Words, builds: Builds): Built[] {
  const { left, right } = pair;
  const reader = new Reader(names, words, builds);
  // What the other side asks nothing is about something else; and what is asked without any argument may be about what was built last.
  const [found] = [
    ...reader.foundIn(right, right).filter((each) => reader.asks(left, each)),
    ...reader.foundIn(left, left).filter((each) => reader.asks(right, each)),
  ];
  const made = found === undefined ? null : changed(found, pair, reader);
  return made === null ? [] : [made];
}

function changed(found: Found, pair: Pair, reader: Reader): Built | null {
  const rows = found.made.flatMap(({ build, ordinal }) => {
    const edits = reader.builds.other(build);
    return edits === null ? [] : [{ edits, ordinal }];
  });
  const edits = rows.flatMap((row) => row.edits);
  const doubt = rows.length === found.made.length ? doubtOf(found, edits, pair, reader) : null;
  if (doubt === null) return null;
  const ordinals = rows.flatMap(({ ordinal }) => ordinal ?? []);
  if (ordinals.length === 0) return { edits, ordinals: null, ...doubt };
  return { edits, ordinals, rows: rows.map((row) => ({ ...row, ordinal: row.ordinal ?? 0 })), ...doubt };
}

/** Says that what was built and what is built instead are the same. */
function doubtOf(
  { made, at, name }: Found,
  edits: readonly Edit[],
  { atStart, inPlace, far }: Pair,
  reader: Reader,
): Pick<Change, 'doubt' | 'far'> | null {
  const isFree = [at, ...made.map(({ whole }) => whole)].every((part) => reader.isFree(part, name));
  const saying = isFree && atStart !== null ? atStart : made.length === 1 ? inPlace : null;
  if (saying === null) return null;
  const pairs = made.map(({ whole }): [string, string] => {
    const own = edits.filter((edit) => isIn(whole, edit));
    if (name === null) return [at.text(), within(at, own)];
    return [replaced(at, name, whole.text()), replaced(at, name, within(whole, own))];
  });
  const [{ build } = { build: null }, ...more] = made;
  const isItself = build !== null && more.length === 0 && made[0]?.whole === build && (name ?? build) === at;
  return { doubt: saying(pairs), ...(isItself && far !== undefined && { far: far(build, edits) }) };
}

const replaced = (at: SyntaxNode, name: SyntaxNode, by: string): string =>
  within(at, [editOf(name, `(${by})`)]);

function isIn(node: SyntaxNode, { from, to }: Edit): boolean {
  const { start, end } = node.range();
  return start.index <= from && to <= end.index;
}

class Reader {
  readonly names: Names;
  readonly words: Words;
  readonly builds: Builds;

  constructor(names: Names, words: Words, builds: Builds) {
    this.names = names;
    this.words = words;
    this.builds = builds;
  }

  /** Values of the code's classes that come to the comparison as they are, or by what they say of themselves. */
  foundIn(node: SyntaxNode, at: SyntaxNode): Found[] {
    const kind = String(node.kind());
    const { words, builds } = this;
    if (builds.isBuilt(node))
      return [{ made: [{ build: node, whole: node, ordinal: null }], at, name: null }];
    if (kind === 'identifier') return this.#named(node, at);
    if (kind === words.call) {
      const callee = node.field('function');
      const args = argumentsOf(node);
      if (callee !== null && words.asks.test(String(callee.kind())) && args.length === 0)
        return this.foundIn(callee, at);
      if (words.plain.has(callee?.text() ?? ''))
        return args.slice(0, 1).flatMap((arg) => this.foundIn(arg, at));
      return words.passing.has(callee?.text() ?? '') ? args.flatMap((arg) => this.foundIn(arg, arg)) : [];
    }
    if (words.asks.test(kind))
      return node
        .namedChildren()
        .slice(0, 1)
        .flatMap((inner) => this.foundIn(inner, at));
    if (!words.through.test(kind)) return [];
    const parts = [...node.namedChildren(), ...words.alsoIn(node)];
    return parts.flatMap((part) => {
      const value = part.kind() === 'pair' ? (part.field('value') ?? part) : part;
      // What is spread is nothing without what it is spread in.
      const own = value.kind() === 'spread_element' ? node : value;
      return this.foundIn(value, words.holds.test(kind) ? own : at);
    });
  }

  #named(name: SyntaxNode, at: SyntaxNode): Found[] {
    const cells = boundFirst(name, this.names)?.cells ?? [];
    const plain = new Reader(new Map(), this.words, this.builds);
    const made = cells.flatMap(({ node, ordinal }): Made[] => {
      const [found] = plain.foundIn(node, node);
      return (found?.made ?? []).map(({ build }) => ({ build, whole: node, ordinal }));
    });
    return made.length === 0 || made.length < cells.length ? [] : [{ made, at, name }];
  }

  /** Whether a side is asked something, beside what was built: what is asked without any argument may be about what was built last. */
  asks(node: SyntaxNode, found: Found): boolean {
    const kind = String(node.kind());
    if (found.name !== null && mentions(node, found.name)) return false;
    if (kind === 'identifier') {
      const [cell] = this.names.get(node.text())?.cells ?? [];
      return cell !== undefined && cell.node.kind() !== 'identifier' && this.asks(cell.node, found);
    }
    if (kind === this.words.call) {
      const [callee, args] = [node.field('function'), argumentsOf(node)];
      const isPlain = this.words.plain.has(callee?.text() ?? '');
      const inner = isPlain ? args[0] : callee;
      if (args.length > 0 && !isPlain) return true;
      return (
        inner !== undefined && inner !== null && inner.kind() !== 'identifier' && this.asks(inner, found)
      );
    }
    const parts = node.namedChildren();
    return (this.words.asks.test(kind) ? parts.slice(0, 1) : parts).some((part) => this.asks(part, found));
  }

  /** Whether it stands for the same at the start of the test. */
  isFree(part: SyntaxNode, name: SyntaxNode | null): boolean {
    const own = new Set(
      descendants(part, (kind) => kind === 'for_in_clause').flatMap((clause) =>
        [clause.field('left'), ...(clause.field('left')?.namedChildren() ?? [])].map((each) => each?.text()),
      ),
    );
    return [part, ...descendants(part, (kind) => kind === 'identifier')]
      .filter((each) => each.kind() === 'identifier' && !this.words.isLabel(each) && each.id() !== name?.id())
      .map((each) => each.text())
      .every((word) => own.has(word) || this.#isOfLanguage(word) || this.builds.isKnown(word));
  }

  #isOfLanguage(word: string): boolean {
    return [...this.words.plain].some((each) => each.split('.')[0] === word);
  }
}

export function argumentsOf(call: SyntaxNode): SyntaxNode[] {
  return call.field('arguments')?.namedChildren() ?? [];
}
