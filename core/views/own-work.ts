/** Where an agent's work stands, from its contract and its tree: what `nextCall` needs. */
import type { ResolvedContract } from '../../schemas/contract.ts';
import type { Role } from '../../schemas/ids.ts';
import type { SubmitForm } from '../../schemas/submit-pr.ts';
import { firstTestFile } from '../contract/layout.ts';
import { isTestFile } from '../gate/gate-files.ts';
import { clausesOf } from '../gate/suite/clauses.ts';
import { matchesAnyGlob } from '../globs.ts';
import { writeGlobs } from '../projection/paths.ts';
import type { OwnWork } from '../shadow/next-call.ts';

/** Which form of `submit_pr` a role is shown. */
export function submitFormOf(role: Role, { mode }: Pick<ResolvedContract, 'mode'>): SubmitForm {
  if (role === 'analyst') return 'findings';
  if (role === 'builder') return 'code';
  return mode === 'B' ? 'suite_and_interface' : 'suite';
}

/**
 * @param paths files in the agent's tree, sorted.
 * @param isChanged whether one of its own files differs from what it began with.
 */
export function ownWork(
  role: Role,
  contract: ResolvedContract,
  paths: readonly string[],
  isChanged: boolean,
): OwnWork {
  const globs = role === 'analyst' ? [] : writeGlobs(contract, role);
  const files = paths.filter((path) => matchesAnyGlob(globs, path));
  return {
    form: submitFormOf(role, contract),
    nodeId: contract.id,
    mainFile: role === 'test_author' ? firstTestFile(contract, globs) : contract.contentFile,
    files,
    testFiles: files.filter((path) => isTestFile(path, contract.language)),
    isChanged,
    mayBeEmpty: role === 'builder' && contract.type === 'test' && contract.interface.exports.length === 0,
    clauses: clausesOf(contract.interface).map(({ id }) => id),
  };
}
