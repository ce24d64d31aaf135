/**
 * A command of the plan whose own program is not in the clean room: `make lint` where there is no `make`. Nobody's code is at
 * fault. What a program of the tree does not find is the tree's: no change of it may turn a red command into no verdict.
 */
import type { RepositoryFinding } from '../../schemas/repository-report.ts';
import { withoutStarters } from './ci/command-kind.ts';
import { heldCommands } from './ci/shell-commands.ts';
import { repositoryFinding } from './finding.ts';

/** What a shell means by exit code 127. */
export const NOT_FOUND =
  'Exit code 127: a program was not found in the clean room; name its package under environment.dependencies.debian';

const SAID = /^(?:.*: )?([\w.+-]+): (?:command )?not found$|^env: ['‘]?([\w.+-]+)['’]?: No such file/gmu;

/** Null where the plan names no such program. @param said by a command that ended with 127 */
export function missingProgram(
  { name, argv }: { readonly name: string; readonly argv: readonly string[] },
  said: string,
): RepositoryFinding | null {
  const script = argv.includes('-c') ? (argv.at(-1) ?? '') : argv.join(' ');
  const started = new Set(heldCommands(script).map((command) => withoutStarters(command).split(/\s/u)[0]));
  const missed = [...said.matchAll(SAID)].map(([, shell, env]) => shell ?? env ?? '');
  const program = missed.find((each) => started.has(each));
  if (program === undefined) return null;
  const text = `Command "${name}" starts "${program}", which the clean room does not have`;
  return repositoryFinding('plan_refused', 'L1', text, { step: name, nextStep: NOT_FOUND });
}
