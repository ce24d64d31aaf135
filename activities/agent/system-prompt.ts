/** The rules that an agent reads first: of its role, and of how it works. */
import { ROOM } from '../../core/ports/agent-driver.ts';
import type { AgentSettings } from '../../core/ports/settings.ts';
import { writeGlobs } from '../../core/projection/paths.ts';
import { submitCall } from '../../core/shadow/next-call.ts';
import { ownWork } from '../../core/views/own-work.ts';
import { renderPrompt } from '../../roles/index.ts';
import type { RunAgentInput } from '../../schemas/agent-io.ts';
import type { ResolvedContract } from '../../schemas/contract.ts';

/** Where a program leaves what `submit_pr` is given. */
const SUBMIT_PATH = `${ROOM.out}/${ROOM.submitFile}`;

export function systemPrompt(
  settings: AgentSettings,
  contract: ResolvedContract,
  input: RunAgentInput,
): string {
  const protocol = renderPrompt(`protocols/${input.guidance.weight ?? contract.protocol_weight}`, {});
  const attempts = String(settings.limits.attemptsMax);
  const isRoom = input.agent !== undefined;
  switch (input.at.role) {
    case 'analyst':
      return renderPrompt('analyst', {
        query: input.guidance.query ?? '',
        scope: input.guidance.scope ?? 'node',
      });
    case 'builder':
      return renderPrompt(isRoom ? 'builder-room' : 'builder', {
        node: contract.id,
        attempts,
        files: contract.files.join(', '),
        protocol,
        ...(isRoom && { submit: SUBMIT_PATH, notes: ROOM.notes }),
      });
    case 'test_author': {
      const mode = surfaceText(contract);
      const files = writeGlobs(contract, 'test_author').join(', ');
      const names =
        contract.language === 'python'
          ? '`test_*.py` or `*_test.py`; pytest runs them'
          : '`*.test.*` or `*.spec.*`; `node --test` runs them';
      return renderPrompt(isRoom ? 'test-author-room' : 'test-author', {
        node: contract.id,
        attempts,
        files,
        test_names: names,
        mode_text: mode,
        protocol,
        ...(isRoom && { submit: SUBMIT_PATH, example: exampleOf(contract) }),
      });
    }
  }
}

/** Where the surface that a suite tests comes from. */
function surfaceText(contract: ResolvedContract): string {
  if (contract.type === 'test' && contract.interface.exports.length === 0)
    return renderPrompt('test-author-of-others', {});
  return contract.mode === 'A'
    ? renderPrompt('test-author-mode-a', {})
    : renderPrompt('test-author-mode-b', { node: contract.id });
}

/** What the author of this node hands in beside its tests. */
function exampleOf(contract: ResolvedContract): string {
  return submitCall(ownWork('test_author', contract, [], false)).replace(/^submit_pr /, '');
}
