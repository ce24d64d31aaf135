/** Who defines which name: exports and errors of a node, of what it stands on, and of the others. */
import type { ResolvedContract } from '../../../schemas/contract.ts';
import { raiseName } from '../../gate/suite/clauses.ts';
import { isBuiltinException } from '../../gate/exports/known-types.ts';
import { declaredName } from '../declaration.ts';

export interface Names {
  readonly node: ResolvedContract;
  readonly all: readonly ResolvedContract[];
  /** What it may use: structural and assumption dependencies, with theirs. */
  readonly reachable: readonly ResolvedContract[];
}

export function namesOf(node: ResolvedContract, all: readonly ResolvedContract[]): Names {
  const byId = new Map(all.map((each) => [each.id, each]));
  const reachable = new Map<string, ResolvedContract>();
  const open = [node];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const id of [...at.structural_deps, ...at.assumption_deps]) {
      const next = byId.get(id);
      if (next === undefined || reachable.has(id) || id === node.id) continue;
      reachable.set(id, next);
      open.push(next);
    }
  }
  return { node, all, reachable: [...reachable.values()] };
}

/** Words of the exports: names of functions, classes, members, parameters and types. */
export function exportWords({ interface: { exports } }: ResolvedContract): ReadonlySet<string> {
  return new Set(exports.flatMap((text) => text.match(/[A-Za-z_$][\w$]*/gu) ?? []));
}

/** Errors that a node itself defines: class exports, `Name(Base)`, and plain names that nobody below it defines. */
export function definedErrors(node: ResolvedContract): readonly string[] {
  const classes = node.interface.exports.flatMap((text) => {
    const declared = declaredName(node.language, text);
    return declared?.kind === 'class' ? [declared.name] : [];
  });
  const raised = node.interface.raises.map(raiseName).filter((name) => !isKnownElsewhere(node, name));
  return [...classes, ...raised];
}

/** Builtin, or brought in by an import line. */
export function isKnownElsewhere(node: ResolvedContract, name: string): boolean {
  const short = name.split('.').at(-1) ?? name;
  return (
    isBuiltinException(node.language, short) ||
    node.interface.imports.some((line) => new RegExp(`\\b${short}\\b`, 'u').test(line)) ||
    (name.includes('.') && node.interface.imports.some((line) => line.includes(name.split('.')[0] ?? name)))
  );
}
