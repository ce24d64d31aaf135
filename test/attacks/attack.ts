/**
 * What an attack is: a name, a family, what the hostile party does, and how its effect is looked for. Every attack can get
 * through: none asks only for a status, each looks at the verdict, the tree, the files that came out, or the host.
 */
import type { FileToolCall } from '../../schemas/agent-tools.ts';
import type { GateLimits } from '../../schemas/gate-plan.ts';
import type { Field } from './field.ts';
import type { HostileEntry } from './tar-entries.ts';

export const FAMILIES = [
  'file system escapes',
  'git tricks',
  'judge edits',
  'verdict forging',
  'wall attacks',
  'exhaustion',
  'exfiltration',
  'the door',
  'races',
  'other runs',
] as const;
export type Family = (typeof FAMILIES)[number];

/** `blocked`: the act did not happen. `detected`: it happened in its room and the verdict says so. `reason` is a typed word. */
export interface Held {
  readonly outcome: 'blocked' | 'detected' | 'got_through';
  readonly reason: string;
}

/** Which of the small nodes the code belongs to, and so which tier judges it. */
export type NodeKind = 'walled' | 'inside' | 'shared' | 'javascript' | 'script_inside' | 'typed';

/** What the hostile party does. */
export type Act =
  /** A builder's module goes through the gate. PASS, or a fault of nobody, is through. */
  | {
      readonly kind: 'code';
      readonly node: NodeKind;
      readonly source: string;
      readonly limits?: Partial<GateLimits>;
      /** 2: behind the wall and in plain. Default: by the node's tier alone. */
      readonly judges?: 2;
      /** More files of the tree, and what they change of the base. */
      readonly files?: Readonly<Record<string, string>>;
      readonly changedPaths?: readonly string[];
    }
  /** A test author's suite goes through the gate. */
  | { readonly kind: 'suite'; readonly files: Readonly<Record<string, string>> }
  /** A file tool is called on a shadow tree. A changed tree is through. */
  | { readonly kind: 'tool'; readonly call: FileToolCall; readonly base?: 'plain' | 'linked' }
  /** An archive comes out of a room. Any entry beside `fine` is through. */
  | { readonly kind: 'archive'; readonly entries: readonly HostileEntry[] }
  /** Files are imported into the store. A tree is through. */
  | { readonly kind: 'import'; readonly paths: readonly string[] }
  /** Python in a room, as the guest. It prints `GOT` and what it got, or raises. `HOST` names the host's canaries. */
  | { readonly kind: 'guest'; readonly lines: readonly string[] }
  /** The same, beside a neighbour's room that holds canaries of its own. */
  | {
      readonly kind: 'neighbour';
      readonly lines: readonly string[];
      /** Default false. True: a room of its own, which may end by it; the neighbour alone shows the effect. */
      readonly alone?: boolean;
    }
  /** An agent's Python in a room with a door to its model, as the guest. Words of `door-acts.ts`; `GOT` is through. */
  | { readonly kind: 'door'; readonly lines: readonly string[] }
  /** Anything else. */
  | { readonly kind: 'staged'; run(field: Field): Promise<Held> };

export interface Attack {
  readonly name: string;
  readonly family: Family;
  readonly act: Act;
}

/** One line of the result. */
export interface AttackResult extends Held {
  readonly attack: string;
  readonly family: Family;
  readonly backend: Field['backend'];
}

/** Attacks of one family by name. */
export function family(name: Family, acts: Readonly<Record<string, Act>>): Attack[] {
  return Object.entries(acts).map(([attack, act]) => ({ name: attack, family: name, act }));
}

/** Acts whose path leads through a backend; the others meet the same code beside each. */
export function usesBackend({ act }: Attack): boolean {
  return ['code', 'suite', 'guest', 'neighbour', 'door'].includes(act.kind);
}

const JUDGED_FAMILIES: readonly Family[] = ['judge edits', 'verdict forging', 'wall attacks'];

/** Acts that try verdicts, not rooms: what judges them is the same on each backend. */
export function isOnJudging({ act, family: name }: Attack): boolean {
  return JUDGED_FAMILIES.includes(name) && (act.kind === 'code' || act.kind === 'suite');
}
