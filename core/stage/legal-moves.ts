/** Which actions the state allows now, as a person types them: the same checks as for any manager (seed 001, human-as-manager). */
import type { ManagerAction } from '../../schemas/actions.ts';
import { checkAction } from './check-action.ts';
import { nextRole, selectedNodes } from './ready.ts';
import type { StageState } from './types.ts';

export interface LegalMove {
  readonly action: ManagerAction;
  /** `DISPATCH price.money role=builder`: what `a7-rt act SESSION` takes. `...` is for the person to fill in. */
  readonly typed: string;
}

/** Moves that are legal now, in the order of the seed's decisions. None where no run was opened, or its stage is sealed. */
export function legalMoves(state: StageState): readonly LegalMove[] {
  if (state.run === null || state.run.phase === 'sealed') return [];
  return candidates(state).filter(({ action }) => checkAction(state, action, true).status === 'ok');
}

function candidates(state: StageState): LegalMove[] {
  const ids = selectedNodes(state);
  const of = (make: (id: string) => LegalMove): LegalMove[] => ids.map(make);
  return [
    ...of((id) => ({
      action: { action_type: 'VALIDATE', parameters: { node_id: id } },
      typed: `VALIDATE ${id}`,
    })),
    ...of((id) => ({
      action: { action_type: 'COMMIT', parameters: { node_id: id } },
      typed: `COMMIT ${id}`,
    })),
    { action: { action_type: 'SEAL', parameters: { summary: '...' } }, typed: 'SEAL summary="..."' },
    ...ids.flatMap((id) => roles(state, id)),
    ...of((id) => ({
      action: { action_type: 'SUSPEND', parameters: { node_id: id, type: 'near', detail: '...' } },
      typed: `SUSPEND ${id} type=near detail="..."`,
    })),
    { action: { action_type: 'CONSULT', parameters: { question: '...' } }, typed: 'CONSULT question="..."' },
    {
      action: { action_type: 'UPDATE_PLAN', parameters: { narrative: '...', checklist: [] } },
      typed: 'UPDATE_PLAN narrative="..." checklist="first thing; second thing"',
    },
    { action: { action_type: 'HALT', parameters: { reason: '...' } }, typed: 'HALT reason="..."' },
  ];
}

function roles(state: StageState, id: string): LegalMove[] {
  const node = state.nodes[id];
  const first = node === undefined ? 'builder' : nextRole(node);
  const ordered =
    first === 'builder' ? (['builder', 'test_author'] as const) : (['test_author', 'builder'] as const);
  return [
    {
      action: { action_type: 'DISPATCH', parameters: { node_id: id, role: first } },
      typed: `DISPATCH ${id} role=${first}`,
    },
    ...ordered.map((role): LegalMove => ({
      action: { action_type: 'REDISPATCH', parameters: { node_id: id, role, manager_note: '...' } },
      typed: `REDISPATCH ${id} role=${role} manager_note="..."`,
    })),
  ];
}
