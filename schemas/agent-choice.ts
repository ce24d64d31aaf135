/** A real coding agent as builder or test author of nodes. */
import { z } from 'zod';
import { AgentName } from './order.ts';

export const AgentChoice = z.strictObject({
  name: AgentName,
  /** For `command`: a shell command. */
  command: z.string().min(1).max(10_000).nullable(),
  /** Folder of the host, shown read-only at /opt/agent. */
  files: z.string().max(4_096).nullable(),
});
export type AgentChoice = z.infer<typeof AgentChoice>;

/** Roles that an agent may take. Absent: our own loop, turn by turn. */
export const RoleAgents = z.strictObject({
  builder: AgentChoice.optional(),
  test_author: AgentChoice.optional(),
});
export type RoleAgents = z.infer<typeof RoleAgents>;
