/** Orders that stand still where a test wants them to. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OrderPorts } from '../../activities/order/ports.ts';
import type { OrderFolder } from '../../core/ports/orders.ts';

function signal(): { readonly given: Promise<void>; readonly give: () => void } {
  let give = (): void => undefined;
  const given = new Promise<void>((resolve) => (give = resolve));
  return { given, give: () => give() };
}

export interface OrderHolds {
  /** The same ports, but an artifact that is held is written only when the test lets it. */
  readonly wrap: (ports: OrderPorts) => OrderPorts;
  /** Holds the next order that writes this artifact. */
  at(name: string): { readonly reached: Promise<void>; readonly go: () => void };
}

export function orderHolds(): OrderHolds {
  let hold: { readonly name: string; readonly reached: () => void; readonly go: Promise<void> } | null = null;
  const held = async (name: string): Promise<void> => {
    if (hold?.name !== name) return;
    const { go, reached } = hold;
    hold = null;
    reached();
    await go;
  };
  const wrapped = (folder: OrderFolder): OrderFolder => ({
    ...folder,
    put: async (name, bytes) => {
      await held(name);
      await folder.put(name, bytes);
    },
  });
  return {
    wrap: (ports) => {
      const open = async (id: string): Promise<OrderFolder | null> => {
        const folder = await ports.store.open(id);
        return folder === null ? null : wrapped(folder);
      };
      return { ...ports, store: { ...ports.store, open } };
    },
    at(name) {
      const [go, reached] = [signal(), signal()];
      hold = { name, reached: reached.give, go: go.given };
      return { reached: reached.given, go: go.give };
    },
  };
}

/** An agent that waits until the test lets it go, shows its advice, then edits. */
export function waitingAgent(
  home: string,
  name: string,
  edit: string,
): { readonly files: string; readonly command: string; go(): void } {
  const files = join(home, `agent-${name}`);
  mkdirSync(files, { recursive: true });
  return {
    files,
    command: `while [ ! -e /opt/agent/go ]; do sleep 0.05; done; grep -A3 Advice "$A7_PROMPT"; ${edit}`,
    go: () => writeFileSync(join(files, 'go'), ''),
  };
}
