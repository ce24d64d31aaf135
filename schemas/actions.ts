/** The nine actions of a manager (seed 001), and the `submit_action` tool that a model calls with exactly one of them. */
import { z } from 'zod';
import { NodeId, ProtocolWeight, Role } from './ids.ts';
import { SuspensionType } from './stage.ts';

const intent = z.string().max(1000).optional();
const nodeIds = z.array(NodeId).max(50).optional();
const viewSpec = z
  .strictObject({
    target_fidelity: z.enum(['summary', 'outline', 'full']).optional(),
    struct_dep_fidelity: z.enum(['none', 'signature']).optional(),
  })
  .optional();

export const ChecklistItem = z.strictObject({
  id: z.string().min(1).max(60),
  text: z.string().max(500),
  status: z.enum(['pending', 'in_progress', 'satisfied', 'void']),
});
export type ChecklistItem = z.infer<typeof ChecklistItem>;

export const DispatchAction = z.strictObject({
  action_type: z.literal('DISPATCH'),
  parameters: z.strictObject({
    node_id: NodeId,
    role: Role,
    weight: ProtocolWeight.optional(),
    intent,
    manager_note: z.string().max(4000).optional(),
    focus_hints: nodeIds,
    clear_findings: nodeIds,
    view_spec: viewSpec,
    expected_iterations: z.int().min(1).max(200).optional(),
    scope: z.enum(['node', 'project', 'external']).optional(),
    query: z.string().max(2000).optional(),
    target_nodes: nodeIds,
  }),
});
export type DispatchAction = z.infer<typeof DispatchAction>;

export const RedispatchAction = z.strictObject({
  action_type: z.literal('REDISPATCH'),
  parameters: z.strictObject({
    node_id: NodeId,
    role: Role,
    weight: ProtocolWeight.optional(),
    manager_note: z.string().max(4000).optional(),
    intent,
    clear_findings: nodeIds,
    view_spec: viewSpec,
    focus_hints: nodeIds,
    expected_iterations: z.int().min(1).max(200).optional(),
  }),
});
export type RedispatchAction = z.infer<typeof RedispatchAction>;

export const ValidateAction = z.strictObject({
  action_type: z.literal('VALIDATE'),
  parameters: z.strictObject({ node_id: NodeId, intent }),
});

export const CommitAction = z.strictObject({
  action_type: z.literal('COMMIT'),
  parameters: z.strictObject({
    node_id: NodeId,
    /** `poisoned` parses, so that its rejection is in the ledger. */
    status: z.enum(['grounded', 'provisional', 'suspended', 'poisoned']).optional(),
    reason: z.string().max(1000).optional(),
    manager_note: z.string().max(4000).optional(),
    intent,
    clear_findings: nodeIds,
  }),
});
export type CommitAction = z.infer<typeof CommitAction>;

export const SuspendAction = z.strictObject({
  action_type: z.literal('SUSPEND'),
  parameters: z.strictObject({ node_id: NodeId, type: SuspensionType, detail: z.string().max(2000), intent }),
});
export type SuspendAction = z.infer<typeof SuspendAction>;

export const ConsultAction = z.strictObject({
  action_type: z.literal('CONSULT'),
  parameters: z.strictObject({
    question: z.string().min(1).max(4000),
    relevant_node_ids: nodeIds,
    constraints: z.array(z.string().max(500)).max(20).optional(),
    intent,
  }),
});
export type ConsultAction = z.infer<typeof ConsultAction>;

export const SealAction = z.strictObject({
  action_type: z.literal('SEAL'),
  parameters: z.strictObject({ summary: z.string().max(4000), intent }),
});
export type SealAction = z.infer<typeof SealAction>;

export const HaltAction = z.strictObject({
  action_type: z.literal('HALT'),
  parameters: z.strictObject({
    reason: z.string().min(1).max(2000),
    invariant: z.string().max(200).nullable().optional(),
    intent,
  }),
});

export const UpdatePlanAction = z.strictObject({
  action_type: z.literal('UPDATE_PLAN'),
  parameters: z.strictObject({
    narrative: z.string().max(4000),
    checklist: z.array(ChecklistItem).max(50),
    intent,
  }),
});

export const ManagerAction = z.discriminatedUnion('action_type', [
  DispatchAction,
  RedispatchAction,
  ValidateAction,
  CommitAction,
  SuspendAction,
  ConsultAction,
  SealAction,
  HaltAction,
  UpdatePlanAction,
]);
export type ManagerAction = z.infer<typeof ManagerAction>;

/** The words of the nine actions. */
export const ACTION_TYPES = ManagerAction.options.map((action) => action.shape.action_type.value);

/** All parameters of all actions in one plain object, as models understand it; `ManagerAction` is the strict check afterwards. */
const SubmitAction = z.strictObject({
  action_type: z.enum(ACTION_TYPES).describe('Exactly one action'),
  parameters: z
    .strictObject({
      node_id: z.string().optional().describe('DISPATCH, REDISPATCH, VALIDATE, COMMIT, SUSPEND: the node'),
      role: Role.optional().describe('DISPATCH, REDISPATCH'),
      weight: ProtocolWeight.optional().describe('DISPATCH, REDISPATCH'),
      manager_note: z
        .string()
        .optional()
        .describe('REDISPATCH (required: what failed, what to do differently), DISPATCH, COMMIT'),
      focus_hints: z.array(z.string()).optional().describe('DISPATCH, REDISPATCH: dependencies to emphasise'),
      clear_findings: z
        .array(z.string())
        .optional()
        .describe('DISPATCH, REDISPATCH, COMMIT: nodes whose findings are settled'),
      view_spec: viewSpec.describe('DISPATCH, REDISPATCH'),
      expected_iterations: z.int().optional().describe('DISPATCH, REDISPATCH: 5 simple, 15 complex'),
      scope: z.enum(['node', 'project', 'external']).optional().describe('DISPATCH of an analyst (required)'),
      query: z.string().optional().describe('DISPATCH of an analyst (required)'),
      target_nodes: z.array(z.string()).optional().describe('DISPATCH of an analyst (required)'),
      status: z.enum(['grounded', 'provisional', 'suspended']).optional().describe('COMMIT'),
      type: SuspensionType.optional().describe('SUSPEND (required)'),
      detail: z.string().optional().describe('SUSPEND (required)'),
      question: z.string().optional().describe('CONSULT (required)'),
      relevant_node_ids: z.array(z.string()).optional().describe('CONSULT'),
      constraints: z.array(z.string()).optional().describe('CONSULT'),
      summary: z.string().optional().describe('SEAL (required)'),
      reason: z.string().optional().describe('HALT (required), COMMIT'),
      invariant: z.string().nullable().optional().describe('HALT'),
      narrative: z.string().optional().describe('UPDATE_PLAN (required)'),
      checklist: z
        .array(ChecklistItem)
        .optional()
        .describe('UPDATE_PLAN (required): replaces the whole list'),
      intent: z.string().optional().describe('Why, in one sentence'),
    })
    .describe('Parameters of the chosen action only'),
});

/** JSON schema (draft 7) of the `submit_action` tool. */
export const submitActionSchema: Record<string, unknown> = z.toJSONSchema(SubmitAction, {
  target: 'draft-7',
});
