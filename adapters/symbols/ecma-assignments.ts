/** Assignments and calls at module level: CommonJS exports, rebindings, members given outside their class, deletions. */
import type { SourceSymbol } from '../../core/ports/symbols.ts';
import { classSymbol } from './ecma-classes.ts';
import type { Exports } from './ecma-exports.ts';
import { functionSymbol, unwrapped, valueOf } from './ecma-values.ts';
import { lineOf, type SyntaxNode } from './syntax.ts';

const CLASSES = new Set(['class', 'class_declaration', 'abstract_class_declaration']);
const EXPORTED = /^(?:module\.)?exports(?:\.([\w$]+)|\[(['"])([\w$]+)\2\])$/u;

/** A declared or assigned value: class, function, constant, or what the syntax does not show. */
export function valueSymbol(
  name: string,
  value: SyntaxNode | null,
  at: SyntaxNode,
  annotation: string | null,
  found: Exports,
): SourceSymbol {
  const inner = value === null ? null : unwrapped(value);
  return inner !== null && CLASSES.has(String(inner.kind()))
    ? classSymbol(name, inner, at, found.local)
    : valueOf(name, value, at, annotation);
}

export function readExpression(node: SyntaxNode, found: Exports): void {
  switch (node.kind()) {
    case 'unary_expression': {
      const name = node.text().startsWith('delete ')
        ? exportedName(node.text().replace(/^delete\s+/u, ''))
        : null;
      if (name !== null && found.direct.delete(name)) found.deleted.set(name, lineOf(node));
      return;
    }
    case 'call_expression':
      readCall(node, found);
      return;
    case 'assignment_expression':
      readAssignment(node, found);
      return;
    default:
  }
}

function exportedName(target: string): string | null {
  const match = EXPORTED.exec(target);
  return match?.[1] ?? match?.[3] ?? null;
}

/** A call may export by other means, or add members to a class that it is given. */
function readCall(node: SyntaxNode, found: Exports): void {
  if (/\bexports\b/u.test(node.text())) found.isOpen = true;
  for (const argument of node.field('arguments')?.namedChildren() ?? []) {
    const owner = /^([\w$]+)(?:\.prototype)?$/u.exec(argument.text())?.[1] ?? '';
    const bound = found.local.get(owner);
    if (bound !== undefined) found.local.set(owner, { ...bound, openMembers: true });
  }
}

function readAssignment(node: SyntaxNode, found: Exports): void {
  const target = node.field('left')?.text() ?? '';
  const value = node.field('right');
  if (value === null) return;
  if (value.kind() === 'assignment_expression') readAssignment(value, found);
  if (target === 'module.exports' || target === 'exports') {
    readExportsObject(value, found);
    return;
  }
  const exported = exportedName(target);
  if (exported !== null) {
    found.direct.set(exported, localOr(exported, value, node, found));
    return;
  }
  const [owner = '', ...path] = target.split('.');
  const bound = found.local.get(owner);
  if (bound === undefined) return;
  const name = path.at(-1);
  if (name === undefined) {
    found.local.set(owner, valueSymbol(owner, value, node, null, found));
    return;
  }
  const access = path[0] === 'prototype' ? 'instance' : 'static';
  const member = { ...valueSymbol(name, value, node, null, found), access } as const;
  const isWhole = path.length === 1 && name === 'prototype';
  found.local.set(owner, {
    ...bound,
    members: [...bound.members, member],
    openMembers: bound.openMembers || isWhole,
  });
}

/** `module.exports = {a, b: c, d() {}}`, or one value. */
function readExportsObject(value: SyntaxNode, found: Exports): void {
  if (value.kind() !== 'object') {
    found.direct.set('default', localOr('default', value, value, found));
    found.isOpen = true;
    return;
  }
  found.direct.clear();
  for (const entry of value.namedChildren()) {
    if (entry.kind() === 'comment') continue;
    const name =
      entry.kind() === 'shorthand_property_identifier'
        ? entry.text()
        : (entry.field('key') ?? entry.field('name'))?.text().replace(/^(['"])(.*)\1$/u, '$2');
    if (name === undefined) found.isOpen = true;
    else if (entry.kind() === 'method_definition') found.direct.set(name, functionSymbol(name, entry, entry));
    else found.direct.set(name, localOr(name, entry.field('value') ?? entry, entry, found));
  }
}

function localOr(name: string, value: SyntaxNode, at: SyntaxNode, found: Exports): SourceSymbol {
  const local = found.local.get(value.text());
  return local === undefined ? valueSymbol(name, value, at, null, found) : { ...local, name };
}
