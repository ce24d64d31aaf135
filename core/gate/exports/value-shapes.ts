/** What contracts declare of values that cross the wall: there, an object that acts like a plain value is refused (gate.md part 11). */
import { declaredName, exportedName } from '../../contract/declaration.ts';
import type { ResolvedContract } from '../../../schemas/contract.ts';
import type { Shape } from './shape.ts';
import { ShapeReader, type IsNamed } from './type-shapes.ts';

export type Shapes = Readonly<Record<string, Shape>>;

const HEAD = /^\s*(?:export\s+)?(?:default\s+)?(?:declare\s+)?/u;
const TYPE = /^(?:interface|type|(?:abstract\s+)?class)\s+([A-Za-z_$][\w$]*)/u;
const ALIAS = /^type\s+[\w$]+\s*(?:<[^=]*>)?\s*=/u;
const CONSTANT = /^(?:const|let|var)\s+[A-Za-z_$][\w$]*\s*:/u;

/** What the types of all nodes stand for, by name; a name that is declared twice is left out. */
export function typeShapes(nodes: readonly ResolvedContract[]): Shapes {
  const texts = typeTexts(nodes);
  const isNamed: IsNamed = (name) => texts.has(name);
  return shapesOf([...texts].map(([name, text]) => [name, () => typeShape(text, isNamed)]));
}

/** By the name of each exported function, class and constant of a node; a class has the shape of its instances. */
export function valueShapes(node: ResolvedContract, nodes: readonly ResolvedContract[]): Shapes {
  const texts = typeTexts(nodes);
  const isNamed: IsNamed = (name) => texts.has(name);
  return shapesOf(
    node.interface.exports.flatMap((text): [string, () => Shape][] => {
      const declared = declaredName(node.language, text);
      return declared === null ? [] : [[exportedName(declared), () => exportShape(text, isNamed)]];
    }),
  );
}

function typeTexts(nodes: readonly ResolvedContract[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const twice = new Set<string>();
  for (const text of nodes.flatMap((each) => each.interface.exports)) {
    const bare = text.replace(HEAD, '');
    const name = TYPE.exec(bare)?.[1];
    if (name === undefined) continue;
    if (found.has(name)) twice.add(name);
    found.set(name, bare);
  }
  return new Map([...found].filter(([name]) => !twice.has(name)));
}

function typeShape(text: string, isNamed: IsNamed): Shape {
  if (!text.startsWith('type')) return classShape(text, isNamed);
  const head = ALIAS.exec(text)?.[0];
  return head === undefined ? null : new ShapeReader(text.slice(head.length), isNamed).shape();
}

function exportShape(text: string, isNamed: IsNamed): Shape {
  const bare = text.replace(HEAD, '').trim().replace(/;$/u, '');
  if (/^(?:abstract\s+)?class\b/u.test(bare)) return classShape(bare, isNamed);
  if (/^(?:async\s+)?function\b/u.test(bare)) {
    return new ShapeReader(bare.slice(Math.max(0, bare.search(/[(<]/u))), isNamed).signature(':');
  }
  const colon = CONSTANT.exec(bare)?.[0];
  return colon === undefined ? null : new ShapeReader(bare.slice(colon.length), isNamed).shape();
}

/** An object with the public members of a class or interface. */
function classShape(text: string, isNamed: IsNamed): Shape {
  const open = text.indexOf('{');
  if (open < 0) return null;
  return new ShapeReader(text.slice(open + 1), isNamed).members();
}

/** Of overloads none is told from the others; a form that is not known says nothing. */
function shapesOf(entries: readonly (readonly [string, () => Shape])[]): Shapes {
  const found = new Map<string, Shape>();
  for (const [name, make] of entries) found.set(name, found.has(name) ? null : readable(make));
  return Object.fromEntries([...found].filter(([, shape]) => shape !== null));
}

function readable(make: () => Shape): Shape {
  try {
    return make();
  } catch (error) {
    if (error instanceof Error && error.name === 'UnknownType') return null;
    throw error;
  }
}
