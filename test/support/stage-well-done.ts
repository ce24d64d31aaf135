/** Agents, gates and commits that do well: how a simulated run comes to its end. */
import type { StageCommand, StageInput } from '../../core/stage/types.ts';
import type { GateOutcome } from '../../schemas/stage.ts';
import { digest, facts, gate, oid, submitted } from './stage-world.ts';

interface Surroundings {
  readonly head: string | null;
  /** A number that nobody had. */
  readonly next: () => number;
  /** Told of each PASS. */
  readonly pass: (outcome: GateOutcome) => void;
}

/** The answer to a command when everything goes well, and a manager has nothing to say but HALT. */
export function wellDone(command: StageCommand, { head, next, pass }: Surroundings): StageInput {
  switch (command.kind) {
    case 'start_agent': {
      const { nodeId, dispatchId } = command.record;
      const outcome = gate({ reportDigest: digest(next()) });
      pass(outcome);
      return {
        kind: 'agent_returned',
        nodeId,
        dispatchId,
        result: submitted({ gate: outcome, tree: oid(next()) }),
      };
    }
    case 'regate': {
      const { gateId, nodeId } = command.gate;
      const outcome = gate({ reportDigest: digest(next()) });
      pass(outcome);
      return { kind: 'gate_finished', gateId, nodeId, outcome };
    }
    case 'commit': {
      const { intentId, kind } = command.intent;
      const commit = oid(next());
      const moved = kind === 'code' ? commit : head;
      return {
        kind: 'commit_finished',
        intentId,
        result: { status: 'committed', commit, head: moved, facts },
      };
    }
    case 'check_seal': {
      const verdicts = Object.fromEntries(command.nodeIds.map((id) => [id, gate()]));
      return { kind: 'seal_checked', head, verdicts, exportedInterfaces: {} };
    }
    case 'ask_manager': {
      const action = { action_type: 'HALT' as const, parameters: { reason: 'nothing to say' } };
      const answer = { kind: 'action' as const, action };
      return { kind: 'manager_answered', turn: command.turn, answer, callKey: 'k', costMicroUsd: 0 };
    }
    case 'await_input':
      return { kind: 'halt_requested', reason: 'nobody came', source: 'human_wait' };
    case 'consult':
      return { kind: 'consult_answered', verdict: 'yes', callKey: null, costMicroUsd: 1 };
    case 'review': {
      const { nodeId, dispatchId, tree } = command;
      return { kind: 'reviewed', nodeId, dispatchId, tree, findings: [], callKey: null, costMicroUsd: 1 };
    }
    case 'cancel_agents':
    case 'close':
      return { kind: 'wake' };
  }
}
