/** Where attacks take place: one backend with the product's own gate, store, tools and checks, and a host that is watched. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFileTools } from '../../adapters/git/file-tools.ts';
import { createObjectStore } from '../../adapters/git/object-store.ts';
import { readCheckedTar } from '../../adapters/sandbox/shared/tar-out.ts';
import type { TreeStore } from '../../core/ports/git.ts';
import type { FileTools } from '../../core/ports/shadow.ts';
import type { ResolvedContract } from '../../schemas/contract.ts';
import { openBackend, type Backend } from '../adapters/sandbox-backends.ts';
import { openGateWorld, type GateWorld } from '../gate/gate-world.ts';
import type { NodeKind } from './attack.ts';
import {
  JAVASCRIPT_AROUND,
  JAVASCRIPT_CONTRACT,
  javascriptNode,
  SCRIPT_INSIDE_CONTRACT,
  PYTHON_NODES,
  TYPED_AROUND,
  TYPED_CONTRACT,
  typedNode,
  type AttackedNode,
} from './corpus/nodes.ts';
import { openHost, type Host } from './host.ts';

export interface Field {
  readonly backend: 'docker' | 'bubblewrap';
  readonly rooms: Backend;
  readonly gate: GateWorld;
  readonly store: TreeStore;
  readonly tools: FileTools;
  readonly readArchive: typeof readCheckedTar;
  readonly host: Host;
  /** A folder of the harness for staged acts. */
  readonly folder: string;
  node(kind: NodeKind): Promise<AttackedNode>;
  close(): Promise<void>;
}

/** A wall that a test takes away, to see that the harness notices. */
export type Missing = Partial<Pick<Field, 'readArchive'>> & {
  readonly tools?: (whole: FileTools) => FileTools;
  readonly rooms?: (whole: Backend) => Backend;
  readonly node?: (whole: AttackedNode) => AttackedNode;
};

export async function openField(backend: Field['backend'], missing: Missing = {}): Promise<Field> {
  const folder = mkdtempSync(join(tmpdir(), 'a7-rt-attacks-'));
  const host = await openHost();
  const whole = await openBackend(backend, backend === 'docker' ? { poolSize: 2 } : {});
  const rooms = missing.rooms?.(whole) ?? whole;
  const gate = await openGateWorld({ backend: rooms });
  const store = await createObjectStore({ gitDir: join(folder, 'store.git') });
  let javascript: Promise<AttackedNode> | null = null;
  let scriptInside: Promise<AttackedNode> | null = null;
  let typed: Promise<AttackedNode> | null = null;
  const lockScript = async (contract: ResolvedContract): Promise<AttackedNode> =>
    javascriptNode(await gate.lock(contract, JAVASCRIPT_AROUND, { R1: ['*'] }), contract);
  const nodeOf = async (kind: NodeKind): Promise<AttackedNode> => {
    if (kind === 'typed') {
      typed ??= gate.lock(TYPED_CONTRACT, TYPED_AROUND, {}).then(typedNode);
      return typed;
    }
    if (kind === 'javascript') {
      javascript ??= lockScript(JAVASCRIPT_CONTRACT);
      return javascript;
    }
    if (kind !== 'script_inside') return PYTHON_NODES[kind];
    scriptInside ??= lockScript(SCRIPT_INSIDE_CONTRACT);
    return scriptInside;
  };
  return {
    backend,
    rooms,
    gate,
    store,
    tools: missing.tools?.(createFileTools(store)) ?? createFileTools(store),
    readArchive: missing.readArchive ?? readCheckedTar,
    host,
    folder,
    node: async (kind) => {
      const node = await nodeOf(kind);
      return missing.node?.(node) ?? node;
    },
    close: async () => {
      await gate.close();
      await store.close();
      await host.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
