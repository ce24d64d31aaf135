/** What help shows: the order and the headings of commands (one that is not named here comes last), and the next step after wrong use. */
import type { Command, Option } from 'commander';
import { colors } from './render/colors.ts';

const GROUPS: readonly (readonly [heading: string, names: readonly string[]])[] = [
  ['First steps:', ['setup', 'doctor', 'config', 'models', 'init']],
  ['Contracts:', ['contract', 'lint-contracts', 'seed', 'graph']],
  ['Build:', ['run', 'status', 'halt']],
  ['Understand:', ['why', 'report', 'narrative', 'board']],
  ['Steer:', ['input', 'act', 'stage', 'stage-reset', 'replace', 'restore']],
  ['Believe nothing:', ['verify', 'ledger', 'attest', 'challenge', 'sandbox']],
  ['Any repository:', ['gate', 'submit', 'orders', 'order', 'promote', 'agents']],
  ['Services and tools:', ['worker', 'up', 'down', 'model-server', 'completion', 'help']],
];
const NAMES = GROUPS.flatMap(([, names]) => names);
const HEADINGS = GROUPS.map(([heading]) => heading);

/** The heading of commands that commander adds by itself. */
const UNNAMED = 'Commands:';

/** Gives each command its heading. */
export function groupCommands(program: Command): void {
  for (const command of program.commands) {
    const heading = GROUPS.find(([, names]) => names.includes(command.name()))?.[0];
    if (heading !== undefined) command.helpGroup(heading);
  }
  program.configureHelp({ groupItems: inOrder });
}

/** After wrong use each command names its own help. */
export function nameHelp(command: Command, path: string): void {
  command.showHelpAfterError(`${colors.dim('next')}  ${path} --help`);
  for (const below of command.commands) nameHelp(below, `${path} ${below.name()}`);
}

/** Commands by heading, both in the order above; what does not stand there keeps its place. */
function inOrder<T extends Command | Option>(
  _all: T[],
  visible: T[],
  groupOf: (item: T) => string,
): Map<string, T[]> {
  const headingOf = (item: T): string => {
    const heading = groupOf(item);
    return heading === UNNAMED ? (HEADINGS.at(-1) ?? heading) : heading;
  };
  const headings = [...new Set(visible.map(headingOf))].toSorted(
    (a, b) => HEADINGS.indexOf(a) - HEADINGS.indexOf(b),
  );
  return new Map(
    headings.map((heading) => [
      heading,
      visible
        .filter((item) => headingOf(item) === heading)
        .toSorted((a, b) => NAMES.indexOf(a.name()) - NAMES.indexOf(b.name())),
    ]),
  );
}
