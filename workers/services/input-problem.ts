/** What is wrong with a person's input before anybody records it: only what no later moment can mend. */
import type { StageState } from '../../core/stage/types.ts';
import { suggestNearest } from '../../core/text/nearest.ts';
import type { HumanInput } from '../../schemas/ledger.ts';

const SLASH_FORMS = '/halt WHY, /poison NODE WHY, /verify FROM TO';

/** One message, or null when the input may be recorded. */
export function inputProblem(state: StageState, input: HumanInput): string | null {
  switch (input.kind) {
    case 'halt':
    case 'text':
      return null;
    case 'slash':
      return slashProblem(state, input.text);
    case 'answer':
      return nodeProblem(state, input.nodeId ?? '', 'answer');
    case 'action': {
      const { parameters } = input.action ?? {};
      const nodeId = parameters !== undefined && 'node_id' in parameters ? parameters.node_id : null;
      return nodeId === null ? null : nodeProblem(state, nodeId, 'act on');
    }
  }
}

function slashProblem(state: StageState, text: string): string | null {
  const [command = '', ...names] = text.trim().split(/\s+/);
  switch (command) {
    case '/halt':
      return null;
    case '/poison':
      return names[0] === undefined
        ? 'Cannot poison: no node is named; use /poison NODE WHY'
        : nodeProblem(state, names[0], 'poison');
    case '/verify':
      if (names.length < 2) return 'Cannot verify an assumption: use /verify FROM TO';
      return names
        .slice(0, 2)
        .reduce<string | null>((found, id) => found ?? nodeProblem(state, id, 'verify'), null);
    default:
      return `Cannot do "${command}": there is no such command; use ${SLASH_FORMS}`;
  }
}

function nodeProblem(state: StageState, nodeId: string, act: string): string | null {
  if (Object.hasOwn(state.nodes, nodeId)) return null;
  const near = suggestNearest(nodeId, Object.keys(state.nodes));
  return `Cannot ${act} "${nodeId}": there is no such node${near === undefined ? '' : `. ${near}`}`;
}
