/** `challenge` for people: whether a wall held, and which. */
import { colors } from './colors.ts';
import { idText } from '../../core/gate/test-id.ts';
import type { ChallengeAnswer } from '../../core/ports/visitors.ts';
import type { Wall } from '../../core/gate/code/walls.ts';
import { printable, statusText } from './text.ts';
import { typed } from '../../core/text/typed.ts';

const WALLS_MAX = 12;
/** What a pass in this tier does not prove. */
const IN_PROCESS = [
  '  This node is judged in process: code made to forge that report can succeed. With "wall: required" in its contract',
  '  it is judged from outside.',
];
const TESTS_MAX = 40;

/** `dir` and `path` are as the person named them. */
export function challengeText(answer: ChallengeAnswer, path: string, dir: string): string {
  const { nodeId, isolation, tier } = answer;
  const means =
    tier === null
      ? 'before the gate'
      : `${tier.replace('_', ' ')}, ${isolation.backend} (${isolation.level})`;
  return [
    `${colors.bold(nodeId)}: ${answer.files.join(', ')} sent, judged ${means}`,
    ...endLines(answer, path, dir),
    '',
    colors.dim('A builder would be told:'),
    ...answer.builderText.split('\n').map((line) => `  ${line}`),
    ...revealed(answer),
  ].join('\n');
}

function endLines(answer: ChallengeAnswer, path: string, dir: string): string[] {
  const fault = answer.fault === null ? '' : ` (${answer.fault})`;
  const verdict = answer.verdict === null ? 'not even judged' : `${statusText(answer.verdict)}${fault}`;
  switch (answer.end) {
    case 'held':
      return [`${colors.green('It held')}: ${verdict}`, ...answer.walls.slice(0, WALLS_MAX).map(wallLine)];
    case 'same':
      return [`${verdict}: this is the committed code itself, so nothing is shown`];
    case 'unproven':
      return [
        `${colors.yellow('Nothing is shown')}: the platform failed, nobody is charged`,
        ...answer.walls.map(wallLine),
      ];
    case 'passed':
      return [
        `${colors.red('It did NOT hold')}: ${verdict}, and this is not the committed code`,
        '  It passed: either your code is honest, or you found a hole.',
        ...(answer.tier === 'in_process' ? IN_PROCESS : []),
        '  If it does not do what the contract says, please report it: open an issue of this project with your file,',
        `  the contract of "${answer.nodeId}", and the output of`,
        typed`  a7-rt challenge ${dir} ${answer.nodeId} --with ${path} --reveal --json`,
      ];
  }
}

function wallLine({ name, words, count }: Wall): string {
  return `  ${colors.bold(name)}: ${printable(words)}${count > 1 ? ` (${String(count)} times)` : ''}`;
}

/** Only where the person asked: names and messages of the hidden suite. */
function revealed({ report }: ChallengeAnswer): string[] {
  if (report === null) return [];
  const lines = report.tests.slice(0, TESTS_MAX).map(({ id, outcome, failure }) => {
    const why = failure === null ? '' : `: ${printable(`${failure.exceptionType}: ${failure.message}`)}`;
    return `  ${outcome} ${printable(idText(id))}${why}`;
  });
  return [
    '',
    colors.dim('The hidden suite, as you asked:'),
    ...(lines.length === 0 ? ['  it did not run'] : lines),
  ];
}
