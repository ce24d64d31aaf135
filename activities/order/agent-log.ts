/** The agent's log while it runs. */
import type { OrderFolder } from '../../core/ports/orders.ts';

export interface AgentLog {
  /** Never throws: it is called from the room's own streams. */
  readonly add: (text: string | Uint8Array) => void;
  /** @throws what the first line that could not be written met, for example a full disk. */
  readonly assertWhole: () => void;
}

/** Appends to an artifact. */
export function agentLog(folder: OrderFolder, name: string): AgentLog {
  let lost: { readonly error: unknown } | null = null;
  return {
    add(text): void {
      if (lost !== null) return;
      try {
        folder.append(name, text);
      } catch (error) {
        lost = { error };
      }
    },
    assertWhole(): void {
      if (lost !== null) throw lost.error;
    },
  };
}
